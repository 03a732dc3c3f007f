"""The tables of an index in SQLite, and how a file that is none of ours is recognised."""

from __future__ import annotations

import contextlib
import sqlite3
from typing import Any

from .errors import UnusableIndex
from .sqlite_connections import SqliteConnections

__all__ = ["change_setting", "prepare", "settings"]

APPLICATION_ID = 0x53494421
"""Marks the file as ours: "SID!"."""

_MAGIC = b"SQLite format 3\0"

FORMAT_VERSION = 1
"""Of the tables, and of the analysis that made the postings: to be raised when either changes."""

# Ids, texts and names are UTF-8 in blobs: a Python string may hold a lone surrogate, which SQLite's text may not.
_TABLES = (
    "CREATE TABLE setting(name TEXT PRIMARY KEY, value) WITHOUT ROWID",
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


def prepare(connections: SqliteConnections, first_settings: dict[str, Any], *, check: bool) -> None:
    """Make the tables in a new database; see to it that any other is an index that can be used.

    Parameters
    ----------
    connections
        To the database.
    first_settings
        What to note in a new one.
    check
        Whether to look through all of the file for damage.

    Raises
    ------
    UnusableIndex
        If it is no database, another program's, of another version, or damaged.
    ImportError
        If this Python's SQLite has no full-text search.
    """
    _refuse_no_database(connections)
    # Nothing is written before it is known that the file is ours or new.
    with connections.reading() as connection:
        new = _is_new(connection)
        if not (new and connections.writable):
            _refuse_others(connection, connections.name)
            if check:
                _refuse_damaged(connection, connections.name)
            _refuse_other_tables(connection, connections.name)
    if connections.writable and connections.path is not None:
        with connections.sound(), connections.connection() as connection:
            connection.execute("PRAGMA journal_mode = WAL")
    if new and connections.writable:
        with connections.writing() as connection:
            if _is_new(connection):  # still: another process may have made it meanwhile
                _create(connection, first_settings)
            else:
                _refuse_others(connection, connections.name)


def settings(connection: sqlite3.Connection) -> dict[str, Any]:
    """Give what is noted in the index about itself."""
    return dict(connection.execute("SELECT name, value FROM setting"))


def change_setting(connection: sqlite3.Connection, name: str, value: object) -> None:
    """Note something in the index about itself."""
    connection.execute("INSERT OR REPLACE INTO setting VALUES (?, ?)", (name, value))


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    (value,) = connection.execute(f"PRAGMA {pragma}").fetchone()
    return int(value)


def _is_new(connection: sqlite3.Connection) -> bool:
    return _number(connection, "application_id") == 0 and not _tables(connection)


def _tables(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    """Give the name and the definition of everything that is ours to define."""
    found = connection.execute(
        "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'posting\\_%' ESCAPE '\\'"
    )
    return {(name, sql) for name, sql in found}


def _create(connection: sqlite3.Connection, first_settings: dict[str, Any]) -> None:
    for statement in _TABLES:
        connection.execute(statement)
    stemmer = "porter ascii" if first_settings["language"] == "english" else "ascii"
    try:
        connection.execute(_POSTINGS.format(stemmer))
    except sqlite3.OperationalError as error:
        if "no such module" not in str(error):
            raise
        raise ImportError(f"this Python's SQLite has no full-text search FTS5 ({error}); use another Python") from None
    for name, value in first_settings.items():
        change_setting(connection, name, value)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {FORMAT_VERSION}")


def _refuse_no_database(connections: SqliteConnections) -> None:
    """Refuse a short file: SQLite would take it for an empty database, and write over it."""
    if connections.path is not None and connections.path.is_file():
        with open(connections.path, "rb") as file:
            start = file.read(len(_MAGIC))
        if start not in (b"", _MAGIC):
            raise UnusableIndex(f"{connections.name} is not a SQLite file; name another file")


def _refuse_others(connection: sqlite3.Connection, name: str) -> None:
    if _number(connection, "application_id") != APPLICATION_ID:
        raise UnusableIndex(f"{name} is a SQLite database of another program; name another file")
    version = _number(connection, "user_version")
    if version > FORMAT_VERSION:
        raise UnusableIndex(
            f"{name} has format {version} of a newer sid-native, and this one reads format {FORMAT_VERSION}; "
            "upgrade sid-native"
        )
    if version < FORMAT_VERSION:
        raise UnusableIndex(f"{name} has the old format {version}, not {FORMAT_VERSION}; build it again")


def _refuse_damaged(connection: sqlite3.Connection, name: str) -> None:
    (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise UnusableIndex(f"{name} is damaged ({found}); build it again")


def _refuse_other_tables(connection: sqlite3.Connection, name: str) -> None:
    found = _tables(connection)
    language = settings(connection).get("language") if any(table == "setting" for table, _ in found) else None
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as pattern:
        _create(pattern, {"language": language})
        expected = _tables(pattern)
    if found != expected:
        odd = sorted(table for table, _ in found ^ expected)
        raise UnusableIndex(f"{name} is not as sid-native made it (see {odd[0]!r:.80}); build it again")
