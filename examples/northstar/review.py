"""Northstar's review: twelve questions, answered by plain ranking and by the governed tool.

Plain ranking is BM25 over every version that there is, as a search index without rules has it. What it puts first is
then looked up: whether it was superseded on the ticket's day, and whether it is another customer's. The governed tool
is asked the same questions for the same operators.

    python examples/northstar/review.py [STORE]

With a path the store is kept there, for the commands of ``sid governed``.

Northstar, its customers and its instructions are made up.
"""

from __future__ import annotations

import shlex
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sid import _kernels
from sid.analysis import query_terms
from sid.governed import EVERYONE, DocumentVersion, Found, GovernedStore, Principal, Ticket

FOLDER = Path(__file__).parent
NOW = datetime(2026, 5, 15, 9, 0, tzinfo=UTC)
"""When the review takes place."""

TO_A_PERSON = "to a person"
"""What is expected where no instruction answers a question."""


@dataclass(frozen=True)
class Query:
    """A question of the review set."""

    ticket_id: str
    operator_id: str
    question: str
    expected: str


@dataclass(frozen=True)
class Row:
    """What came first for a question, by plain ranking and by the governed tool (nothing: it went to a person)."""

    query: Query
    plain: DocumentVersion
    plain_fault: str
    governed: DocumentVersion | None
    governed_fault: str


def read(name: str) -> dict[str, Any]:
    """Read one of the example's files."""
    return tomllib.loads((FOLDER / name).read_text(encoding="utf-8"))


def versions() -> Iterator[DocumentVersion]:
    """Give every instruction's versions."""
    for path in sorted((FOLDER / "instructions").glob("*.toml")):
        family = read(f"instructions/{path.name}")
        for record in family["version"]:
            yield DocumentVersion.from_plain({"scope": family["scope"], **record, "text": record["text"].strip()})


def tickets() -> list[Ticket]:
    """Give the tickets."""
    return [Ticket.from_plain(record) for record in read("tickets.toml")["ticket"]]


def queries() -> list[Query]:
    """Give the review set."""
    return [Query(**record) for record in read("queries.toml")["query"]]


def plain_first(question: str, corpus: Sequence[DocumentVersion]) -> DocumentVersion:
    """Give what BM25 over all versions puts first; of equals, the first in the corpus."""
    texts = [f"{version.title}\n{version.text}" for version in corpus]
    scores = [score for score, *_ in _kernels.bm25_scores(query_terms(question), texts, "english")]
    return corpus[scores.index(max(scores))]


def fault(version: DocumentVersion, ticket: Ticket, corpus: Sequence[DocumentVersion]) -> str:
    """Say what is wrong with showing a version for a ticket, if anything is; read off the corpus itself."""
    for other in corpus:
        if other.status == "active" and version.key in other.supersedes and other.effective_from <= ticket.day:
            return "superseded"
    if version.audience != EVERYONE and ticket.organization_id not in version.audience:
        return "another customer's"
    if version.status != "active" or version.effective_from > ticket.day:
        return "not in force"
    return ""


def review(path: str | None = None) -> list[Row]:
    """Ask every question both ways, of a store at a path or in memory."""
    corpus, of = list(versions()), {ticket.ticket_id: ticket for ticket in tickets()}
    by_key = {version.key: version for version in corpus}
    rows = []
    with GovernedStore(path, clock=lambda: NOW) as store:
        store.add(corpus, by="northstar")
        store.put_tickets(of.values(), by="northstar")
        for query in queries():
            ticket = of[query.ticket_id]
            plain = plain_first(query.question, corpus)
            principal = Principal(query.operator_id, ticket.organization_id)
            answer = store.read_service_instruction(principal, query.ticket_id, query.question)
            governed = by_key[answer.passages[0].locator.key] if isinstance(answer, Found) else None
            governed_fault = "" if governed is None else fault(governed, ticket, corpus)
            rows.append(Row(query, plain, fault(plain, ticket, corpus), governed, governed_fault))
    return rows


def outcome(row: Row) -> str:
    """Give what the governed tool came to, as the review set writes it."""
    return TO_A_PERSON if row.governed is None else str(row.governed.key)


def is_right(row: Row) -> bool:
    """Say whether the governed tool came to what is expected."""
    return outcome(row) == row.query.expected


def main(path: str | None = None) -> int:
    """Print the table; with a path, also how to go on with the store there."""
    rows = review(path)
    print(f"{'ticket':<8} {'plain ranking first':<20} {'':<19} {'governed first':<16} {'right':<6} question")
    for row in rows:
        print(
            f"{row.query.ticket_id:<8} {row.plain.key!s:<20} {row.plain_fault:<19} {outcome(row):<16} "
            f"{'yes' if is_right(row) else 'NO':<6} {row.query.question}"
        )
    print()
    for name in ("superseded", "another customer's"):
        plain = sum(row.plain_fault == name for row in rows)
        governed_count = sum(row.governed_fault == name for row in rows)
        print(f"{name + ' first':<27} plain {plain} of {len(rows)}, governed {governed_count}")
    answerable = [row for row in rows if row.query.expected != TO_A_PERSON]
    print(f"{'right version first':<27} governed {sum(map(is_right, answerable))} of {len(answerable)} answerable")
    others = [row for row in rows if row.query.expected == TO_A_PERSON]
    print(f"{'rightly to a person':<27} governed {sum(map(is_right, others))} of {len(others)}")
    if path is not None:
        print("\nThe store is kept. Go on, for instance, with:")
        first, organizations = rows[0].query, {ticket.ticket_id: ticket.organization_id for ticket in tickets()}
        asker = f"--operator {first.operator_id} --organization {organizations[first.ticket_id]}"
        print(shlex.join(["sid", "governed", "ask", path, first.ticket_id, first.question]), asker)
        for rest in (["audit", path], ["review", path, "list"]):
            print(shlex.join(["sid", "governed", *rest]))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
