"""The review of the example: what plain ranking puts first, and what the governed tool does."""

from __future__ import annotations

import importlib.util
import math
import re
import shlex
import sys
from collections import Counter
from pathlib import Path

import pytest

from sid.analysis import kept_terms, query_terms
from sid.cli import main
from sid.governed import EVERYONE, GovernedStore, Principal, Unavailable

FOLDER = Path(__file__).parents[2] / "examples" / "northstar"


@pytest.fixture(scope="module")
def northstar():
    spec = importlib.util.spec_from_file_location("northstar_review", FOLDER / "review.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_the_corpus(northstar) -> None:
    corpus = list(northstar.versions())
    assert len(corpus) >= 60
    assert len({version.scope for version in corpus}) == 5
    assert len({name for version in corpus if version.audience != EVERYONE for name in version.audience}) == 4
    assert {version.status for version in corpus} == {"active", "draft", "withdrawn"}
    assert any(version.effective_from > northstar.NOW.date() for version in corpus)
    assert any(version.required_entitlements for version in corpus)
    superseded = {key for version in corpus for key in version.supersedes}
    assert any(version.key in superseded and version.supersedes for version in corpus), "a chain"
    assert len(northstar.queries()) == 12


def test_the_review(northstar) -> None:
    rows = northstar.review()
    faults = Counter(row.plain_fault for row in rows)
    assert (faults["superseded"], faults["another customer's"]) == (4, 2)
    assert [row.governed_fault for row in rows] == [""] * 12
    answerable = [row for row in rows if row.query.expected != northstar.TO_A_PERSON]
    assert len(answerable) == 11
    assert [str(row.governed.key) for row in answerable] == [row.query.expected for row in answerable]
    assert [row.governed for row in rows if row not in answerable] == [None]


def test_plain_ranking_is_honest(northstar) -> None:
    """It is BM25 over all versions, here by the formula, and its faults are told by the rules, here in other words."""
    corpus, tickets = list(northstar.versions()), {ticket.ticket_id: ticket for ticket in northstar.tickets()}
    counts = [Counter(kept_terms(f"{version.title} {version.text}")) for version in corpus]
    average = sum(count.total() for count in counts) / len(counts)

    def score(terms: list[str], count: Counter[str]) -> float:
        total = 0.0
        for term in terms:
            df = sum(term in other for other in counts)
            idf = math.log(1 + (len(counts) - df + 0.5) / (df + 0.5))
            total += idf * count[term] * 2.2 / (count[term] + 1.2 * (0.25 + 0.75 * count.total() / average))
        return total

    for row in northstar.review():
        terms = query_terms(row.query.question)
        best = max(range(len(corpus)), key=lambda number: score(terms, counts[number]))
        assert corpus[best].key == row.plain.key
        day = tickets[row.query.ticket_id].opened_at.date()
        later = [
            v for v in corpus if row.plain.key in v.supersedes and v.status == "active" and v.effective_from <= day
        ]
        assert (row.plain_fault == "superseded") is bool(later)


def test_what_it_prints(northstar, capsys) -> None:
    assert northstar.main() == 0
    out = capsys.readouterr().out
    assert re.search(r"superseded first +plain 4 of 12, governed 0\n", out)
    assert re.search(r"another customer's first +plain 2 of 12, governed 0\n", out)
    assert "right version first         governed 11 of 11 answerable" in out
    assert "rightly to a person         governed 1 of 1" in out


def test_no_operator_reads_the_ticket_of_another_customer(northstar) -> None:
    with GovernedStore(clock=lambda: northstar.NOW) as store:
        store.add(northstar.versions())
        store.put_tickets(northstar.tickets())
        for ticket in northstar.tickets():
            for organization in ("alder", "birch", "cedar", "dogwood"):
                answer = store.read_service_instruction(Principal("eve", organization), ticket.ticket_id, "the boiler?")
                assert (answer == Unavailable()) is (organization != ticket.organization_id)


def test_the_store_is_kept_for_the_command(northstar, tmp_path, capsys) -> None:
    path = str(tmp_path / "a store")
    assert northstar.main(path) == 0
    commands = [line for line in capsys.readouterr().out.splitlines() if line.startswith("sid governed")]
    assert len(commands) == 3
    for command in commands:
        assert main(shlex.split(command)[1:]) == 0
        assert capsys.readouterr().out.strip(), command
    # The store is there: it is asked once more, and nothing is written twice.
    assert northstar.main(path) == 0
