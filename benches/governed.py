"""What a question costs a governed store: rows and tokens touched, steps of SQLite, and time, against the store's size.

Run it with a number of versions, or by default up to 100,000 of 50 organizations. The counts are the same on every
machine: they grow with what the asker may see, and not with the store.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from report import aligned, circumstances, duration, short
from sid.governed import AuditLog, DocumentVersion, GovernedStore, Principal, Ticket, Unavailable

__all__ = ["SERIES", "governed_table"]

SERIES = {
    "store": "the store grows, what the asker may see stays",
    "eligible": "what the asker may see grows, the store stays",
}
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
        if isinstance(answer, Unavailable):
            raise SystemExit(f"{question!r} was refused: nothing is measured")
    with store.connections.connection() as connection:
        connection.set_progress_handler(None, 1)
    last = [entry.data for entry in AuditLog(store).entries() if entry.kind == "asked"][-1]
    return {
        "eligible": last["eligible"],
        "tokens": last["tokens"],
        "steps": steps / questions,
        "seconds": short(statistics.median(seconds)),
    }


def measure(count: int, organizations: int) -> dict[str, float]:
    """Make a store of so many versions, and ask it."""
    with GovernedStore(clock=lambda: NOW) as store:
        store.add(versions(count, organizations))
        store.put_tickets([Ticket(ticket_id="T-1", organization_id="org0", scope="pumps", opened_at=NOW)])
        return {"versions": count, "organizations": organizations, **ask(store)}


def governed_table(report: dict[str, Any]) -> list[list[str]]:
    """Give the cells of the table of what a question costs, its head first."""
    rows = [
        [
            *(f"{row[name]:,}" for name in ("versions", "organizations", "eligible", "tokens")),
            f"{row['steps']:,.0f}",
            duration(row["seconds"]),
        ]
        for row in report["rows"]
    ]
    return [["versions stored", "organizations", "eligible", "tokens ranked", "SQLite steps", "time"], *rows]


def main() -> None:
    """Print the curve, and write and draw it if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--versions", type=int, default=100_000, help="in the largest store; default 100,000")
    parser.add_argument("--output", type=Path, help="a folder for governed.json and governed.svg")
    arguments = parser.parse_args()
    largest = arguments.versions
    stores = {
        "store": [(largest // part, max(1, ORGANIZATIONS // part)) for part in (10, 5, 2, 1)],
        "eligible": [(largest, ORGANIZATIONS // part) for part in (1, 2, 5, 10)],
    }
    measured: dict[tuple[int, int], dict[str, float]] = {}
    for count, organizations in (*stores["store"], *stores["eligible"]):
        if (count, organizations) not in measured:
            print(f"{count:,} versions of {organizations} organizations ...", file=sys.stderr, flush=True)
            measured[count, organizations] = measure(count, organizations)
    series = {name: [measured[each] for each in pairs] for name, pairs in stores.items()}
    report = {**circumstances(), "rows": list(measured.values()), "series": series}
    print(aligned(governed_table(report)))
    print(f"First {SERIES['store']}; then {SERIES['eligible']}. Time is the median of a question.")
    if arguments.output is None:
        return
    arguments.output.mkdir(parents=True, exist_ok=True)
    (arguments.output / "governed.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    try:
        from chart import draw_governed
    except ModuleNotFoundError as error:
        print(f"no chart was drawn: {error}", file=sys.stderr)
    else:
        draw_governed(report, SERIES, arguments.output / "governed.svg")


if __name__ == "__main__":
    main()
