"""Several backends asked as one, by reciprocal rank fusion."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Iterable, Sequence
from itertools import islice

from .protocol import Asked, Filters, Hit, SearchBackend, asearch, batch_key, checked_limit, search_together

__all__ = ["FusedBackend"]

RANK_OFFSET = 60
"""The constant of reciprocal rank fusion as published: Cormack, Clarke and Büttcher, SIGIR 2009."""

DEPTH = 50
"""Each backend is asked for at least this many results."""


class FusedBackend:
    """Backends over the same documents asked as one.

    A result's score is the sum of ``weight / (rank_offset + rank)`` over the backends that give it, ranks from 1; of
    equals, the one that ranks best anywhere comes first.

    Parameters
    ----------
    backends
        At least one. Results with the same ``"id"`` are the same document, shown as the first backend gives it.
    weights
        One for each backend, above 0; by default all weigh the same.
    rank_offset
        The larger, the less the first ranks stand out; above 0.

    Raises
    ------
    ValueError
        If there is no backend, or a weight too many or too few, or a number is not above 0.

    Examples
    --------
    >>> from sid.backends import SqliteBackend
    >>> one, two = SqliteBackend(), SqliteBackend()
    >>> _ = one.add([{"id": "a", "content": "owl owl"}, {"id": "b", "content": "owl"}])
    >>> _ = two.add([{"id": "b", "content": "owl"}])
    >>> [hit["id"] for hit in FusedBackend([one, two]).search("owl", limit=2)]
    ['b', 'a']
    >>> one.close(); two.close()
    """

    def __init__(
        self,
        backends: Sequence[SearchBackend],
        *,
        weights: Sequence[float] | None = None,
        rank_offset: float = RANK_OFFSET,
    ) -> None:
        self.backends = tuple(backends)
        self.weights = tuple(weights) if weights is not None else (1.0,) * len(self.backends)
        self.rank_offset = rank_offset
        if not self.backends:
            raise ValueError("there must be at least one backend")
        if len(self.weights) != len(self.backends):
            raise ValueError(f"there are {len(self.backends)} backends and {len(self.weights)} weights")
        if not all(number > 0 for number in (*self.weights, rank_offset)):
            raise ValueError(f"weights and rank_offset must be above 0, got {self.weights} and {rank_offset}")

    def search(self, query: str, *, limit: int, filters: Filters | None = None) -> list[Hit]:
        """Give the best results of all backends together, which are asked at the same time."""
        return self.search_many([query], limit=limit, filters=filters)[0]

    def search_many(self, queries: Sequence[str], *, limit: int, filters: Filters | None = None) -> list[list[Hit]]:
        """Give the results of each query, as `search` does: all backends and all queries are asked at the same time."""
        return self.search_batch([Asked(self, query, limit, filters) for query in queries])

    @property
    def batch_key(self) -> Hashable:
        """Say whose searches to make together: its own, if each of its backends takes several; else ``None``."""
        keys = [batch_key(Asked(backend, "", 1)) for backend in self.backends]
        return None if None in keys else id(self)

    def search_batch(self, asked: Sequence[Asked]) -> list[list[Hit]]:
        """Give the results of each search, as `search` does, asking each backend as few times as it can be."""
        limits = [checked_limit(one.limit) for one in asked]
        answers = search_together(
            [
                Asked(backend, one.query, max(limit, DEPTH), one.filters)
                for one, limit in zip(asked, limits, strict=True)
                for backend in self.backends
            ]
        )
        each = len(self.backends)
        return [self._fused(answers[each * n : each * (n + 1)], limit) for n, limit in enumerate(limits)]

    async def asearch(self, query: str, *, limit: int, filters: Filters | None = None) -> list[Hit]:
        """Search without blocking the event loop, all backends at the same time."""
        limit = checked_limit(limit)
        depth = max(limit, DEPTH)
        asked = [
            asyncio.ensure_future(asearch(backend, query, limit=depth, filters=filters)) for backend in self.backends
        ]
        try:
            return self._fused(await asyncio.gather(*asked), limit)
        finally:
            for one in asked:  # if one fails, nobody waits for the others
                one.cancel()

    def _fused(self, rankings: Iterable[Iterable[Hit]], limit: int) -> list[Hit]:
        hits: dict[str, Hit] = {}
        scores: dict[str, float] = {}
        best: dict[str, int] = {}
        for weight, given in zip(self.weights, rankings, strict=True):
            ranking = list(islice(given, max(limit, DEPTH)))
            # A backend that gives a document twice has ranked it where it came first.
            for rank, found in enumerate(dict.fromkeys(hit["id"] for hit in ranking), start=1):
                scores[found] = scores.get(found, 0.0) + weight / (self.rank_offset + rank)
                best[found] = min(best.get(found, rank), rank)
            for hit in ranking:
                hits.setdefault(hit["id"], hit)
        order = sorted(scores, key=lambda found: (-scores[found], best[found]))
        return [hits[found] for found in order[:limit]]
