"""The gate: every text that anybody is shown comes through here, after the rule has let its metadata pass.

What decides is the rule of `sid.governed.eligibility`, applied to metadata whose digest is checked first; a text is
read only then, and its digest checked too. The table ``in_force`` only narrows down what is looked at. ``supersession``
and ``status_change`` say what became of a version, and are believed: that they are wrong only `AuditLog.verify` finds.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from .eligibility import in_audience, is_eligible, is_in_force, is_meant_for, may_open
from .locators import VersionKey
from .packing import sha256, unpacked
from .principal import Principal
from .standing import Damaged, metadata_of, standing_of, status_of, successors_of, supersedes
from .versions import Metadata

__all__ = ["EVERYONE_KEY", "Admitted", "Eligible", "Openable", "admit", "eligible"]

EVERYONE_KEY = b""
"""Stands for every organization in the table of what is in force; no organization's id is empty."""

_CANDIDATES = (
    "SELECT version.number, version.document, version.version, version.metadata, version.digest FROM in_force "
    "JOIN version ON version.number = in_force.number "
    "WHERE in_force.organization = ? AND in_force.scope = ? AND in_force.required = ? "
    "AND in_force.until > ? AND in_force.since <= ?"
)

# Each distinct value by one look into the key, however many rows have it.
_REQUIRED = (
    "WITH RECURSIVE found(required) AS ("
    "SELECT min(required) FROM in_force WHERE organization = :organization AND scope = :scope UNION ALL "
    "SELECT (SELECT min(required) FROM in_force "
    "WHERE organization = :organization AND scope = :scope AND required > found.required) FROM found "
    "WHERE found.required IS NOT NULL) SELECT required FROM found WHERE required IS NOT NULL"
)


@dataclass(frozen=True)
class Admitted:
    """A version that the principal may be shown, with its text."""

    metadata: Metadata
    text: str

    @property
    def key(self) -> VersionKey:
        """What names it."""
        return self.metadata.key


@dataclass(frozen=True)
class Eligible:
    """The eligible set of a question, ordered by what names its versions.

    ``damaged`` tells of those that would belong to it, perhaps, but are not as they were written.
    """

    versions: tuple[Admitted, ...]
    damaged: tuple[str, ...]


def eligible(connection: sqlite3.Connection, principal: Principal, scope: str, day: date) -> Eligible:
    """Give all that a principal's question, asked in a scope and about a day, may be answered from."""
    versions, damaged = [], []
    when = day.toordinal()
    for place in _places(connection, principal, scope):
        for number, *row in connection.execute(_CANDIDATES, (*place, when, when)).fetchall():
            try:
                metadata = metadata_of((row[0], row[1], row[2], row[3]))
                # What is damaged about versions that are not theirs must change nothing of the asker's.
                if not is_meant_for(metadata, principal, scope):
                    continue
                if is_eligible(metadata, standing_of(connection, metadata), principal, scope, day):
                    versions.append(Admitted(metadata, _text(connection, number, metadata)))
            except Damaged as error:
                damaged.append(error.what)
    return Eligible(tuple(sorted(versions, key=lambda one: one.key)), tuple(sorted(damaged)))


def _places(connection: sqlite3.Connection, principal: Principal, scope: str) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Give organization, scope and required entitlements of what the principal may see, as the table has them."""
    for organization in (EVERYONE_KEY, principal.organization_id.encode()):
        place = {"organization": organization, "scope": scope.encode()}
        for (required,) in connection.execute(_REQUIRED, place).fetchall():
            try:
                mine = principal.entitlements.issuperset(unpacked(required))
            except (TypeError, ValueError):
                continue  # nobody's; `verify` tells of it
            if mine:
                yield organization, scope.encode(), required


@dataclass(frozen=True)
class Openable:
    """A version that the principal may open: whether it is in force, and which of those in its place open too.

    Those are all that supersede it by now, directly or through others, seen or not.
    """

    admitted: Admitted
    is_current: bool
    superseded_by_visible: tuple[VersionKey, ...]


def admit(connection: sqlite3.Connection, principal: Principal, key: VersionKey, day: date) -> Openable | None:
    """Give a version by its key if a principal may open it on a day.

    Raises
    ------
    Damaged
        If it is not as it was written.
    """
    row = connection.execute(
        "SELECT number, document, version, metadata, digest FROM version WHERE document = ? AND version = ?",
        (key.document_id.encode(), key.version),
    ).fetchone()
    if row is None:
        return None
    metadata = metadata_of(row[1:])
    # What is damaged about versions that are not theirs must change nothing of the asker's.
    if not in_audience(metadata, principal):
        return None
    if not may_open(metadata, status_of(connection, metadata), principal, day):
        return None
    standing = standing_of(connection, metadata)
    visible = tuple(_visible_successors(connection, principal, key, day))
    admitted = Admitted(metadata, _text(connection, row[0], metadata))
    return Openable(admitted, is_in_force(metadata, standing, day), visible)


def _visible_successors(
    connection: sqlite3.Connection, principal: Principal, key: VersionKey, day: date
) -> list[VersionKey]:
    found: dict[VersionKey, bool] = {}
    waiting = [key]
    while waiting:
        try:
            successors = successors_of(connection, waiting.pop())
        except Damaged:
            # Those of the version itself decide whether it is in force, and were read before. Of those further on
            # none is named: who they are for is not known.
            continue
        for successor in successors:
            try:
                if successor.key in found or successor.effective_from > day or not supersedes(connection, successor):
                    continue
                found[successor.key] = may_open(successor, status_of(connection, successor), principal, day)
            except Damaged:
                continue
            waiting.append(successor.key)
    return sorted(key for key, visible in found.items() if visible)


def _text(connection: sqlite3.Connection, number: int, metadata: Metadata) -> str:
    """Read the text of a version that the rule has let pass."""
    (raw,) = connection.execute("SELECT text FROM version WHERE number = ?", (number,)).fetchone()
    if not isinstance(raw, bytes) or sha256(raw) != metadata.text_sha256:
        raise Damaged(f"text of {metadata.key}")
    return raw.decode()
