"""A question about a ticket, answered from what its asker may see."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, TypeAlias

from ..tools import ToolError
from .answering import read_then_log
from .audit import append
from .gate import eligible
from .principal import Principal
from .ranking import passage, question_terms, rank, supported
from .results import Answer, Found, NoApplicableInstruction, Unavailable
from .review import file_review
from .standing import Damaged
from .tickets import TICKET_ID_FORM, Ticket, is_ticket_id, may_read, read_ticket

if TYPE_CHECKING:
    from .store import GovernedStore

__all__ = ["QUESTION_MAX", "AskPolicy", "InvalidArguments", "TicketReader", "ask", "check_arguments"]

QUESTION_MAX = 2_000
"""Characters of a question at most, in code points."""

_LOGGED_CHARACTERS = 200

TicketReader: TypeAlias = Callable[[Principal, str], Ticket | None]
"""Gives the authoritative ticket of an id, for a principal, or ``None`` if there is none. What it raises goes on."""


class InvalidArguments(ToolError):
    """Arguments that no ticket and no question can have. The message is for the model; it tells of nothing but them."""


@dataclass(frozen=True)
class AskPolicy:
    """How questions are answered.

    Parameters
    ----------
    passages
        How many versions are shown at most.
    passage_tokens
        How many tokens of each at most.
    coverage
        Which part of the question's terms a version must hold to support it, above 0 and at most 1.

    Raises
    ------
    TypeError, ValueError
        If one of them is none that can be.
    """

    passages: int = 3
    passage_tokens: int = 120
    coverage: float = 0.5

    def __post_init__(self) -> None:
        for number in (self.passages, self.passage_tokens):
            if not isinstance(number, int) or isinstance(number, bool):
                raise TypeError(f"passages and passage_tokens must be integers, got {self}")
        if self.passages < 1 or self.passage_tokens < 1 or not 0 < self.coverage <= 1:
            raise ValueError(
                f"passages and passage_tokens must be at least 1, coverage above 0 and at most 1; got {self}"
            )


def check_arguments(ticket_id: object, question: object) -> tuple[str, str]:
    """Give a ticket's id and a question if they have the form of such.

    Raises
    ------
    InvalidArguments
        If not.
    """
    if not isinstance(ticket_id, str) or not is_ticket_id(ticket_id):
        raise InvalidArguments(f"ticket_id must be {TICKET_ID_FORM}; got {_short(ticket_id):.80}")
    if not isinstance(question, str) or not question.strip() or len(question) > QUESTION_MAX:
        got = f"{len(question)} characters" if isinstance(question, str) else f"{_short(question):.80}"
        raise InvalidArguments(f"question must be a text of 1 to {QUESTION_MAX} characters, not blank; got {got}")
    return ticket_id, question


def log_invalid(store: GovernedStore, principal: Principal, ticket_id: object, question: object) -> None:
    """Note that somebody's call was none that can be answered."""
    said = {"ticket": _short(ticket_id), "question": _short(question), "outcome": "invalid_arguments"}
    with store.writing() as (connection, now):
        who = principal.logged()
        append(connection, now, "asked", {**who, **said})


def ask(
    store: GovernedStore, principal: Principal, ticket_id: object, question: object, tickets: TicketReader | None
) -> Answer:
    """Answer a question; see `GovernedStore.read_service_instruction`."""
    who = principal.logged()
    try:
        ticket_id, question = check_arguments(ticket_id, question)
    except InvalidArguments:
        log_invalid(store, principal, ticket_id, question)
        raise
    asked = {**who, "ticket": ticket_id, "question": question}
    theirs = None if tickets is None else tickets(principal, ticket_id)
    if theirs is not None and theirs.ticket_id != ticket_id:
        raise ValueError(f"the reader of tickets gave {theirs.ticket_id!r} for {ticket_id!r}")

    def read(connection: sqlite3.Connection) -> _Sought | str:
        try:
            ticket = read_ticket(connection, ticket_id) if tickets is None else theirs
        except Damaged as error:
            return f"damaged: {error.what}"
        if ticket is None:
            return "there is no such ticket"
        if not may_read(ticket, principal):
            return "the ticket is not for this principal"
        return _Sought(principal, question, ticket, store, connection)

    with read_then_log(store, read) as (connection, now, found):
        if isinstance(found, str):
            append(connection, now, "asked", {**asked, "outcome": "unavailable", "reason": found})
            return Unavailable()
        if found.answer is not None:
            shown = [str(one.locator) for one in found.answer.passages]
            append(connection, now, "asked", {**asked, **found.told, "outcome": "found", "shown": shown})
            return found.answer
        if found.damaged:
            append(connection, now, "damaged", {**who, "damaged": found.damaged})
        # Another scope is another qualification, and damage another task: each is an item of its own. The day is not
        # part of it, or a question would be a new item every day.
        reason = "damaged" if found.damaged else "nothing_supports_it"
        identity = {"kind": "no_applicable_instruction", **asked, "scope": found.scope, "reason": reason}
        review_id = file_review(connection, now, found.scope, identity, found.told)
        append(
            connection,
            now,
            "asked",
            {**asked, **found.told, "outcome": "no_applicable_instruction", "review": review_id},
        )
        return NoApplicableInstruction(review_id)


class _Sought:
    """What is found for a question about a ticket that its asker may read."""

    def __init__(
        self, principal: Principal, question: str, ticket: Ticket, store: GovernedStore, connection: sqlite3.Connection
    ) -> None:
        policy = store.policy
        self.scope = ticket.scope
        # No version is shown before its first day, whatever a ticket says.
        day: date = min(ticket.day, store.today())
        whole = eligible(connection, principal, ticket.scope, day)
        self.damaged = list(whole.damaged)
        terms = question_terms(question)
        ranked = rank(terms, whole.versions)
        best = supported(ranked, terms, policy.coverage)[: policy.passages]
        self.told: dict[str, Any] = {
            "scope": ticket.scope,
            "day": day.isoformat(),
            "eligible": len(ranked),
            "tokens": sum(one.length for one in ranked),
        }
        self.answer: Found | None = None
        # What is damaged may be what applies: a person has to look.
        if best and not self.damaged:
            self.answer = Found(tuple(passage(one.version, question, policy.passage_tokens) for one in best))


def _short(value: object) -> str:
    # Of a text, no more is written out than is kept; of anything else, what it is: it may be of any size.
    return ascii(value[:_LOGGED_CHARACTERS])[:_LOGGED_CHARACTERS] if isinstance(value, str) else type(value).__name__
