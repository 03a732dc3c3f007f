"""Versions that a question's asker may not see cost nothing: SQLite's steps are counted."""

from __future__ import annotations

from contextlib import closing

import pytest

from sid.governed import Found

from .builders import ADA, store, version

NEAR = 1.05


def steps(count: int, **hidden) -> int:
    """Count the steps of a question beside so many hidden versions."""
    versions = [version(f"S{number}", **hidden) for number in range(count)]
    with closing(store(None, version(), version("OURS", required_entitlements={"hydraulics"}), *versions)) as made:
        counted = 0

        def count_one() -> int:
            nonlocal counted
            counted += 1
            return 0

        with made.connections.connection() as connection:
            connection.set_progress_handler(count_one, 1)
        answer = made.read_service_instruction(ADA, "T-1", "How do I bleed the pump?")
        with made.connections.connection() as connection:
            connection.set_progress_handler(None, 1)
        assert isinstance(answer, Found)
        assert len(answer.passages) == 2
        return counted


@pytest.mark.parametrize("audience", ["everyone", frozenset({"acme"}), frozenset({"acme", "globex"})])
@pytest.mark.parametrize("required", [{"board"}, {"board", "hydraulics"}])
def test_versions_whose_entitlement_is_lacking_cost_nothing(audience, required) -> None:
    hidden = {"audience": audience, "required_entitlements": required}
    assert steps(4_000, **hidden) <= NEAR * steps(10, **hidden)
