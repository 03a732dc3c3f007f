"""The whole store, checked against what its log says was written."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

from .packing import readable, sha256, unpacked
from .standing import Damaged, metadata_of
from .tickets import ticket_of
from .writing import in_force_rows, overlap

__all__ = ["faults"]


def faults(connection: sqlite3.Connection) -> Iterator[str]:
    """Give what is not as the log says, a sentence each. Whether the log is sound is checked elsewhere.

    Tables are read themselves, not their indexes; whether those agree with them is SQLite's to check.
    """
    # quick_check, which is made when a store is opened, does not compare indexes with tables.
    yield from (
        f"the file is damaged: {found}" for (found,) in connection.execute("PRAGMA integrity_check") if found != "ok"
    )
    yield from _type_faults(connection)
    logged = _Logged(connection)
    yield from _version_faults(connection, logged)
    yield from _ticket_faults(connection, logged)
    yield from _review_faults(connection, logged)


def _type_faults(connection: sqlite3.Connection) -> Iterator[str]:
    """Tell of values of another type than their column's: they look alike when read, and compare otherwise."""
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
    for (table,) in tables:
        columns = connection.execute('SELECT name, type, "notnull", pk FROM pragma_table_info(?)', (table,)).fetchall()
        for column, declared, required, key in columns:
            types = (
                ["integer", "blob"] if not declared else [declared.lower()]
            )  # the values of settings have no one type
            types += [] if required or key else ["null"]
            places = ", ".join("?" * len(types))
            (wrong,) = connection.execute(
                f"SELECT count(*) FROM {table} NOT INDEXED WHERE typeof({column}) NOT IN ({places})",  # noqa: S608
                types,
            ).fetchone()
            if wrong:
                yield f"the table {table} has {wrong} values of a wrong type in {column}"


class _Logged:
    """What the log says there is."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.versions: dict[str, str] = {}
        self.statuses: dict[str, list[list[Any]]] = {}
        self.tickets: dict[str, str] = {}
        self.reviews: dict[str, dict[str, Any]] = {}
        for at, kind, raw in connection.execute("SELECT at, kind, data FROM audit NOT INDEXED ORDER BY sequence"):
            try:
                self._take(at, kind, unpacked(raw))
            except (AttributeError, KeyError, TypeError, ValueError):
                continue  # not as it was written, which the chain tells

    def _take(self, at: str, kind: str, data: dict[str, Any]) -> None:
        if kind == "added":
            self.versions.update(data["versions"])
        elif kind == "status":
            changes = self.statuses.setdefault(data["version"], [])
            changes.append([len(changes) + 1, data["status"], data["day"]])
        elif kind == "tickets":
            self.tickets.update(data["tickets"])
        elif kind == "review_filed":
            filed = {name: data[name] for name in ("base", "qualification", "subject")}
            self.reviews[data["review"]] = {**filed, "filed_at": at, "state": "open", "claims": 0, **_UNCLAIMED}
        elif kind == "review_claimed":
            held = {"claims": data["claim"], "reviewer": data["reviewer"], "claimed_until": data["until"]}
            self.reviews[data["review"]] |= {"state": "claimed", **held}
        elif kind == "review_released":
            self.reviews[data["review"]] |= {"state": "open", **_UNCLAIMED}
        elif kind == "review_resolved":
            done = {"state": "resolved", "claimed_until": None, "resolution": data["resolution"]}
            self.reviews[data["review"]] |= done


_UNCLAIMED = {"reviewer": None, "claimed_until": None, "resolution": None}


def _version_faults(connection: sqlite3.Connection, logged: _Logged) -> Iterator[str]:
    missing = dict(logged.versions)
    derived = {"supersession": set(), "in_force": set()}  # type: dict[str, set[tuple[Any, ...]]]
    days: dict[str, list[tuple[int, int, int, bytes]]] = {}
    rows = connection.execute(
        "SELECT number, document, version, metadata, digest, text FROM version NOT INDEXED ORDER BY number"
    )
    for number, *row, text in rows:
        try:
            metadata = metadata_of((row[0], row[1], row[2], row[3]))
            written = missing.pop(str(metadata.key), None)
            if written != metadata.digest:
                yield f"version {metadata.key} is not the one that was added"
            if not isinstance(text, bytes) or sha256(text) != metadata.text_sha256:
                yield f"text of {metadata.key} is not as it was written"
            for key in metadata.supersedes:
                derived["supersession"].add((key.document_id.encode(), key.version, number))
            for place in in_force_rows(connection, metadata, number):
                derived["in_force"].add(place)
                organization, _, _, until, since, _ = place
                days.setdefault(metadata.document_id, []).append((since, until, metadata.version, organization))
        except Damaged as error:
            yield error.what
    yield from (f"version {key} is missing" for key in missing)
    yield from filter(None, (overlap(document_id, days[document_id]) for document_id in sorted(days)))
    yield from _status_faults(connection, logged)
    for table, expected in derived.items():
        if set(connection.execute(f"SELECT * FROM {table} NOT INDEXED")) != expected:  # noqa: S608
            yield f"the table {table} does not follow from the versions"


def _status_faults(connection: sqlite3.Connection, logged: _Logged) -> Iterator[str]:
    found: dict[str, list[list[Any]]] = {}
    rows = connection.execute(
        "SELECT document, version, sequence, status, day FROM status_change NOT INDEXED "
        "ORDER BY document, version, sequence"
    )
    for document, version, *change in rows:
        name = f"{readable(document)}@{version}"
        found.setdefault(name, []).append(change)
    for name in sorted(found.keys() | logged.statuses.keys()):
        if found.get(name) != logged.statuses.get(name):
            yield f"status of {name} is not as it was written"


def _ticket_faults(connection: sqlite3.Connection, logged: _Logged) -> Iterator[str]:
    missing = dict(logged.tickets)
    for row in connection.execute("SELECT id, record, digest FROM ticket NOT INDEXED ORDER BY id"):
        try:
            ticket = ticket_of(row)
            if missing.pop(ticket.ticket_id, None) != row[2]:
                yield f"ticket {ticket.ticket_id} is not the one that was written"
        except Damaged as error:
            yield error.what
    yield from (f"ticket {ticket_id} is missing" for ticket_id in missing)


def _review_faults(connection: sqlite3.Connection, logged: _Logged) -> Iterator[str]:
    missing = dict(logged.reviews)
    columns = (
        "base",
        "qualification",
        "subject",
        "filed_at",
        "state",
        "claims",
        "reviewer",
        "claimed_until",
        "resolution",
    )
    rows = connection.execute(f"SELECT id, {', '.join(columns)} FROM review NOT INDEXED ORDER BY number")  # noqa: S608
    for review_id, *row in rows:
        found = dict(zip(columns, row, strict=True))
        for name in ("qualification", "reviewer"):
            found[name] = _decoded(found[name])
        for name in ("subject", "resolution"):
            found[name] = sha256(found[name]) if isinstance(found[name], bytes) else found[name] and _WRONG
        if found != missing.pop(review_id, None):
            yield f"review {review_id} is not as it was written"
    yield from (f"review {review_id} is missing" for review_id in missing)


_WRONG = object()
"""Equal to nothing that is logged."""


def _decoded(value: object) -> object:
    """Give a name that is kept in a blob. What is no name equals nothing."""
    if value is None:
        return None
    try:
        return value.decode() if isinstance(value, bytes) else _WRONG
    except UnicodeDecodeError:
        return _WRONG
