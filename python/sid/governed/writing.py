"""Versions written into a store, and what authority says about them kept free of contradictions."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from graphlib import CycleError, TopologicalSorter

from .eligibility import days_in_force
from .errors import Refused
from .gate import EVERYONE_KEY
from .locators import VersionKey
from .packing import packed
from .standing import metadata_of, standing_of, status_of
from .versions import DocumentVersion, Metadata, Status

__all__ = ["FOREVER", "change_status", "in_force_rows", "overlap", "write"]

FOREVER = date.max.toordinal() + 1
"""The day that never comes, as an ordinal."""


def write(connection: sqlite3.Connection, versions: Sequence[DocumentVersion]) -> list[Metadata]:
    """Write versions that are not there yet, and give their metadata.

    Raises
    ------
    Refused
        If they contradict each other or what is there; the caller's transaction must end without them.
    """
    new = _new(connection, versions)
    _refuse_bad_supersession(connection, new)
    for version in new.values():
        cursor = connection.execute(
            "INSERT INTO version(document, version, metadata, digest, text) VALUES (?, ?, ?, ?, ?)",
            (
                version.document_id.encode(),
                version.version,
                version.metadata.packed,
                version.digest,
                version.text.encode(),
            ),
        )
        connection.executemany(
            "INSERT INTO supersession VALUES (?, ?, ?)",
            ((key.document_id.encode(), key.version, cursor.lastrowid) for key in version.supersedes),
        )
    written = [version.metadata for version in new.values()]
    _settle(connection, written)
    return written


def change_status(connection: sqlite3.Connection, key: VersionKey, status: Status, day: date) -> bool:
    """Change what a version's status is: a draft's to any other, an active one's to withdrawn. Say whether it changed.

    ``day`` is that of the change. To withdraw gives nothing back, so that it is never refused.

    Raises
    ------
    Refused
        If there is no such version, its status cannot change like that, or it would be in force beside another.
    """
    metadata = _metadata(connection, key)
    if metadata is None:
        raise Refused(f"there is no version {key}")
    before = status_of(connection, metadata)
    if status == before:
        return False
    if (before, status) not in (("draft", "active"), ("draft", "withdrawn"), ("active", "withdrawn")):
        raise Refused(f"the status of {key} is {before} and cannot become {status}; write a new version")
    row = (key.document_id.encode(), key.version)
    (changes,) = connection.execute(
        "SELECT count(*) FROM status_change WHERE document = ? AND version = ?", row
    ).fetchone()
    connection.execute("INSERT INTO status_change VALUES (?, ?, ?, ?, ?)", (*row, changes + 1, status, day.toordinal()))
    _settle(connection, [metadata])
    return True


def _new(connection: sqlite3.Connection, versions: Iterable[DocumentVersion]) -> dict[VersionKey, DocumentVersion]:
    """Give those that are not there yet, by their keys."""
    new: dict[VersionKey, DocumentVersion] = {}
    for version in versions:
        kept = connection.execute(
            "SELECT digest FROM version WHERE document = ? AND version = ?",
            (version.document_id.encode(), version.version),
        ).fetchone()
        there = kept[0] if kept is not None else new[version.key].digest if version.key in new else None
        if there is None:
            new[version.key] = version
        elif there != version.digest:
            raise Refused(f"{version.key} is there already and is another; a version never changes, write a new one")
    return new


def _refuse_bad_supersession(connection: sqlite3.Connection, new: Mapping[VersionKey, DocumentVersion]) -> None:
    for version in new.values():
        for key in version.supersedes:
            if key not in new and _metadata(connection, key) is None:
                raise Refused(f"{version.key} supersedes {key}, which is not there")
    # What is there already names nothing that is new.
    try:
        TopologicalSorter({key: version.supersedes for key, version in new.items()}).prepare()
    except CycleError as error:
        raise Refused(f"versions supersede each other in a circle: {' → '.join(map(str, error.args[1]))}") from None


def _settle(connection: sqlite3.Connection, changed: Iterable[Metadata]) -> None:
    """Derive anew what is in force of the changed versions and those they supersede, and refuse what overlaps."""
    touched: dict[VersionKey, Metadata] = {}
    for metadata in changed:
        touched[metadata.key] = metadata
        for key in metadata.supersedes:
            if key not in touched and (superseded := _metadata(connection, key)) is not None:
                touched[key] = superseded
    for metadata in touched.values():
        (number,) = connection.execute(
            "SELECT number FROM version WHERE document = ? AND version = ?",
            (metadata.document_id.encode(), metadata.version),
        ).fetchone()
        connection.execute("DELETE FROM in_force WHERE number = ?", (number,))
        connection.executemany(
            "INSERT INTO in_force VALUES (?, ?, ?, ?, ?, ?)", in_force_rows(connection, metadata, number)
        )
    for document_id in dict.fromkeys(metadata.document_id for metadata in touched.values()):
        _refuse_overlap(connection, document_id)


def in_force_rows(
    connection: sqlite3.Connection, metadata: Metadata, number: int
) -> list[tuple[bytes, bytes, bytes, int, int, int]]:
    """Give the rows that say where and when a version is in force: one an organization."""
    days = days_in_force(metadata, standing_of(connection, metadata))
    if days is None:
        return []
    since, until = days[0].toordinal(), FOREVER if days[1] is None else days[1].toordinal()
    audience = metadata.audience
    keys = [name.encode() for name in sorted(audience)] if isinstance(audience, frozenset) else [EVERYONE_KEY]
    required = packed(sorted(metadata.required_entitlements))
    return [(key, metadata.scope.encode(), required, until, since, number) for key in keys]


def _refuse_overlap(connection: sqlite3.Connection, document_id: str) -> None:
    rows = connection.execute(
        "SELECT DISTINCT in_force.since, in_force.until, version.version, in_force.organization FROM version "
        "JOIN in_force ON in_force.number = version.number WHERE version.document = ?",
        (document_id.encode(),),
    )
    if said := overlap(document_id, rows):
        raise Refused(f"{said}: let the later supersede the earlier, or end that before")


def overlap(document_id: str, rows: Iterable[tuple[int, int, int, bytes]]) -> str | None:
    """Say which two versions of a document would be in force on one day for one organization, if any would.

    The rows are ``since, until, version, organization``.
    """
    # Of each organization, the version last begun and the day it ends: as none overlapped so far, no other can.
    last: dict[bytes, tuple[int, int]] = {}
    for since, until, version, organization in sorted(rows):
        everyone = organization == EVERYONE_KEY
        for audience, (other, ends) in last.items():
            if other != version and since < ends and (everyone or audience in (EVERYONE_KEY, organization)):
                shared = organization if audience == EVERYONE_KEY else audience
                return (
                    f"{VersionKey(document_id, version)} and {VersionKey(document_id, other)} would both be in force "
                    f"on {date.fromordinal(since)} for {_named(shared)}"
                )
        last[organization] = (version, until)
    return None


def _named(organization: bytes) -> str:
    return "everyone" if organization == EVERYONE_KEY else organization.decode()


def _metadata(connection: sqlite3.Connection, key: VersionKey) -> Metadata | None:
    row = connection.execute(
        "SELECT document, version, metadata, digest FROM version WHERE document = ? AND version = ?",
        (key.document_id.encode(), key.version),
    ).fetchone()
    return None if row is None else metadata_of(row)
