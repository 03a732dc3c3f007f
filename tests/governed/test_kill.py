"""What is done to a store, killed at each of its SQL statements: it is done whole and logged, or nothing of it is."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests import dying

from sid.governed import AuditLog, GovernedStore, Reviewer, ReviewQueue
from sid.governed.review import GENERAL

from .builders import ADA, KEY, MALLORY, Clock, store, ticket, version

GRACE = Reviewer("grace", frozenset({"pumps", GENERAL}))

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")


def claimed(made: GovernedStore) -> Any:
    (item,) = ReviewQueue(made).items("claimed")
    return item


OPERATIONS: dict[str, Callable[[GovernedStore], object]] = {
    "answered": lambda made: made.read_service_instruction(ADA, "T-1", "How do I bleed the pump?"),
    "nothing applies": lambda made: made.read_service_instruction(ADA, "T-1", "unheard of, again"),
    "refused": lambda made: made.read_service_instruction(MALLORY, "T-1", "How do I bleed the pump?"),
    "opened": lambda made: made.open_citation(ADA, "NS-1@1#0:4"),
    "not opened": lambda made: made.open_citation(MALLORY, "NS-1@1#0:4"),
    "checked": lambda made: made.check_answer(ADA, [("Open valve B", [])]),
    "added": lambda made: made.add(
        [version(number=2, effective_from="2026-02-01", supersedes={"NS-1@1"}), version("NS-2")]
    ),
    "loaded": lambda made: made.load([version("NS-3", text="x " * 5000)], [ticket("T-2"), ticket("T-3")]),
    "withdrawn": lambda made: made.set_status("NS-1", 1, "withdrawn"),
    "tickets": lambda made: made.put_tickets([ticket("T-2"), ticket(scope="boilers")]),
    "claimed": lambda made: ReviewQueue(made).claim(GRACE),
    "resolved": lambda made: ReviewQueue(made).resolve(claimed(made), "Done."),
    "released": lambda made: ReviewQueue(made).release(claimed(made)),
}


def opened(path: Path, **settings: bool) -> GovernedStore:
    return GovernedStore(path, clock=Clock(), id_key=KEY, **settings)


def rows(path: Path) -> dict[str, list[Any]]:
    """Give every row of every table, of a store that passes its own checks."""
    with opened(path) as made:
        assert AuditLog(made).verify() == []
        with made.connections.reading() as connection:
            tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            return {name: sorted(connection.execute(f'SELECT * FROM "{name}"'), key=repr) for (name,) in tables}


def moments(name: str, base: Path) -> None:
    """Do it, killed at the first statement, then at the second, until it lives; print how many kills there were."""
    dying.watch()
    path = base.with_name("killed")

    def attempt(statements: int) -> bool:
        child = os.fork()
        if not child:
            try:
                with opened(path, check=False) as made:
                    dying.after(statements)
                    OPERATIONS[name](made)
                os._exit(0)
            finally:
                traceback.print_exc()
                os._exit(1)
        status = os.waitpid(child, 0)[1]
        assert os.WIFSIGNALED(status) or os.waitstatus_to_exitcode(status) == 0
        return not os.WIFSIGNALED(status)

    shutil.copy(base, path)
    before = rows(path)
    assert attempt(1_000_000)
    after = rows(path)
    assert before != after, "it leaves no trace"
    seen, kills = {"before": 0, "after": 0}, 0
    while True:
        for file in base.parent.glob("killed*"):
            file.unlink()
        shutil.copy(base, path)
        if attempt(kills):
            break
        kills += 1
        found = rows(path)
        assert found in (before, after), f"half done, by a kill at statement {kills}"
        seen["before" if found == before else "after"] += 1
        if found == before:
            assert attempt(1_000_000)
            assert rows(path) == after, f"not done again, after a kill at statement {kills}"
    print(kills, seen["before"])


@pytest.mark.parametrize("name", OPERATIONS)
def test_killed_at_each_statement(tmp_path, name) -> None:
    base = tmp_path / "base"
    with closing(store(base, version())) as made:
        made.read_service_instruction(ADA, "T-1", "unheard of")
        made.read_service_instruction(ADA, "T-1", "unheard of too")
        assert ReviewQueue(made).claim(GRACE, lease=timedelta(days=1))
    root = Path(__file__).parents[2]
    program = f"from tests.governed.test_kill import moments, Path; moments({name!r}, Path({str(base)!r}))"
    done = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    kills, undone = map(int, done.stdout.split())
    assert undone >= 4, "it was not killed between what it writes and the end"
    assert kills >= undone
