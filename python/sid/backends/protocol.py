"""What every backend offers, and the forms that have a default."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol, TypeAlias, runtime_checkable

from .._threads import in_thread, in_threads

__all__ = [
    "LIMIT_MAX",
    "Asked",
    "Filters",
    "Hit",
    "InvalidFilter",
    "SearchBackend",
    "asearch",
    "batch_key",
    "batched",
    "checked_limit",
    "search_batch",
    "search_many",
    "search_together",
]

Hit: TypeAlias = Mapping[str, Any]
"""One result: ``"id"`` (str), ``"content"`` (non-empty str), and whatever else may be displayed."""

Filters: TypeAlias = Mapping[str, Any]
"""Conditions by name, all of which a result meets; see `sid.backends.filters`."""

LIMIT_MAX = 1000
"""The backends here give at most this many results, however many are asked for."""


class InvalidFilter(ValueError):
    """A filter that cannot be met by any document, such as a date that is none.

    The message names the filter and what is accepted; it can go back to a model.
    """


@runtime_checkable
class SearchBackend(Protocol):
    """Anything that can be searched.

    A backend may also have its own ``asearch(query, *, limit, filters=None)``, which is awaited, and
    ``search_many(queries, *, limit, filters=None)``, which gives a list of results a query. Where it has none,
    `asearch` and `search_many` of this module build them on `search`.

    A backend that takes several searches at once whatever their limits and filters, perhaps together with those of
    other backends, has ``batch_key``, a hashable, and ``search_batch(asked)``, which gives the results of each `Asked`.
    Searches of backends whose keys are equal are one call of it. ``batch_key`` is ``None`` where nothing is gained.
    """

    def search(self, query: str, *, limit: int, filters: Filters | None = None) -> Sequence[Hit]:
        """Give the best results, best first.

        Parameters
        ----------
        query
            What is looked for: any text.
        limit
            How many results to give at most.
        filters
            Conditions that every result meets.
        """
        ...


async def asearch(backend: SearchBackend, query: str, *, limit: int, filters: Filters | None = None) -> Sequence[Hit]:
    """Search without blocking the event loop: by the backend's own ``asearch``, or in a thread.

    Examples
    --------
    >>> import asyncio
    >>> from sid.backends import SqliteBackend
    >>> with SqliteBackend() as backend:
    ...     _ = backend.add([{"id": "a", "content": "owls hunt"}])
    ...     asyncio.run(asearch(backend, "owls", limit=1))
    [{'id': 'a', 'content': 'owls hunt'}]
    """
    own = getattr(backend, "asearch", None)
    if own is not None:
        found: Sequence[Hit] = await own(query, limit=limit, filters=filters)
        return found
    return await in_thread(lambda: backend.search(query, limit=limit, filters=filters))


def search_many(
    backend: SearchBackend, queries: Sequence[str], *, limit: int, filters: Filters | None = None
) -> list[Sequence[Hit]]:
    """Give the results of each query: by the backend's own ``search_many``, or one query after another.

    Examples
    --------
    >>> from sid.backends import SqliteBackend
    >>> with SqliteBackend() as backend:
    ...     _ = backend.add([{"id": "a", "content": "owls hunt"}])
    ...     [len(hits) for hits in search_many(backend, ["owls", "mice"], limit=1)]
    [1, 0]
    """
    own = getattr(backend, "search_many", None)
    if own is not None:
        return list(own(queries, limit=limit, filters=filters))
    return [backend.search(query, limit=limit, filters=filters) for query in queries]


@dataclass(frozen=True)
class Asked:
    """One search, and whom it is asked of."""

    backend: SearchBackend
    query: str
    limit: int
    filters: Filters | None = None


def batch_key(asked: Asked) -> Hashable:
    """Give what searches that can be one call have in common, or ``None`` where this one stays by itself."""
    backend: Any = asked.backend
    if hasattr(backend, "batch_key"):
        key: Hashable = backend.batch_key
        return None if key is None else ("batch", key)
    if hasattr(backend, "search_many"):
        # Names are unique, so no two values are compared.
        return "many", id(backend), asked.limit, repr(sorted((asked.filters or {}).items()))
    return None


def batched(searches: Iterable[Asked]) -> list[list[int]]:
    """Give the numbers of the searches, together those that can be one call."""
    groups: dict[Hashable, list[int]] = {}
    for number, asked in enumerate(searches):
        key = batch_key(asked)
        groups.setdefault(("alone", number) if key is None else key, []).append(number)
    return list(groups.values())


def search_batch(group: Sequence[Asked]) -> list[list[Hit]]:
    """Give the results of searches that `batched` put together, by one call.

    Raises
    ------
    ValueError
        If the backend gives results of more or fewer searches.
    """
    first = group[0]
    backend: Any = first.backend
    if len(group) == 1:
        return [list(islice(backend.search(first.query, limit=first.limit, filters=first.filters), first.limit))]
    if hasattr(backend, "batch_key"):
        name, results = "search_batch", list(backend.search_batch(group))
    else:
        queries = [asked.query for asked in group]
        name, results = "search_many", list(backend.search_many(queries, limit=first.limit, filters=first.filters))
    if len(results) != len(group):
        raise ValueError(f"{name} gave {len(results)} results for {len(group)} queries")
    return [list(islice(hits, asked.limit)) for asked, hits in zip(group, results, strict=True)]


def search_together(searches: Sequence[Asked]) -> list[list[Hit]]:
    """Give the results of each search, in as few calls as can be, which are made at the same time.

    Examples
    --------
    >>> from sid.backends import SqliteBackend
    >>> with SqliteBackend() as backend:
    ...     _ = backend.add([{"id": "a", "content": "owls hunt"}])
    ...     [len(hits) for hits in search_together([Asked(backend, "owls", 1), Asked(backend, "mice", 2)])]
    [1, 0]
    """
    groups = batched(searches)
    answers = in_threads([lambda group=group: search_batch([searches[one] for one in group]) for group in groups])  # type: ignore[misc]
    found = {
        one: hits
        for group, answer in zip(groups, answers, strict=True)
        for one, hits in zip(group, answer, strict=True)
    }
    return [found[number] for number in range(len(searches))]


def checked_limit(limit: int) -> int:
    """Give how many results to look for: ``limit``, or `LIMIT_MAX` if that is less.

    Raises
    ------
    TypeError
        If it is not an integer.
    ValueError
        If it is below 1.

    Examples
    --------
    >>> checked_limit(5), checked_limit(10**9)
    (5, 1000)
    """
    if not isinstance(limit, int) or isinstance(limit, bool):
        raise TypeError(f"limit must be an integer, got {limit!r:.60}")
    if limit < 1:
        raise ValueError(f"limit must be at least 1, got {str(limit)[:60]}")
    return min(limit, LIMIT_MAX)


def checked_query(query: str) -> str:
    """Give the query if it is a string, else raise `TypeError`."""
    if not isinstance(query, str):
        raise TypeError(f"query must be a str, got {query!r:.60}")
    return query
