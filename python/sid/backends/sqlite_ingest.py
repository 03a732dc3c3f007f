"""Documents written into the tables of an index, and taken out again."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from .documents import Document, encoded
from .embedder import Embedder
from .filters import field_instants, field_keys
from .passages import document_vectors
from .postings import posting_text
from .sqlite_documents import numbered

__all__ = ["remove", "write", "write_vectors"]

ADDED, REPLACED, UNCHANGED = "added", "replaced", "unchanged"


def write(connection: sqlite3.Connection, document: Document, heading_field: str) -> tuple[int, str]:
    """Write a document unless it is there already.

    Returns
    -------
    tuple[int, str]
        Its number, and what became of it: ``"added"``, ``"replaced"`` or ``"unchanged"``. A replaced document keeps
        its number.
    """
    packed_id = encoded(document.id)
    kept = connection.execute("SELECT number, digest FROM document WHERE id = ?", (packed_id,)).fetchone()
    if kept is not None and kept[1] == document.digest:
        return kept[0], UNCHANGED
    number = None if kept is None else kept[0]
    if number is not None:
        _take_out(connection, number, heading_field)
    connection.execute(
        "INSERT INTO document VALUES (?, ?, ?, ?, ?)",
        (number, packed_id, document.digest, encoded(document.content), document.packed_fields),
    )
    (number,) = connection.execute("SELECT last_insert_rowid()").fetchone()
    connection.execute(
        "INSERT INTO posting(rowid, heading, content) VALUES (?, ?, ?)", (number, *_postings(document, heading_field))
    )
    for name, value in document.fields.items():
        column = encoded(name)
        # A list may hold a value more than once.
        connection.executemany(
            "INSERT OR IGNORE INTO field VALUES (?, ?, ?)", ((column, key, number) for key in field_keys(value))
        )
        connection.executemany(
            "INSERT OR IGNORE INTO instant VALUES (?, ?, ?)", ((column, time, number) for time in field_instants(value))
        )
    return number, ADDED if kept is None else REPLACED


def write_vectors(
    connection: sqlite3.Connection, documents: Sequence[tuple[int, Document]], embedder: Embedder, heading_field: str
) -> None:
    """Write the vectors of documents, given by number, that have none."""
    vectors = document_vectors(embedder, [document for _, document in documents], heading_field)
    connection.executemany(
        "INSERT INTO vector VALUES (?, ?)",
        ((number, vector.astype("<f4").tobytes()) for (number, _), vector in zip(documents, vectors, strict=True)),
    )


def remove(connection: sqlite3.Connection, ids: Iterable[str], heading_field: str) -> int:
    """Take documents out, and give how many there were."""
    removed = 0
    for document_id in ids:
        kept = connection.execute("SELECT number FROM document WHERE id = ?", (encoded(document_id),)).fetchone()
        if kept is not None:
            _take_out(connection, kept[0], heading_field)
            removed += 1
    return removed


def _postings(document: Document, heading_field: str) -> tuple[str, str]:
    return posting_text(document.texts_of(heading_field)), posting_text([document.content])


def _take_out(connection: sqlite3.Connection, number: int, heading_field: str) -> None:
    # A full-text index without texts of its own must be told what it was given.
    connection.execute(
        "INSERT INTO posting(posting, rowid, heading, content) VALUES ('delete', ?, ?, ?)",
        (number, *_postings(numbered(connection, number), heading_field)),
    )
    for table, column in (
        ("document", "number"),
        ("field", "document"),
        ("instant", "document"),
        ("vector", "document"),
    ):
        connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (number,))  # noqa: S608
