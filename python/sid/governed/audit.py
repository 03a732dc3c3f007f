"""The audit log: who asked what and what was shown, each entry chained to all before it.

An entry's hash is the SHA-256 of the hash before it and of the entry. Whoever can write to the file can write a whole
new chain; what shows that is a *head* kept elsewhere: give one that was noted earlier to `AuditLog.verify`.
"""

from __future__ import annotations

import hashlib
import hmac
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ..backends.sqlite_files import change_setting, settings
from .packing import packed, unpacked

if TYPE_CHECKING:
    from .store import GovernedStore

__all__ = ["ID_KEY", "AuditEntry", "AuditLog", "append"]

ID_KEY = "id_key"
"""The setting with the secret of the store that ids of reviews are made with; the chain begins with it."""

_COUNT, _HASH = "audit_entries", "audit_hash"


@dataclass(frozen=True)
class AuditEntry:
    """One thing that happened.

    Parameters
    ----------
    sequence
        Its number, from 1.
    at
        When, in UTC.
    kind
        ``"added"``, ``"status"``, ``"tickets"``, ``"asked"``, ``"opened"``, ``"checked"``, ``"damaged"``, or
        ``"review_filed"``, ``"review_claimed"``, ``"review_released"``, ``"review_resolved"``.
    data
        What it was, as JSON has it.
    hash
        That of the chain up to it, in hexadecimal.
    """

    sequence: int
    at: str
    kind: str
    data: dict[str, Any]
    hash: str

    @property
    def head(self) -> str:
        """What to keep elsewhere, as ``sequence:hash``."""
        return f"{self.sequence}:{self.hash}"


def append(connection: sqlite3.Connection, at: datetime, kind: str, data: dict[str, Any]) -> None:
    """Add an entry, in the transaction of what it tells of: there is neither without the other."""
    count, before = _noted_head(connection)
    sequence, time, raw = count + 1, at.isoformat(), packed(data)
    after = _chained(before, sequence, time, kind, raw)
    connection.execute("INSERT INTO audit VALUES (?, ?, ?, ?, ?)", (sequence, time, kind, raw, after))
    change_setting(connection, _COUNT, sequence)
    change_setting(connection, _HASH, after)


def _noted_head(connection: sqlite3.Connection) -> tuple[int, bytes]:
    found = settings(connection)
    return found.get(_COUNT, 0), found.get(_HASH) or hashlib.sha256(found[ID_KEY]).digest()


def _chained(before: bytes, sequence: int, at: str, kind: str, raw: bytes) -> bytes:
    return hashlib.sha256(before + packed([sequence, at, kind]) + raw).digest()


class AuditLog:
    """The log of a store.

    Parameters
    ----------
    store
        Whose.

    Examples
    --------
    >>> from sid.governed import GovernedStore
    >>> with GovernedStore() as store:
    ...     log = AuditLog(store)
    ...     log.verify(), list(log.entries()), log.head()
    ([], [], None)
    """

    def __init__(self, store: GovernedStore) -> None:
        self._store = store

    def entries(self, *, after: int = 0) -> Iterator[AuditEntry]:
        """Give the entries in order, those after a number.

        Raises
        ------
        UnusableStore
            If an entry cannot be read; `verify` tells what is wrong.
        """
        while True:
            with self._store.connections.reading() as connection:
                rows = connection.execute(
                    "SELECT sequence, at, kind, data, hash FROM audit WHERE sequence > ? ORDER BY sequence LIMIT 1000",
                    (after,),
                ).fetchall()
            for row in rows:
                try:
                    yield _entry(row)
                except (AttributeError, TypeError, ValueError):
                    raise self._store.connections.kind.error(
                        f"{self._store.connections.name} has a damaged audit log; see sid governed audit --verify"
                    ) from None
            if not rows:
                return
            after = rows[-1][0]

    def head(self) -> str | None:
        """Give what stands for all of the log so far, ``sequence:hash``: keep it where who writes here cannot write."""
        with self._store.connections.reading() as connection:
            row = connection.execute("SELECT sequence, hash FROM audit ORDER BY sequence DESC LIMIT 1").fetchone()
        return None if row is None else f"{row[0]}:{bytes(row[1]).hex()}"

    def verify(self, head: str | None = None) -> list[str]:
        """Check the log, and the whole store against it.

        Parameters
        ----------
        head
            One that was noted earlier: the log must still hold it.

        Returns
        -------
        list[str]
            What is wrong, a sentence each; nothing if all is as it was written.
        """
        from .verify import faults

        with self._store.connections.reading() as connection:
            # Text that is no UTF-8 is to be told of, not to end the check. No text that is checked holds a backslash.
            connection.text_factory = lambda raw: raw.decode(errors="backslashreplace")
            try:
                return [*self._chain_faults(connection, head), *faults(connection)]
            finally:
                connection.text_factory = str

    def _chain_faults(self, connection: sqlite3.Connection, head: str | None) -> Iterator[str]:
        found = settings(connection)
        key = found.get(ID_KEY)
        hash_now = hashlib.sha256(key if isinstance(key, bytes) else b"").digest()
        sequence, seen = 0, head is None
        for row in connection.execute("SELECT sequence, at, kind, data, hash FROM audit ORDER BY sequence"):
            sequence += 1
            if row[0] != sequence:
                yield f"audit entry {sequence} is missing"
                return
            try:
                _entry(row)
                hash_now = _chained(hash_now, *row[:4])
                sound = hmac.compare_digest(hash_now, row[4])
            except (AttributeError, TypeError, ValueError):
                sound = False
            if not sound:
                yield f"audit entry {sequence} is not as it was written"
                return
            seen = seen or f"{sequence}:{hash_now.hex()}" == head
        if found.get(_COUNT, 0) != sequence or (sequence and found.get(_HASH) != hash_now):
            yield f"the audit log ends with entry {sequence}, which is not where it was left"
        if not seen:
            yield f"the audit log does not hold the head {head!r:.100}"


def _entry(row: tuple[int, str, str, bytes, bytes]) -> AuditEntry:
    sequence, at, kind, raw, after = row
    return AuditEntry(sequence, at, kind, unpacked(raw), after.hex())
