"""What a question costs a governed store: rows and tokens touched, steps of SQLite, and time, against the store's size.

Run it with a number of versions, or by default up to 100,000 of 50 organizations. The counts are the same on every
machine: they grow with what the asker may see, and not with the store.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from sid.governed import AuditLog, DocumentVersion, Found, GovernedStore, Principal, Ticket

ORGANIZATIONS = 50
FAMILIES = ("pumps", "boilers", "chillers", "lifts", "meters")
NOW = datetime(2026, 6, 15, tzinfo=UTC)
PARTS = ("valve", "pump", "seal", "gauge", "filter", "rotor", "drive", "sensor")
WORDS = [f"{part}{number}" for part in PARTS for number in range(40)]


def versions(count: int, organizations: int, *, seed: int = 1) -> Iterator[DocumentVersion]:
    """Give versions of many organizations, a quarter of them superseded by the next."""
    chance = random.Random(seed)
    for number in range(count):
        document, version = (number - 1, 2) if number % 4 == 3 else (number, 1)
        group = number // 4
        yield DocumentVersion(
            document_id=f"D{document}",
            version=version,
            title=f"Instruction {document}",
            text=" ".join(chance.choices(WORDS, k=120)),
            scope=FAMILIES[group // organizations % len(FAMILIES)],
            effective_from=f"202{5 + version % 2}-01-01" if version == 2 else "2024-01-01",
            audience={f"org{group % organizations}"},
            supersedes={f"D{document}@1"} if version == 2 else (),
        )


def ask(store: GovernedStore, questions: int = 20) -> dict[str, float]:
    """Ask some questions for one organization; give what one of them costs."""
    chance = random.Random(2)
    principal, seconds = Principal("ada", "org0"), []
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1

    with store.connections.connection() as connection:
        connection.set_progress_handler(step, 1)  # the next to take this connection counts
    for _ in range(questions):
        question = " ".join(chance.choices(WORDS, k=3))
        started = time.perf_counter()
        answer = store.read_service_instruction(principal, "T-1", question)
        seconds.append(time.perf_counter() - started)
        assert isinstance(answer, Found) or answer
    with store.connections.connection() as connection:
        connection.set_progress_handler(None, 1)
    last = [entry.data for entry in AuditLog(store).entries() if entry.kind == "asked"][-1]
    return {
        "eligible": last["eligible"],
        "tokens": last["tokens"],
        "steps": steps / questions,
        "milliseconds": 1000 * statistics.median(seconds),
    }


def measure(count: int, organizations: int) -> dict[str, float]:
    """Make a store of so many versions, and ask it."""
    with GovernedStore(clock=lambda: NOW) as store:
        started = time.perf_counter()
        store.add(versions(count, organizations))
        loading = time.perf_counter() - started
        store.put_tickets([Ticket(ticket_id="T-1", organization_id="org0", scope="pumps", opened_at=NOW)])
        return {"versions": count, "organizations": organizations, **ask(store), "loading": loading}


def main() -> None:
    """Print the curve, and write it as JSON if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--versions", type=int, default=100_000, help="in the largest store; default 100,000")
    parser.add_argument("--output", type=Path, help="a folder for governed.json")
    arguments = parser.parse_args()
    largest = arguments.versions
    # First the store grows and what the asker may see stays; then that grows, and the store stays.
    growing = [(largest // part, max(1, ORGANIZATIONS // part)) for part in (10, 5, 2, 1)]
    shared = [(largest, ORGANIZATIONS // part) for part in (2, 5, 10)]
    rows = []
    names = ("versions", "organizations", "eligible", "tokens", "steps", "milliseconds", "loading")
    print(" ".join(f"{name:>13}" for name in names))
    for count, organizations in growing + shared:
        row = measure(count, organizations)
        rows.append(row)
        print(" ".join(f"{row[name]:>13,.{1 if name in names[5:] else 0}f}" for name in names), flush=True)
    if arguments.output:
        (arguments.output / "governed.json").write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
