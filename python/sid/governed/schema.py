"""The tables of a store of governed documents."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

from ..backends.sqlite_files import SETTINGS_TABLE, FileKind
from .errors import UnusableStore

__all__ = ["STORE"]

# Row numbers lead from table to table and never leave the file: they would tell how many rows there are.
_TABLES = (
    SETTINGS_TABLE,
    # Authority: what was written, for ever. Ids are UTF-8 in blobs, compared byte by byte. No digest guards what became
    # of a version, in status_change and in supersession: that those are wrong only `AuditLog.verify` finds.
    "CREATE TABLE version(number INTEGER PRIMARY KEY, document BLOB NOT NULL, version INTEGER NOT NULL, "
    "metadata BLOB NOT NULL, digest TEXT NOT NULL, text BLOB NOT NULL, UNIQUE(document, version))",
    "CREATE TABLE status_change(document BLOB, version INTEGER, sequence INTEGER, status TEXT NOT NULL, "
    "day INTEGER NOT NULL, PRIMARY KEY(document, version, sequence)) WITHOUT ROWID",
    "CREATE TABLE ticket(id BLOB PRIMARY KEY, record BLOB NOT NULL, digest TEXT NOT NULL) WITHOUT ROWID",
    # Derived from the metadata. Rows of in_force cannot make anything eligible, as the gate decides by the metadata;
    # rows of supersession that are missing can. Days are proleptic ordinals.
    "CREATE TABLE supersession(document BLOB, version INTEGER, successor INTEGER, "
    "PRIMARY KEY(document, version, successor)) WITHOUT ROWID",
    # Who may see a version comes first, the packed entitlements too, so that no other's is looked at.
    "CREATE TABLE in_force(organization BLOB, scope BLOB, required BLOB, until INTEGER, since INTEGER, number INTEGER, "
    "PRIMARY KEY(organization, scope, required, until, since, number)) WITHOUT ROWID",
    "CREATE INDEX in_force_of ON in_force(number)",
    "CREATE TABLE review(number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, base TEXT NOT NULL, "
    "qualification BLOB NOT NULL, subject BLOB NOT NULL, filed_at TEXT NOT NULL, state TEXT NOT NULL, "
    "claims INTEGER NOT NULL, reviewer BLOB, claimed_until TEXT, resolution BLOB)",
    "CREATE INDEX review_waiting ON review(qualification, state, number)",
    "CREATE INDEX review_base ON review(base)",
    "CREATE TABLE audit(sequence INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, data BLOB NOT NULL, "
    "hash BLOB NOT NULL)",
)

_APPEND_ONLY = {
    "version": "number = NEW.number OR (document = NEW.document AND version = NEW.version)",
    "status_change": "document = NEW.document AND version = NEW.version AND sequence = NEW.sequence",
    "audit": "sequence = NEW.sequence",
}
"""Tables that only grow, and the condition for a row that stands in a new one's place already."""


def _create(connection: sqlite3.Connection, _: Mapping[str, Any]) -> None:
    for statement in _TABLES:
        connection.execute(statement)
    for table, stands_there in _APPEND_ONLY.items():
        # INSERT OR REPLACE deletes what stands there without a word to the trigger for DELETE.
        connection.execute(
            f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} "  # noqa: S608
            f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {stands_there}) "
            f"BEGIN SELECT RAISE(ABORT, '{table} only grows'); END"
        )
        for change in ("UPDATE", "DELETE"):
            connection.execute(
                f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} only grows'); END"
            )


STORE = FileKind(
    noun="governed store",
    a_noun="a governed store",
    application_id=0x53494447,  # "SIDG"
    version=1,
    build="make it with sid governed load",
    mend="restore it from a copy",
    create=_create,
    durable=True,
    private=True,  # it holds the secret that ids of reviews are made with
    error=UnusableStore,
)
