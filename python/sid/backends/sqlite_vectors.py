"""Search by meaning over the vectors that an index in SQLite keeps: a scan of all of them with NumPy."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .embedder import unit_vectors
from .errors import UnusableIndex
from .filters import conditions
from .protocol import Filters, checked_limit, checked_query
from .sqlite import SqliteBackend
from .sqlite_conditions import allowed
from .sqlite_documents import numbered
from .sqlite_settings import IndexSettings, index_settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["SqliteVectorBackend"]


@dataclass(frozen=True)
class _Vectors:
    """The vectors of one generation of an index."""

    generation: int
    numbers: NDArray[np.int64]  # of the documents, ascending
    matrix: NDArray[np.float32]  # of shape (documents, dimension), each row of length 1 or 0


class SqliteVectorBackend:
    """An index in SQLite searched by meaning: by its embedder's vectors, closest first.

    Parameters
    ----------
    index
        Opened with an embedder.

    Raises
    ------
    UnusableIndex
        If the index was opened without an embedder; on a search, if documents have no vectors.

    Notes
    -----
    A document's score is the cosine of the angle between its vector and the query's; its vector is the mean of those of
    its passages, stretches of 128 tokens with the heading before each. What is long and about many things is better
    added in parts. All vectors are held in memory, 1 KB each at 256 dimensions, and are read again when the index has
    changed. Many more than a million are work for a vector database; see `sid.backends.QdrantBackend`.

    It may be used from several threads at once.

    Examples
    --------
    >>> from sid.backends import WordLlamaEmbedder
    >>> with SqliteBackend(embedder=WordLlamaEmbedder()) as index:
    ...     _ = index.add([
    ...         {"id": "a", "content": "Owls hunt at night."},
    ...         {"id": "b", "content": "The bank raised its interest rates."},
    ...     ])
    ...     [hit["id"] for hit in SqliteVectorBackend(index).search("money and loans", limit=1)]
    ['b']
    """

    def __init__(self, index: SqliteBackend) -> None:
        if index.embedder is None:
            raise UnusableIndex(
                f"to search {index.connections.name} by meaning, open it with the embedder of its vectors"
            )
        self.index = index
        self.embedder = index.embedder
        self._loading = threading.Lock()
        self._vectors: _Vectors | None = None

    def search(self, query: str, *, limit: int, filters: Filters | None = None) -> list[dict[str, Any]]:
        """Give the documents closest in meaning, best first, those added earlier first.

        Parameters
        ----------
        query
            Any text; a long, descriptive one is best.
        limit
            How many to give at most, from 1; no more than 1000 are.
        filters
            Conditions that every result meets; see `sid.backends.filters`.

        Raises
        ------
        InvalidFilter
            If a filter is none.
        UnusableIndex
            If documents have no vectors, since they were added without an embedder.
        """
        return self.search_many([query], limit=limit, filters=filters)[0]

    def search_many(
        self, queries: Sequence[str], *, limit: int, filters: Filters | None = None
    ) -> list[list[dict[str, Any]]]:
        """Give the results of each query, as `search` does, from one scan of one state of the index."""
        limit = checked_limit(limit)
        where, values = allowed(conditions(filters), "number")
        wanted = unit_vectors(self.embedder, [checked_query(query) for query in queries], "query")
        with self.index.connections.reading() as connection:
            vectors = self._current(connection)
            candidates = None
            if where:
                rows = connection.execute(f"SELECT number FROM document WHERE TRUE{where}", values)  # noqa: S608
                candidates = [number for (number,) in rows]
            return [
                [numbered(connection, number).hit() for number in numbers]
                for numbers in _best(vectors, wanted, limit, candidates)
            ]

    def load(self) -> None:
        """Read the vectors now, and not at the first search.

        Raises
        ------
        UnusableIndex
            If documents have no vectors.
        """
        with self.index.connections.reading() as connection:
            self._current(connection)

    def _current(self, connection: sqlite3.Connection) -> _Vectors:
        found = index_settings(connection)
        with self._loading:
            vectors = self._vectors
            if vectors is None or vectors.generation != found.generation:
                vectors = self._vectors = self._load(connection, found)
        return vectors

    def _load(self, connection: sqlite3.Connection, found: IndexSettings) -> _Vectors:
        import numpy as np

        (bare,) = connection.execute(
            "SELECT count(*) FROM document WHERE number NOT IN (SELECT document FROM vector)"
        ).fetchone()
        if bare:
            have = "no vectors" if found.vectors is None else f"none for {bare} documents"
            raise UnusableIndex(
                f"{self.index.connections.name} has {have}; add its documents again with the embedder "
                "(sid index --vectors)"
            )
        width = 4 * self.embedder.dimension
        rows = connection.execute("SELECT document, vector FROM vector ORDER BY document").fetchall()
        if any(not isinstance(vector, bytes) or len(vector) != width for _, vector in rows):
            raise UnusableIndex(f"{self.index.connections.name} is damaged (vectors); build it again")
        matrix = np.frombuffer(b"".join(vector for _, vector in rows), dtype="<f4").astype(np.float32, copy=False)
        return _Vectors(
            found.generation,
            np.array([number for number, _ in rows], dtype=np.int64),
            matrix.reshape(-1, self.embedder.dimension),
        )


def _best(vectors: _Vectors, wanted: NDArray[np.float32], limit: int, candidates: list[int] | None) -> list[list[int]]:
    """Give the numbers of the best documents for each query; ties in order of the numbers."""
    import numpy as np

    scores, numbers = vectors.matrix @ wanted.T, vectors.numbers
    if candidates is not None:
        chosen = np.isin(numbers, np.array(candidates, dtype=np.int64), assume_unique=True)
        scores, numbers = scores[chosen], numbers[chosen]
    found = []
    for column in scores.T:
        if len(column) > limit:
            # All that reach the limit-th score, so that among equals the earlier ones are taken.
            kept = np.flatnonzero(column >= np.partition(column, -limit)[-limit])
        else:
            kept = np.arange(len(column))
        order = kept[np.argsort(-column[kept], kind="stable")][:limit]
        found.append(numbers[order].tolist())
    return found
