"""The tables of an index in SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

from .sqlite_files import SETTINGS_TABLE, FileKind

__all__ = ["APPLICATION_ID", "FORMAT_VERSION", "INDEX", "require_whole_postings"]

_SEGMENT_SHIFT, _LAST_SPECIAL_PAGE = 37, 10
"""Of a page's number in FTS5 (fts5_index.c): where the segment's begins, and the last that is of none."""

APPLICATION_ID = 0x53494421
"""Marks the file as ours: "SID!"."""

FORMAT_VERSION = 1
"""Of the tables, and of the analysis that made the postings: to be raised when either changes."""

# Ids, texts and names are UTF-8 in blobs: a Python string may hold a lone surrogate, which SQLite's text may not.
_TABLES = (
    SETTINGS_TABLE,
    "CREATE TABLE document(number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, digest BLOB NOT NULL, "
    "content BLOB NOT NULL, fields BLOB NOT NULL)",
    "CREATE TABLE field(name BLOB, key BLOB, document INTEGER, PRIMARY KEY(name, key, document)) WITHOUT ROWID",
    "CREATE INDEX field_of ON field(document)",
    "CREATE TABLE instant(name BLOB, instant INTEGER, document INTEGER, PRIMARY KEY(name, instant, document)) "
    "WITHOUT ROWID",
    "CREATE INDEX instant_of ON instant(document)",
    "CREATE TABLE vector(document INTEGER PRIMARY KEY, vector BLOB NOT NULL)",
)
# Only English has a stemmer in SQLite. The tokenizer `ascii` splits at nothing that is in a posting.
_POSTINGS = "CREATE VIRTUAL TABLE posting USING fts5(heading, content, content='', tokenize='{}')"


def _create(connection: sqlite3.Connection, first_settings: Mapping[str, Any]) -> None:
    for statement in _TABLES:
        connection.execute(statement)
    stemmer = "porter ascii" if first_settings.get("language") == "english" else "ascii"
    try:
        connection.execute(_POSTINGS.format(stemmer))
    except sqlite3.OperationalError as error:
        if "no such module" not in str(error):
            raise
        raise ImportError(f"this Python's SQLite has no full-text search FTS5 ({error}); use another Python") from None


INDEX = FileKind(
    noun="index",
    a_noun="an index",
    application_id=APPLICATION_ID,
    version=FORMAT_VERSION,
    build="build it with sid index",
    mend="build it again",
    create=_create,
)


def require_whole_postings(connection: sqlite3.Connection) -> None:
    """See to it that the full-text table can be asked, and that its own tables hold something of every document.

    Raises
    ------
    sqlite3.DatabaseError
        If they do not.
    """
    connection.execute("SELECT rowid FROM posting WHERE posting MATCH 'a' LIMIT 1").fetchone()
    documents, sizes, unlisted = connection.execute(
        "SELECT (SELECT count(*) FROM document), (SELECT count(*) FROM posting_docsize), "
        "(SELECT count(*) FROM (SELECT DISTINCT id >> ? AS segment FROM posting_data WHERE id > ?) "
        "WHERE segment NOT IN (SELECT segid FROM posting_idx))",
        (_SEGMENT_SHIFT, _LAST_SPECIAL_PAGE),
    ).fetchone()
    if documents != sizes or unlisted:
        raise sqlite3.DatabaseError("its full-text table lacks documents")
