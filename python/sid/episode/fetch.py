"""Searches and other calls of one turn, made in parallel; searches with time-out and retries."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeAlias

from .._threads import in_thread
from ..backends.corpus import Corpus
from ..backends.protocol import Asked, InvalidFilter, SearchBackend, batched, search_batch
from ..tools import ToolAnswer, ToolError
from .errors import BackendError
from .extra import ExtraCall

__all__ = ["Done", "Found", "Outside", "RetryPolicy", "Search", "fetch", "fetch_blocking"]

Found: TypeAlias = list[Mapping[str, Any]] | ToolAnswer | ToolError
"""What a search gives: its hits. What another call gives: its answer. What either gives for a mistake of the model."""

_BUGS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    ImportError,
    LookupError,
    NotImplementedError,
    TypeError,
    ValueError,
)
"""Errors that another try does not mend."""


@dataclass(frozen=True)
class RetryPolicy:
    """How long a search may take, and how often it is tried.

    Errors that tell of a bug (``TypeError``, ``ValueError``, ``KeyError`` and the like) are not tried again.

    Parameters
    ----------
    attempts
        Tries in all.
    timeout
        Seconds that one try may take. A backend that cannot be cancelled is left to itself then.
    wait
        Seconds before the second try; before each later one twice as many as before the last.
    """

    attempts: int = 3
    timeout: float = 30.0
    wait: float = 0.25

    def __post_init__(self) -> None:
        for name, number in vars(self).items():
            kinds = int if name == "attempts" else (int, float)
            if not isinstance(number, kinds) or isinstance(number, bool):
                wanted = "an integer" if kinds is int else "a number of seconds"
                raise TypeError(f"{name} must be {wanted}, got {number!r:.100}")
        if self.attempts < 1 or self.timeout <= 0 or self.wait < 0:
            raise ValueError(f"attempts must be at least 1, timeout positive, wait not negative; got {self}")


@dataclass(frozen=True)
class Search:
    """One search that the model asked for, checked. ``number`` is that of its call in the turn."""

    number: int
    tool: str
    corpus: Corpus = field(repr=False)
    mode: str
    query: str
    limit: int
    snippet_size: int
    filters: Mapping[str, Any] | None

    @property
    def backend(self) -> SearchBackend:
        """Where to search."""
        backend = self.corpus.backend(self.mode)
        assert backend is not None  # noqa: S101  (the tool would not be there)
        return backend

    @property
    def asked(self) -> Asked:
        """What its backend is asked."""
        return Asked(self.backend, self.query, self.limit, self.filters)

    def failed(self, reason: str) -> BackendError:
        """Give the error that ends the episode because this search failed."""
        return BackendError(f"{self.tool} failed for the query {self.query!r:.100}: {reason}")


Outside: TypeAlias = Search | ExtraCall
"""What a turn needs from outside."""

Done: TypeAlias = Callable[[Outside, Found], None]
"""Called once a search or another call is done, with what it gave."""


async def fetch(
    wanted: Sequence[Outside], policy: RetryPolicy, parallel: int, done: Done, *, asynchronous: bool = True
) -> None:
    """Make the searches and other calls, at most ``parallel`` at a time, and tell ``done`` what each found.

    Searches that their backends take together are one call; see `sid.backends.SearchBackend`.

    Parameters
    ----------
    asynchronous
        Whether a backend's own ``asearch`` may be used, which may belong to an event loop.

    Raises
    ------
    BackendError
        If a search fails for good. The others are given up then.
    """
    slots = asyncio.Semaphore(parallel)

    async def make(group: list[Search]) -> None:
        async with slots:
            results = await _tried(group, policy, asynchronous)
        for search, found in zip(group, results, strict=True):
            done(search, found)

    async def answer(call: ExtraCall) -> None:
        async with slots:
            found = await _answered(call)
        done(call, found)

    searches = [one for one in wanted if isinstance(one, Search)]
    groups = batched(search.asked for search in searches)
    work = [make([searches[number] for number in group]) for group in groups]
    work += [answer(one) for one in wanted if isinstance(one, ExtraCall)]
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


def fetch_blocking(wanted: Sequence[Outside], policy: RetryPolicy, parallel: int, done: Done) -> None:
    """Do as `fetch` does, on an event loop of its own."""

    def work() -> None:
        asyncio.run(fetch(wanted, policy, parallel, done, asynchronous=False))

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    # A loop runs in this thread, as in notebooks: another thread can have one.
    failures: list[BaseException] = []

    def keep() -> None:
        try:
            work()
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=keep, name="sid-episode", daemon=True)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]
    return None


async def _tried(group: list[Search], policy: RetryPolicy, asynchronous: bool) -> list[Found]:
    """Make one call, again if it fails in passing."""
    for attempt in range(1, policy.attempts + 1):
        try:
            return await asyncio.wait_for(_made(group, asynchronous), policy.timeout)
        except (ToolError, InvalidFilter) as error:
            if len(group) > 1:  # one query's mistake is not the others'
                return [found for search in group for found in await _tried([search], policy, asynchronous)]
            return [error if isinstance(error, ToolError) else ToolError(str(error))]
        except _BUGS as error:
            raise group[0].failed(_reason(error)) from error
        except Exception as error:
            if attempt == policy.attempts:
                tries = f"{attempt} tries, the last: " if attempt > 1 else ""
                timed_out = isinstance(error, TimeoutError) and not str(error)
                reason = f"no answer within {policy.timeout:g} s" if timed_out else _reason(error)
                raise group[0].failed(tries + reason) from error
        await asyncio.sleep(policy.wait * 2 ** (attempt - 1))
    raise AssertionError("the last attempt returns or raises")


async def _made(group: list[Search], asynchronous: bool) -> list[Found]:
    """Make one call."""
    first = group[0]
    own = getattr(first.backend, "asearch", None) if asynchronous and len(group) == 1 else None
    if own is not None:
        return [list(islice(await own(first.query, limit=first.limit, filters=first.filters), first.limit))]
    return list(await in_thread(lambda: search_batch([search.asked for search in group])))


async def _answered(call: ExtraCall) -> ToolAnswer | ToolError:
    """Make another call. Once: what it does is not known here."""
    try:
        answer = await in_thread(lambda: call.extra.call(call.arguments))
    except ToolError as error:
        return error
    except Exception as error:
        raise call.failed(_reason(error)) from error
    if not isinstance(answer, ToolAnswer):
        raise call.failed(f"call must give a ToolAnswer, got a value of type {type(answer).__name__}")
    if not isinstance(answer.text, str) or not isinstance(answer.documents, Sequence):
        raise call.failed("a ToolAnswer must have a str as text and a sequence of mappings as documents")
    return answer


def _reason(error: BaseException) -> str:
    try:
        text = " ".join(str(error).split())
    except Exception:  # it is a backend's own
        text = "no more is told"
    return f"{type(error).__name__}: {text:.300}"
