"""What every backend offers, and the forms that have a default."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

__all__ = ["LIMIT_MAX", "Filters", "Hit", "InvalidFilter", "SearchBackend", "asearch", "checked_limit", "search_many"]

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
    return await asyncio.to_thread(backend.search, query, limit=limit, filters=filters)


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
