"""Connections to one SQLite database for many threads: readers that go on while one writer writes."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

from .sqlite_files import FileKind

__all__ = ["SqliteConnections"]

BUSY_SECONDS = 60.0
"""How long a writer waits for one of another process."""


_OUTSIDE = {
    sqlite3.SQLITE_BUSY: "is being written to by another process; try again when that has ended",
    sqlite3.SQLITE_LOCKED: "is being written to; try again when that has ended",
    sqlite3.SQLITE_PERM: "may not be used; see to the permissions of the file and its folder",
    sqlite3.SQLITE_READONLY: "cannot be written to; make the file and its folder writable",
    sqlite3.SQLITE_IOERR: "cannot be read or written; see to its disk, and try again",
    sqlite3.SQLITE_FULL: "cannot grow; make room on its disk, and try again",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened; see to the permissions of the file and its folder",
    sqlite3.SQLITE_INTERRUPT: "was interrupted; try again",
    sqlite3.SQLITE_NOMEM: "needs more memory than there is; make room, and try again",
}
"""What is wrong around a file rather than in it, by SQLite's error code, and what to do."""


class SqliteConnections:
    """The connections to a database.

    Parameters
    ----------
    path
        Where it is; ``None`` is in memory.
    kind
        What kind of file it is.
    writable
        Whether it may be written to, and made if it is not there.

    Notes
    -----
    Each use takes a connection that no other thread uses meanwhile. In memory there is one, used in turn.
    """

    def __init__(self, path: str | os.PathLike[str] | None, kind: FileKind, *, writable: bool) -> None:
        self.kind = kind
        self.name = f"the {kind.noun} in memory" if path is None else f"{os.fspath(path)!r}"
        if path is not None and "\0" in str(path):
            raise kind.error(f"{self.name} cannot be a file: it holds a NUL character; name another file")
        # SQLite's own files lie beside what a link leads to.
        self.path = None if path is None else Path(os.path.realpath(path))
        self.writable = writable or path is None
        self._lock = threading.RLock()
        self._writer = threading.Lock()
        self._idle: list[sqlite3.Connection] = []
        self._abandoned: list[sqlite3.Connection] = []
        self._process = os.getpid()
        self._closed = False
        if self.path is not None and not self.writable and not os.path.isfile(self.path):
            raise kind.error(f"there is no {kind.noun} {self.name}; {kind.build}")
        self._leaves_nothing = not self.writable and not any(map(os.path.exists, self._beside()))
        if self.path is None:
            self._idle.append(self._connect())

    @contextlib.contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """Give a connection, outside of any transaction."""
        if self.path is None:
            with self._lock:
                self._require_open()
                yield self._idle[0]
            return
        connection = self._taken()
        try:
            yield connection
        finally:
            with self._lock:
                if self._closed:
                    connection.close()
                    self._tidy()
                else:
                    self._idle.append(connection)

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Give a connection that sees one state of the database throughout."""
        with self.sound(), self.connection() as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.rollback()

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Give a connection whose changes are made all together when the block ends, or not at all if it raises.

        Raises
        ------
        UnusableIndex
            If the database was opened for reading only.
        """
        if not self.writable:
            raise self.kind.error(f"{self.name} was opened for reading only")
        with self._writer, self.sound(), self.connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.commit()
            except BaseException:
                connection.rollback()
                raise

    @contextlib.contextmanager
    def sound(self) -> Iterator[None]:
        """Turn SQLite's complaint about a file, or its surroundings, into `UnusableIndex`."""
        try:
            yield
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            # The class itself is about the file, as is what is no UTF-8, in a value or in SQLite's own message;
            # operational errors are about it or its surroundings; the other subclasses, and a statement that is too
            # large, are about what was asked.
            about_file = type(error) in (sqlite3.DatabaseError, sqlite3.OperationalError, UnicodeDecodeError)
            if not about_file or "too many" in str(error):
                raise
            outside = _OUTSIDE.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)  # the low byte: the kind of error
            if outside is not None:
                raise self.kind.error(f"{self.name} {outside} ({error})") from error
            raise self.kind.error(
                f"{self.name} is not {self.kind.a_noun}, or is damaged ({error}); {self.kind.mend}"
            ) from error

    def close(self) -> None:
        """Close every connection, one that is in use when its use ends."""
        with self._lock:
            self._closed = True
            if self._process == os.getpid():
                for connection in self._idle:
                    connection.close()
                self._idle.clear()
                self._tidy()

    def _beside(self) -> list[Path]:
        """Give the files that SQLite makes beside a database: the log, and what its readers and its writer share."""
        return (
            [] if self.path is None else [self.path.with_name(self.path.name + suffix) for suffix in ("-wal", "-shm")]
        )

    def _tidy(self) -> None:
        """Remove what a reader made beside the file and cannot remove: the last connection that may write does."""
        if self.path is not None and self._leaves_nothing and any(map(os.path.exists, self._beside())):
            with contextlib.suppress(sqlite3.Error):
                target = f"{self.path.as_uri()}?mode=rw"
                with contextlib.closing(sqlite3.connect(target, uri=True, timeout=0)) as connection:
                    connection.execute("SELECT 1 FROM sqlite_master").fetchone()

    def _require_open(self) -> None:
        if self._closed:
            raise ValueError(f"{self.name} is closed")

    def _taken(self) -> sqlite3.Connection:
        with self._lock:
            self._require_open()
            if self._process != os.getpid():
                # SQLite's connections must neither be used in a forked process nor be closed there.
                self._abandoned += self._idle
                self._idle.clear()
                self._process = os.getpid()
            if self._idle:
                return self._idle.pop()
        return self._connect()

    def _connect(self) -> sqlite3.Connection:
        if self.path is None:
            return self._opened(":memory:")
        if self.writable:
            if self.kind.private:
                # An empty file is an empty database. What SQLite makes beside it has its mode.
                with contextlib.suppress(OSError):  # it is there, or cannot be made, as will be told
                    os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            return self._opened(f"{self.path.as_uri()}?mode=rwc")
        connection = self._opened(f"{self.path.as_uri()}?mode=ro")
        try:
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:
            # In a folder that cannot be written to there is no place for the files through which readers and a
            # writer agree. Where no writer has left anything, none are needed.
            connection.close()
            log = self.path.with_name(f"{self.path.name}-wal")
            if log.exists() and log.stat().st_size:
                raise self.kind.error(f"{self.name} is being written to, or its folder must be writable") from None
            return self._opened(f"{self.path.as_uri()}?mode=ro&immutable=1")
        except (sqlite3.DatabaseError, UnicodeDecodeError):
            pass  # no database: whoever uses the connection will be told
        return connection

    def _opened(self, target: str) -> sqlite3.Connection:
        try:
            # One thread at a time uses it, though not always the same one.
            connection = sqlite3.connect(
                target, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
        except sqlite3.OperationalError as error:
            raise self.kind.error(f"{self.name} cannot be opened: {error}; see to its folder and permissions") from None
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            if self.writable:
                # NORMAL is all that a WAL needs to survive a killed process.
                connection.execute(f"PRAGMA synchronous = {'FULL' if self.kind.durable else 'NORMAL'}")
        except BaseException:
            connection.close()
            raise
        return connection
