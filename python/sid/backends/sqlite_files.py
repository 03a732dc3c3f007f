"""SQLite files of the kinds that are ours: how one is made, and how one that is not ours, or damaged, is recognised."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .errors import UnusableIndex

if TYPE_CHECKING:
    from .sqlite_connections import SqliteConnections

__all__ = ["FileKind", "change_setting", "prepare", "settings"]

_MAGIC = b"SQLite format 3\0"

SETTINGS_TABLE = "CREATE TABLE setting(name TEXT PRIMARY KEY, value) WITHOUT ROWID"
"""Every kind has it: what is noted in the file about itself."""


@dataclass(frozen=True)
class FileKind:
    """A kind of file.

    Parameters
    ----------
    noun, a_noun
        What a file of it is called in messages, without and with an article.
    application_id, version
        What marks it, and the version of its tables.
    build, mend
        What to do where there is none, and where one cannot be used.
    create
        Makes the tables in an empty database, `SETTINGS_TABLE` among them, given the first settings.
    ours
        The condition on ``sqlite_master`` for what `create` defines itself.
    durable
        Whether what is committed must outlive a power cut, not only a killed process.
    error
        What is raised about a file.
    """

    noun: str
    a_noun: str
    application_id: int
    version: int
    build: str
    mend: str
    create: Callable[[sqlite3.Connection, Mapping[str, Any]], None]
    ours: str = "TRUE"
    durable: bool = False
    error: type[UnusableIndex] = UnusableIndex


def prepare(connections: SqliteConnections, first_settings: Mapping[str, Any], *, check: bool) -> None:
    """Make the tables in a new database; see to it that any other is of the kind and can be used.

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
    """
    _refuse_no_database(connections)
    # Nothing is written before it is known that the file is ours or new.
    with connections.reading() as connection:
        new = _is_new(connection, connections.kind)
        if not (new and connections.writable):
            _refuse_others(connection, connections)
            if check:
                _refuse_damaged(connection, connections)
            _refuse_other_tables(connection, connections)
    if connections.writable and connections.path is not None:
        with connections.sound(), connections.connection() as connection:
            connection.execute("PRAGMA journal_mode = WAL")
    if new and connections.writable:
        with connections.writing() as connection:
            if _is_new(connection, connections.kind):  # still: another process may have made it meanwhile
                _create(connection, connections.kind, first_settings)
            else:
                _refuse_others(connection, connections)


def settings(connection: sqlite3.Connection) -> dict[str, Any]:
    """Give what is noted in the file about itself."""
    return dict(connection.execute("SELECT name, value FROM setting"))


def change_setting(connection: sqlite3.Connection, name: str, value: object) -> None:
    """Note something in the file about itself."""
    connection.execute("INSERT OR REPLACE INTO setting VALUES (?, ?)", (name, value))


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    (value,) = connection.execute(f"PRAGMA {pragma}").fetchone()
    return int(value)


def _is_new(connection: sqlite3.Connection, kind: FileKind) -> bool:
    return _number(connection, "application_id") == 0 and not _definitions(connection, kind)


def _definitions(connection: sqlite3.Connection, kind: FileKind) -> set[tuple[str, str]]:
    """Give the name and the definition of everything that is ours to define."""
    found = connection.execute(
        f"SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND {kind.ours}"  # noqa: S608
    )
    return {(name, sql) for name, sql in found}


def _create(connection: sqlite3.Connection, kind: FileKind, first_settings: Mapping[str, Any]) -> None:
    kind.create(connection, first_settings)
    for name, value in first_settings.items():
        change_setting(connection, name, value)
    connection.execute(f"PRAGMA application_id = {kind.application_id}")
    connection.execute(f"PRAGMA user_version = {kind.version}")


def _refuse_no_database(connections: SqliteConnections) -> None:
    """Refuse a short file: SQLite would take it for an empty database, and write over it."""
    if connections.path is not None and connections.path.is_file():
        with open(connections.path, "rb") as file:
            start = file.read(len(_MAGIC))
        if start not in (b"", _MAGIC):
            raise connections.kind.error(f"{connections.name} is not a SQLite file; name another file")


def _refuse_others(connection: sqlite3.Connection, connections: SqliteConnections) -> None:
    kind, name = connections.kind, connections.name
    if _number(connection, "application_id") != kind.application_id:
        raise kind.error(f"{name} is a SQLite database of another program; name another file")
    version = _number(connection, "user_version")
    if version > kind.version:
        raise kind.error(
            f"{name} has format {version} of a newer sid-native, and this one reads format {kind.version}; "
            "upgrade sid-native"
        )
    if version < kind.version:
        raise kind.error(f"{name} has the old format {version}, not {kind.version}; {kind.mend}")


def _refuse_damaged(connection: sqlite3.Connection, connections: SqliteConnections) -> None:
    (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise connections.kind.error(f"{connections.name} is damaged ({found}); {connections.kind.mend}")


def _refuse_other_tables(connection: sqlite3.Connection, connections: SqliteConnections) -> None:
    kind = connections.kind
    found = _definitions(connection, kind)
    noted = settings(connection) if ("setting", SETTINGS_TABLE) in found else {}
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as pattern:
        kind.create(pattern, noted)
        expected = _definitions(pattern, kind)
    if found != expected:
        odd = sorted((table for table, _ in found ^ expected), key=repr)  # a damaged name may be bytes
        raise kind.error(f"{connections.name} is not as sid-native made it (see {odd[0]!r:.80}); {kind.mend}")
