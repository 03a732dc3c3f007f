"""Stores, versions and principals for the tests: short to write, and with nothing left to chance."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from sid.governed import DocumentVersion, GovernedStore, Principal, Ticket

NOW = datetime(2026, 6, 15, 12, 0, tzinfo=UTC)
KEY = bytes(range(32))

ADA = Principal("ada", "acme", frozenset({"hydraulics"}))
MALLORY = Principal("mallory", "globex")


class Clock:
    """A clock that stands until it is set."""

    def __init__(self, now: datetime = NOW) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


def version(document_id: str = "NS-1", number: int = 1, text: str = "Open valve A, then bleed the pump.", **more: Any):
    given = {
        "title": "Bleeding the pump",
        "scope": "pumps",
        "effective_from": date(2026, 1, 1),
        "audience": {"acme"},
        **more,
    }
    return DocumentVersion(document_id=document_id, version=number, text=text, **given)


def ticket(ticket_id: str = "T-1", **more: Any) -> Ticket:
    given = {"organization_id": "acme", "scope": "pumps", "opened_at": datetime(2026, 6, 10, 9, 0, tzinfo=UTC), **more}
    return Ticket(ticket_id=ticket_id, **given)


def store(
    path: Path | None = None, *versions: DocumentVersion, clock: Clock | None = None, **more: Any
) -> GovernedStore:
    made = GovernedStore(path, clock=clock or Clock(), id_key=KEY, **more)
    made.add(versions)
    made.put_tickets([ticket()])
    return made
