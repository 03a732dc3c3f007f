"""An index in one SQLite file, or in memory: full-text search by BM25, and the documents themselves."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .._options import validate_language
from .documents import Document, encoded
from .embedder import Embedder
from .errors import UnusableIndex
from .filters import conditions
from .ingest import Ingested, batches
from .passages import VECTOR_SCHEME
from .postings import match_expression
from .protocol import Filters, checked_limit, checked_query
from .sqlite_conditions import allowed
from .sqlite_connections import SqliteConnections
from .sqlite_documents import COLUMNS, document_of
from .sqlite_files import change_setting, prepare
from .sqlite_ingest import UNCHANGED, remove, write, write_vectors
from .sqlite_schema import INDEX, require_whole_postings
from .sqlite_settings import (
    DIMENSION,
    EMBEDDER,
    GENERATION,
    HEADING_FIELD,
    LANGUAGE,
    SCHEME,
    UNFINISHED,
    IndexSettings,
    index_settings,
)

if TYPE_CHECKING:
    from .sqlite_vectors import SqliteVectorBackend

__all__ = ["SqliteBackend"]

HEADING_WEIGHT = 2.0
"""What a word in the heading counts for, against one in the content."""

_SEARCH = """
SELECT {columns} FROM (
    SELECT rowid AS number, bm25(posting, ?, 1.0) AS score FROM posting WHERE posting MATCH ?{where}
    ORDER BY score, number LIMIT ?
) AS found JOIN document USING (number) ORDER BY found.score, number
"""

_GET = "SELECT {columns} FROM document WHERE id = ?"


class SqliteBackend:
    """An index of documents that is searched for words: any of a query's, ranked by BM25.

    Parameters
    ----------
    path
        The file, made if it is not there; ``None`` is in memory.
    language
        Whose stopwords queries drop, one of `sid.document_cache.SUPPORTED_LANGUAGES`; English is stemmed too. By
        default what the file says, and English in a new one.
    heading_field
        The field that is searched beside the content and weighs twice as much; by default what the file says, and
        ``"title"`` in a new one.
    embedder
        What gives the documents vectors when they are added, for `SqliteVectorBackend`.
    read_only
        Only read; the file must be there.
    check
        Look through the whole file for damage before anything else. It takes as long as reading the file.

    Raises
    ------
    UnusableIndex
        If the file is damaged, another program's, of another version, or made for other parameters.
    ImportError
        If this Python's SQLite has no full-text search.

    Notes
    -----
    A query is analysed as snippets are (UAX #29 words, lowercased), and no part of it is syntax. At most its first
    512 distinct words are looked for, and at most 1000 results are given.

    It may be used from several threads at once. In a file, readers in any process go on while one writer writes.
    `close` it, or use it in a ``with`` statement.

    See `sid.backends.filters` for what filters mean.

    Examples
    --------
    >>> with SqliteBackend() as backend:
    ...     backend.add([
    ...         {"id": "a", "title": "Owls", "content": "They hunt at night.", "published": "2023-05-01"},
    ...         {"id": "b", "title": "Kites", "content": "They hunt by day.", "published": "2024-05-01"},
    ...     ])
    ...     [hit["id"] for hit in backend.search("what hunts by day", limit=5)]
    ...     [hit["id"] for hit in backend.search("hunting", limit=5, filters={"published_before": "2024"})]
    Ingested(added=2, replaced=0, unchanged=0)
    ['b', 'a']
    ['a']
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        language: str | None = None,
        heading_field: str | None = None,
        embedder: Embedder | None = None,
        read_only: bool = False,
        check: bool = True,
    ) -> None:
        if language is not None:
            validate_language(language)
        self.connections = SqliteConnections(path, INDEX, writable=not read_only)
        self.embedder = embedder
        try:
            first = {
                LANGUAGE: language or "english",
                HEADING_FIELD: encoded("title" if heading_field is None else heading_field),
                GENERATION: 0,
            }
            prepare(self.connections, first, check=check, inspect=_inspect_whole if check else index_settings)
            with self.connections.reading() as connection:
                found = index_settings(connection)
            self.language = found.language
            self.heading_field = found.heading_field
            for asked, kept in ((language, self.language), (heading_field, self.heading_field)):
                if asked not in (None, kept):
                    raise UnusableIndex(
                        f"{self.connections.name} was built with {kept!r}, not {asked!r}; leave that out, or "
                        "build another"
                    )
            require_same_embedder(found, embedder, self.connections.name)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> SqliteBackend:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self.connections.close()

    def __len__(self) -> int:
        with self.connections.reading() as connection:
            (count,) = connection.execute("SELECT count(*) FROM document").fetchone()
        return int(count)

    def __contains__(self, document_id: object) -> bool:
        if not isinstance(document_id, str):
            return False
        with self.connections.reading() as connection:
            found = connection.execute("SELECT 1 FROM document WHERE id = ?", (encoded(document_id),)).fetchone()
        return found is not None

    @property
    def unfinished(self) -> list[str]:
        """The sources whose documents are being added, or were when that was interrupted: add them again."""
        with self.connections.reading() as connection:
            return list(index_settings(connection).unfinished)

    def get(self, document_id: str) -> dict[str, Any]:
        """Give a document as a result of a search would be.

        Raises
        ------
        KeyError
            If there is none.
        """
        if isinstance(document_id, str):
            with self.connections.reading() as connection:
                row = connection.execute(_GET.format(columns=COLUMNS), (encoded(document_id),)).fetchone()
                if row is not None:
                    return document_of(row).hit()
        raise KeyError(f"there is no document {document_id!r:.80} in {self.connections.name}")

    def search(self, query: str, *, limit: int, filters: Filters | None = None) -> list[dict[str, Any]]:
        """Give the documents that hold any of the query's words, best first by BM25, those added earlier first.

        Parameters
        ----------
        query
            Any text. Without a word there are no results.
        limit
            How many to give at most, from 1; no more than 1000 are.
        filters
            Conditions that every result meets; see `sid.backends.filters`.

        Raises
        ------
        InvalidFilter
            If a filter is none.
        """
        limit = checked_limit(limit)
        # The plus sign: SQLite would else look the words up anew for every document that the filters allow.
        where, values = allowed(conditions(filters), "+posting.rowid")
        match = match_expression(checked_query(query), self.language)
        if match is None:
            return []
        with self.connections.reading() as connection:
            rows = connection.execute(
                _SEARCH.format(columns=COLUMNS, where=where), (HEADING_WEIGHT, match, *values, limit)
            )
            return [document_of(row).hit() for row in rows]

    def semantic(self) -> SqliteVectorBackend:
        """Give the backend that searches the same index by meaning; the embedder must have been given."""
        from .sqlite_vectors import SqliteVectorBackend

        return SqliteVectorBackend(self)

    def add(
        self,
        documents: Iterable[Mapping[str, Any]],
        *,
        source: str | None = None,
        progress: Callable[[Ingested], None] | None = None,
    ) -> Ingested:
        """Add documents, or put them in the place of those with the same id.

        They are written in batches, each in whole or not at all. If this is interrupted in any way, what was written
        stays; add the same documents again, and the index becomes what it would have been: documents that are there
        already are recognised by their content and left alone.

        Parameters
        ----------
        documents
            Mappings with ``"id"`` and ``"content"``, both non-empty strings, and other fields that JSON can hold.
            Tuples become lists. Of documents with the same id the last one stays.
        source
            A name for where they come from: `unfinished` tells it until all are added.
        progress
            Called with the sums so far after every batch.

        Returns
        -------
        Ingested
            How many were added, replaced and found unchanged.

        Raises
        ------
        TypeError, ValueError
            If a document is not one.
        UnusableIndex
            If the index has vectors and there is no embedder to give them to the documents.

        Examples
        --------
        >>> with SqliteBackend() as backend:
        ...     backend.add([{"id": "a", "content": "one"}])
        ...     backend.add([{"id": "a", "content": "one"}, {"id": "b", "content": "two"}])
        Ingested(added=1, replaced=0, unchanged=0)
        Ingested(added=1, replaced=0, unchanged=1)
        """
        total = Ingested()
        for batch, last in batches(documents):
            with self.connections.writing() as connection:
                self._begin_vectors(connection)
                without_vectors: dict[int, Document] = {}
                before = connection.total_changes
                for document in batch:
                    number, outcome = write(connection, document, self.heading_field)
                    total = replace(total, **{outcome: getattr(total, outcome) + 1})
                    if self.embedder is not None and not (outcome == UNCHANGED and _has_vectors(connection, number)):
                        without_vectors[number] = document
                if self.embedder is not None:
                    write_vectors(connection, list(without_vectors.items()), self.embedder, self.heading_field)
                if source is not None:
                    _mark(connection, source, unfinished=not last)
                if connection.total_changes > before:
                    _count_change(connection)
            if progress is not None:
                progress(total)
        return total

    def remove(self, ids: Iterable[str]) -> int:
        """Take documents out, and give how many of them there were.

        Examples
        --------
        >>> with SqliteBackend() as backend:
        ...     _ = backend.add([{"id": "a", "content": "one"}])
        ...     backend.remove(["a", "b"]), len(backend)
        (1, 0)
        """
        if isinstance(ids, str):
            raise TypeError(f"ids must be an iterable of ids, got the str {ids!r:.80}; give [{ids!r:.80}]")
        ids = list(ids)
        with self.connections.writing() as connection:
            removed = remove(connection, ids, self.heading_field)
            _count_change(connection)
        return removed

    def _begin_vectors(self, connection: sqlite3.Connection) -> None:
        """See to it that either no document has vectors or all do, by one embedder."""
        found = index_settings(connection)
        require_same_embedder(found, self.embedder, self.connections.name)
        if self.embedder is None:
            if found.vectors is not None:
                raise UnusableIndex(
                    f"{self.connections.name} has vectors by {found.vectors[0]!r}; to add to it, give its "
                    "embedder (sid index --vectors)"
                )
        elif found.vectors is None:
            change_setting(connection, EMBEDDER, encoded(self.embedder.name))
            change_setting(connection, DIMENSION, self.embedder.dimension)
            change_setting(connection, SCHEME, VECTOR_SCHEME)


def require_same_embedder(found: IndexSettings, embedder: Embedder | None, name: str) -> None:
    """Raise `UnusableIndex` if an index, whose settings are given, has vectors made otherwise than by this embedder."""
    if embedder is None or found.vectors is None:
        return
    asked = (embedder.name, embedder.dimension, VECTOR_SCHEME)
    kept = found.vectors
    if asked != kept:
        made = "{!r} (dimension {}, {})"
        raise UnusableIndex(
            f"{name} has vectors by {made.format(*kept)}, and the embedder is {made.format(*asked)}; "
            "use the same one, or build another index"
        )


def _inspect_whole(connection: sqlite3.Connection) -> None:
    index_settings(connection)
    require_whole_postings(connection)


def _has_vectors(connection: sqlite3.Connection, number: int) -> bool:
    return connection.execute("SELECT 1 FROM vector WHERE document = ?", (number,)).fetchone() is not None


def _mark(connection: sqlite3.Connection, source: str, *, unfinished: bool) -> None:
    name = UNFINISHED + source.encode("utf-8", "backslashreplace").decode()
    if unfinished:
        change_setting(connection, name, 1)
    else:
        connection.execute("DELETE FROM setting WHERE name = ?", (name,))


def _count_change(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE setting SET value = value + 1 WHERE name = ?", (GENERATION,))
