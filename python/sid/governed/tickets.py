"""Tickets: what a question is about, as the application knows it."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date, datetime
from typing import Any

from .days import as_instant, day_of
from .names import checked_name, checked_names
from .packing import packed, readable, sha256, unpacked
from .principal import Principal
from .standing import Damaged

__all__ = ["TICKET_ID_FORM", "Ticket", "is_ticket_id", "may_read", "read_ticket", "ticket_of", "write_ticket"]

_TICKET_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)

TICKET_ID_FORM = "1 to 64 ASCII letters, digits, '.', '_' and '-', a letter or digit first"
"""What the id of a ticket must be, in words."""


def is_ticket_id(value: object) -> bool:
    """Say whether a value has the form of a ticket's id.

    Examples
    --------
    >>> is_ticket_id("T-1042"), is_ticket_id("T 1042")
    (True, False)
    """
    return isinstance(value, str) and _TICKET_ID.fullmatch(value) is not None


@dataclass(frozen=True, kw_only=True)
class Ticket:
    """An authoritative ticket.

    Parameters
    ----------
    ticket_id
        What names it: 1 to 64 ASCII letters, digits, ``.``, ``_`` and ``-``, a letter or digit first.
    organization_id
        Whose it is.
    scope
        What it is about, such as an equipment family: that of the versions that may answer a question about it.
    opened_at
        The instant whose day decides which versions apply; an aware ``datetime``, or ISO 8601 with an offset.
    required_entitlements
        All of these a principal needs to read it.

    Raises
    ------
    TypeError, ValueError
        If one of them is none that can be.

    Examples
    --------
    >>> ticket = Ticket(
    ...     ticket_id="T-1", organization_id="acme", scope="pumps", opened_at="2026-03-01T00:30+01:00"
    ... )
    >>> ticket.day
    datetime.date(2026, 2, 28)
    """

    ticket_id: str
    organization_id: str
    scope: str
    opened_at: datetime
    required_entitlements: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if not is_ticket_id(self.ticket_id):
            raise ValueError(f"ticket_id must be {TICKET_ID_FORM}; got {self.ticket_id!a:.80}")
        for name in ("organization_id", "scope"):
            checked_name(name, getattr(self, name))
        object.__setattr__(self, "opened_at", as_instant("opened_at", self.opened_at))
        required = checked_names("required_entitlements", self.required_entitlements)
        object.__setattr__(self, "required_entitlements", required)

    @property
    def day(self) -> date:
        """The day of UTC on which it was opened."""
        return day_of(self.opened_at)

    @classmethod
    def from_plain(cls, record: Mapping[str, Any]) -> Ticket:
        """Make it from a JSON object with its fields by name.

        Raises
        ------
        TypeError, ValueError
            If a field is missing, unknown or wrong.
        """
        known = [field.name for field in fields(cls)]
        for name in record:
            if name not in known:
                raise ValueError(f"unknown field {name!r:.80}; the fields are {', '.join(known)}")
        for name in known[:4]:
            if name not in record:
                raise ValueError(f"the field {name!r} is missing")
        return cls(**record)


def may_read(ticket: Ticket, principal: Principal) -> bool:
    """Say whether a principal may read a ticket: one of the same organization, with what it requires."""
    return (
        ticket.organization_id == principal.organization_id and ticket.required_entitlements <= principal.entitlements
    )


def write_ticket(connection: sqlite3.Connection, ticket: Ticket) -> str:
    """Write a ticket, in the place of one that it is another state of, and give its digest."""
    raw = packed(
        {
            "ticket_id": ticket.ticket_id,
            "organization_id": ticket.organization_id,
            "scope": ticket.scope,
            "opened_at": ticket.opened_at.isoformat(),
            "required_entitlements": sorted(ticket.required_entitlements),
        }
    )
    digest = sha256(raw)
    connection.execute("INSERT OR REPLACE INTO ticket VALUES (?, ?, ?)", (ticket.ticket_id.encode(), raw, digest))
    return digest


def read_ticket(connection: sqlite3.Connection, ticket_id: str) -> Ticket | None:
    """Give a ticket by its id, if there is one.

    Raises
    ------
    Damaged
        If it is not as it was written.
    """
    row = connection.execute("SELECT id, record, digest FROM ticket WHERE id = ?", (ticket_id.encode(),)).fetchone()
    return None if row is None else ticket_of(row)


def ticket_of(row: tuple[bytes, bytes, str]) -> Ticket:
    """Give the ticket of a row ``id, record, digest``.

    Raises
    ------
    Damaged
        If it is not as it was written.
    """
    key, raw, digest = row
    try:
        if sha256(raw) != digest:
            raise ValueError("its digest is another")
        ticket = Ticket.from_plain(unpacked(raw))
        if ticket.ticket_id.encode() != key:
            raise ValueError("it is another")
    except (TypeError, ValueError) as error:
        raise Damaged(f"ticket {readable(key)}: {error}"[:500]) from None
    return ticket
