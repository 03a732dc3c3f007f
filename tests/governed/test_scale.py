"""What a question costs grows with what its asker may see, and not with the store: counted, not timed."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from sid.governed import DocumentVersion, GovernedStore, Principal, Ticket

from .builders import ADA, store, version

BENCHES = Path(__file__).parents[2] / "benches"

NEAR = 1.05
"""What a few rows more or less may make."""


@pytest.fixture(scope="module")
def bench():
    # Benches are scripts: what they import lies beside them.
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHES))
        spec = importlib.util.spec_from_file_location("bench_governed", BENCHES / "governed.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield module


def test_the_cost_of_a_question_is_that_of_its_eligible_set(bench) -> None:
    small, large = bench.measure(400, 2), bench.measure(8_000, 40)
    assert (small["eligible"], small["tokens"]) == (large["eligible"], large["tokens"])
    assert small["eligible"] == 30
    assert large["steps"] <= NEAR * small["steps"]
    wider = bench.measure(8_000, 4)
    assert wider["eligible"] == 10 * large["eligible"]
    assert wider["tokens"] == 10 * large["tokens"]
    assert wider["steps"] <= NEAR * 10 * large["steps"]


def test_a_hundred_thousand_versions_of_fifty_organizations(bench) -> None:
    part, whole = bench.measure(10_000, 5), bench.measure(100_000, 50)
    assert (part["eligible"], part["tokens"]) == (whole["eligible"], whole["tokens"])
    assert whole["eligible"] == 300
    assert whole["steps"] <= NEAR * part["steps"]


def made_with(history: int, now) -> GovernedStore:
    """Make a store with one version in force, many that were, and many of others."""
    common = {"title": "t", "scope": "pumps", "audience": {"org0"}, "text": "valve1 pump2 seal3", "version": 1}
    common["effective_from"] = "2020-01-01"
    versions = []
    for number in range(1, history):
        begins = {"version": number, "effective_from": f"{1000 + number}-01-01"}
        before = {"supersedes": {f"A@{number - 1}"} if number > 1 else ()}
        versions += [
            DocumentVersion(document_id="A", **{**common, **begins, **before}),
            DocumentVersion(document_id=f"E{number}", **common, effective_until="2021-01-01"),
            DocumentVersion(document_id=f"T{number}", **{**common, "audience": {"x"}}),
        ]
    made = GovernedStore(clock=lambda: now)
    made.add(versions)
    made.put_tickets([Ticket(ticket_id="T-1", organization_id="org0", scope="pumps", opened_at=now)])
    return made


def test_versions_that_are_over_cost_nothing(bench) -> None:
    """A history of superseded and ended versions, and what others may see, is not looked at."""
    with made_with(10, bench.NOW) as short, made_with(300, bench.NOW) as long:
        few, many = bench.ask(short, 3), bench.ask(long, 3)
    assert few["eligible"] == many["eligible"] == 1
    assert many["steps"] <= NEAR * few["steps"]


def test_only_texts_that_pass_the_gate_are_read() -> None:
    """Of versions that the asker lacks an entitlement for, or that are drafts, no text is read at all."""
    secret = [version(f"S{number}", required_entitlements={"board"}) for number in range(20)]
    drafts = [version(f"D{number}", status="draft") for number in range(20)]
    with store(None, version(), *secret, *drafts) as made:
        statements: list[str] = []
        with made.connections.connection() as connection:
            connection.set_trace_callback(statements.append)
        made.read_service_instruction(ADA, "T-1", "How do I bleed the pump?")
        made.open_citation(Principal("x", "acme"), "S1@1#0:4")
        made.open_citation(ADA, "D1@1#0:4")
        with made.connections.connection() as connection:
            connection.set_trace_callback(None)
        assert sum("SELECT text FROM version" in statement for statement in statements) == 1
        reads = [
            one for one in statements if (one.startswith("SELECT") and "FROM version" in one) or "JOIN version" in one
        ]
        assert all("*" not in one for one in reads)
        assert len([one for one in reads if "text" in one]) == 1
