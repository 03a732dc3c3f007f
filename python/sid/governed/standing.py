"""What became of a version, read out of the store."""

from __future__ import annotations

import sqlite3
from datetime import date
from typing import cast

from .eligibility import Standing
from .locators import VersionKey
from .packing import readable
from .versions import STATUSES, Metadata, Status

__all__ = ["Damaged", "metadata_of", "standing_of", "status_of", "successors_of", "supersedes"]


class Damaged(Exception):
    """A version is not as it was written.

    Attributes
    ----------
    what : str
        Which, and what is wrong with it.
    """

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


def metadata_of(row: tuple[bytes, int, bytes, str]) -> Metadata:
    """Give the metadata of a row ``document, version, metadata, digest``.

    Raises
    ------
    Damaged
        If they are not those that were written.
    """
    document, version, raw, digest = row
    try:
        metadata = Metadata.from_packed(raw, digest)
        if (metadata.document_id.encode(), metadata.version) != (document, version):
            raise ValueError("they are of another version")
    except (TypeError, ValueError) as error:
        raise Damaged(f"metadata of {readable(document)}@{version}: {error}"[:500]) from None
    return metadata


def standing_of(connection: sqlite3.Connection, metadata: Metadata) -> Standing:
    """Give what became of a version.

    Raises
    ------
    Damaged
        If what decides that is not as it was written.
    """
    days = [
        successor.effective_from
        for successor in successors_of(connection, metadata.key)
        if supersedes(connection, successor)
    ]
    return Standing(status_of(connection, metadata), min(days, default=None))


def status_of(connection: sqlite3.Connection, metadata: Metadata) -> Status:
    """Give what a version's status is now.

    Raises
    ------
    Damaged
        If it is not as it was written.
    """
    return _history(connection, metadata)[-1][0]


def successors_of(connection: sqlite3.Connection, key: VersionKey) -> list[Metadata]:
    """Give the versions that say they supersede one, drafts too, by their keys.

    Raises
    ------
    Damaged
        If one of them is not as it was written.
    """
    rows = connection.execute(
        "SELECT successor.document, successor.version, successor.metadata, successor.digest FROM supersession "
        "JOIN version AS successor ON successor.number = supersession.successor "
        "WHERE supersession.document = ? AND supersession.version = ?",
        (key.document_id.encode(), key.version),
    )
    return sorted((metadata_of(row) for row in rows), key=lambda metadata: metadata.key)


def supersedes(connection: sqlite3.Connection, metadata: Metadata) -> bool:
    """Say whether a version stands, from its first day on, in the place of those it names: it is or ever was active.

    Withdrawing it gives nothing back, not even before its first day. That would bring an old text into force without
    anybody having said so, and beside another version perhaps.
    """
    return any(status == "active" for status, _ in _history(connection, metadata))


def _history(connection: sqlite3.Connection, metadata: Metadata) -> list[tuple[Status, date | None]]:
    """Give every status that a version had, with the day that it got it; the first it was written with."""
    history: list[tuple[Status, date | None]] = [(metadata.status, None)]
    for status, day in connection.execute(
        "SELECT status, day FROM status_change WHERE document = ? AND version = ? ORDER BY sequence",
        (metadata.document_id.encode(), metadata.version),
    ):
        try:
            if status not in STATUSES:
                raise ValueError(status)
            history.append((cast("Status", status), date.fromordinal(day)))
        except (OverflowError, TypeError, ValueError):
            raise Damaged(f"status of {metadata.key}") from None
    return history
