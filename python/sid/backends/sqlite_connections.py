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
        self.path = None if path is None else Path(path).absolute()
        self.name = f"the {kind.noun} in memory" if path is None else f"{os.fspath(path)!r}"
        self.writable = writable or path is None
        self._lock = threading.RLock()
        self._writer = threading.Lock()
        self._idle: list[sqlite3.Connection] = []
        self._abandoned: list[sqlite3.Connection] = []
        self._process = os.getpid()
        self._closed = False
        if self.path is not None and not self.writable and not self.path.is_file():
            raise kind.error(f"there is no {kind.noun} {self.name}; {kind.build}")
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
        """Turn SQLite's complaint about a damaged file into `UnusableIndex`."""
        try:
            yield
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            # The subclasses are about what was asked; the class itself is about the file. So is what is no UTF-8, in a
            # value or in SQLite's own message.
            about_asked = type(error) not in (sqlite3.DatabaseError, UnicodeDecodeError)
            if about_asked and not str(error).startswith("Could not decode to UTF-8"):
                raise
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
            raise self.kind.error(f"{self.name} cannot be opened: {error}") from None
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            if self.writable:
                # NORMAL is all that a WAL needs to survive a killed process.
                connection.execute(f"PRAGMA synchronous = {'FULL' if self.kind.durable else 'NORMAL'}")
        except BaseException:
            connection.close()
            raise
        return connection
