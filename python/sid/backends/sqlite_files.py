"""SQLite files of the kinds that are ours: how one is made, and how one that is not ours, or damaged, is recognised."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import UnusableIndex

if TYPE_CHECKING:
    from .sqlite_connections import SqliteConnections

__all__ = ["FileKind", "change_setting", "prepare", "settings"]

_MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 100
_APPLICATION_ID, _ALWAYS_ZERO = slice(68, 72), slice(72, 92)
_LOG_HEADER_BYTES, _FRAME_HEADER_BYTES = 32, 24

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
    durable
        Whether what is committed must outlive a power cut, not only a killed process.
    private
        Whether a new file is for its owner alone, whatever the umask says.
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
    durable: bool = False
    private: bool = False
    error: type[UnusableIndex] = UnusableIndex


def prepare(
    connections: SqliteConnections,
    first_settings: Mapping[str, Any],
    *,
    check: bool,
    inspect: Callable[[sqlite3.Connection], object] | None = None,
) -> None:
    """Make the tables in a new database; see to it that any other is of the kind and can be used.

    Parameters
    ----------
    connections
        To the database.
    first_settings
        What to note in a new one.
    check
        Whether to look through all of the file for damage.
    inspect
        Looks at what is in one that has the tables of its kind, before anything is written; raises
        ``sqlite3.DatabaseError`` if that cannot be.

    Raises
    ------
    UnusableIndex
        If it is no database, another program's, of another version, or damaged.
    """
    _refuse_foreign_untouched(connections)
    # Nothing is written before it is known that the file is ours or new.
    with connections.reading() as connection:
        new = _is_new(connection, connections.kind)
        if not (new and connections.writable):
            _refuse_others(connection, connections)
            if check:
                _refuse_damaged(connection, connections)
            _refuse_other_tables(connection, connections)
            if inspect is not None:
                inspect(connection)
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
    """Give what is noted in the file about itself.

    Raises
    ------
    sqlite3.DatabaseError
        As SQLite does for a damaged file, if a name is no text.
    """
    found = dict(connection.execute("SELECT name, value FROM setting"))
    if odd := [name for name in found if not isinstance(name, str)]:
        raise sqlite3.DatabaseError(f"it has a setting named {odd[0]!r:.80}")
    return found


def change_setting(connection: sqlite3.Connection, name: str, value: object) -> None:
    """Note something in the file about itself."""
    connection.execute("INSERT OR REPLACE INTO setting VALUES (?, ?)", (name, value))


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    (value,) = connection.execute(f"PRAGMA {pragma}").fetchone()
    return int(value)


def _is_new(connection: sqlite3.Connection, kind: FileKind) -> bool:
    return _number(connection, "application_id") == 0 and not _definitions(connection)


def _definitions(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    """Give the name and the definition of everything that is defined, the tables of a full-text table's own too."""
    return {(name, sql) for name, sql in connection.execute("SELECT name, sql FROM sqlite_master WHERE sql NOT NULL")}


def _create(connection: sqlite3.Connection, kind: FileKind, first_settings: Mapping[str, Any]) -> None:
    kind.create(connection, first_settings)
    for name, value in first_settings.items():
        change_setting(connection, name, value)
    connection.execute(f"PRAGMA application_id = {kind.application_id}")
    connection.execute(f"PRAGMA user_version = {kind.version}")


def _refuse_foreign_untouched(connections: SqliteConnections) -> None:
    """Refuse what is no database or another program's before SQLite opens it.

    SQLite would take a short file for an empty database, and write over it. Where a log lies beside the file, it would
    bring the one into the other and remove it.
    """
    path, kind = connections.path, connections.kind
    if path is None or not os.path.isfile(path):
        return
    try:
        with open(path, "rb") as file:
            header = file.read(_HEADER_BYTES)
        logged = _logged_first_pages(path.with_name(f"{path.name}-wal"))
    except OSError as error:
        raise kind.error(f"{connections.name} cannot be read ({error.strerror}); see to its permissions") from None
    if header[: len(_MAGIC)] not in (b"", _MAGIC):
        raise kind.error(f"{connections.name} is not a SQLite file; name another file")
    if len(header) < _HEADER_BYTES:
        return
    if any(header[_ALWAYS_ZERO]):
        raise kind.error(f"{connections.name} is not {kind.a_noun}, or is damaged (its header); {kind.mend}")
    found = {page[_APPLICATION_ID] for page in (header, *logged)}
    if kind.application_id.to_bytes(4, "big") in found:
        return
    if found == {bytes(4)} and not logged and not _holds_tables(path):
        return  # new
    raise kind.error(f"{connections.name} is a SQLite database of another program; name another file")


def _logged_first_pages(log: Path) -> list[bytes]:
    """Give the headers of the database that its write-ahead log holds (https://sqlite.org/fileformat2.html#walformat)."""
    if not os.path.isfile(log):
        return []
    pages = []
    with open(log, "rb") as file:
        start = file.read(_LOG_HEADER_BYTES)
        if len(start) < _LOG_HEADER_BYTES:
            return []
        page_size, salts = int.from_bytes(start[8:12], "big"), start[16:24]
        while len(frame := file.read(_FRAME_HEADER_BYTES)) == _FRAME_HEADER_BYTES and frame[8:16] == salts:
            if int.from_bytes(frame[:4], "big") == 1:
                pages.append(file.read(_HEADER_BYTES))
                file.seek(page_size - len(pages[-1]), os.SEEK_CUR)
            else:
                file.seek(page_size, os.SEEK_CUR)
    return [page for page in pages if len(page) == _HEADER_BYTES]


def _holds_tables(path: Path) -> bool:
    """Say whether the file itself defines anything, without a look at a log or a lock."""
    try:
        with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            return _number(connection, "application_id") == 0 and bool(_definitions(connection))
    except sqlite3.DatabaseError:
        return False  # damaged: named when it is opened


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
    found = _definitions(connection)
    noted = settings(connection) if ("setting", SETTINGS_TABLE) in found else {}
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as pattern:
        kind.create(pattern, noted)
        expected = _definitions(pattern)
    if found != expected:
        odd = sorted((table for table, _ in found ^ expected), key=repr)  # a damaged name may be bytes
        raise kind.error(f"{connections.name} is not as sid-native made it (see {odd[0]!r:.80}); {kind.mend}")
