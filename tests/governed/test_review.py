"""The queue under many workers and under kills: nothing is lost, nothing is handled twice."""

from __future__ import annotations

import contextlib
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from datetime import timedelta

import pytest

from sid.governed import AuditLog, ClaimLost, GovernedStore, NoApplicableInstruction, Refused, Reviewer, ReviewQueue
from sid.governed.review import GENERAL

from .builders import ADA, KEY, MALLORY, Clock, store, ticket, version

GRACE = Reviewer("grace", frozenset({"pumps", GENERAL}))
ALAN = Reviewer("alan", frozenset({"pumps"}))


def file_some(made: GovernedStore, count: int) -> list[str]:
    answers = [made.read_service_instruction(ADA, "T-1", f"unheard of {number}") for number in range(count)]
    assert all(isinstance(answer, NoApplicableInstruction) for answer in answers)
    return [answer.review_id for answer in answers]


def test_an_item_goes_from_hand_to_hand() -> None:
    clock = Clock()
    with store(clock=clock) as made:
        first, second = file_some(made, 2)
        queue = ReviewQueue(made)
        mine = queue.claim(GRACE)
        assert (mine.id, mine.state, mine.claim, mine.reviewer_id) == (first, "claimed", 1, "grace")
        theirs = queue.claim(ALAN)
        assert theirs.id == second
        assert queue.claim(GRACE) is None
        queue.release(theirs)
        again = queue.claim(GRACE)
        assert (again.id, again.claim) == (second, 2)
        with pytest.raises(ClaimLost, match="claim 1"):
            queue.resolve(theirs, "Late.")
        queue.resolve(again, "Use NS-7.")
        assert queue.get(second).resolution == "Use NS-7."
        for late in (again, theirs):
            with pytest.raises(ClaimLost, match="resolved"):
                queue.resolve(late, "Twice.")
            with pytest.raises(ClaimLost):
                queue.release(late)
        assert [item.id for item in queue.items("claimed")] == [first]
        assert AuditLog(made).verify() == []


def test_a_claim_runs_out() -> None:
    clock = Clock()
    with store(clock=clock) as made:
        (only,) = file_some(made, 1)
        queue = ReviewQueue(made)
        lost = queue.claim(GRACE, lease=timedelta(minutes=5))
        clock.now += timedelta(minutes=5, microseconds=-1)
        assert queue.claim(ALAN) is None
        clock.now += timedelta(microseconds=1)
        held = queue.claim(ALAN)
        assert (held.id, held.claim) == (only, 2)
        with pytest.raises(ClaimLost):
            queue.resolve(lost, "Too late.")
        queue.resolve(held, "Done.")
        # One that ran out but that nobody else claimed can still be resolved.
        made.read_service_instruction(ADA, "T-1", "unheard of again")
        held = queue.claim(ALAN, lease=timedelta(seconds=1))
        clock.now += timedelta(days=1)
        queue.resolve(held, "Done, if late.")
        assert AuditLog(made).verify() == []


def test_only_the_qualified_get_an_item() -> None:
    with store() as made:
        made.check_answer(MALLORY, [("x", [])])
        file_some(made, 1)
        queue = ReviewQueue(made)
        assert queue.claim(Reviewer("eve", frozenset({"boilers"}))) is None
        assert queue.claim(Reviewer("eve", frozenset())) is None
        assert queue.claim(ALAN).qualification == "pumps"
        assert queue.claim(ALAN) is None
        assert queue.claim(GRACE).qualification == GENERAL
        with pytest.raises(KeyError, match="no review"):
            queue.get("r-0")
        with pytest.raises(ValueError, match="positive"):
            queue.claim(GRACE, lease=timedelta(0))
        for bad in ("", " ", "x" * 10_001, None):
            with pytest.raises(ValueError, match="1 to 10000"):
                queue.resolve(queue.items()[0], bad)


def test_ids_tell_nothing_of_how_many_there_are() -> None:
    with store() as quiet, store() as busy:
        busy.put_tickets([ticket("T-9", organization_id="globex")])
        for number in range(7):
            busy.read_service_instruction(MALLORY, "T-9", f"busy {number}")
        assert file_some(quiet, 3) == file_some(busy, 3)
        first = file_some(quiet, 1)
        queue = ReviewQueue(quiet)
        while item := queue.claim(GRACE):
            queue.resolve(item, "Done.")
        # Asked again after it was resolved, it is a new item, of this operator's own count.
        assert file_some(quiet, 1) != first
        assert len(queue.items()) == 4
    with GovernedStore(id_key=KEY[::-1]) as other:
        other.put_tickets([ticket()])
        assert file_some(other, 1) != first, "the key of the store makes no difference"


def test_many_workers_handle_each_item_once(tmp_path) -> None:
    with store(tmp_path / "s") as made:
        filed = file_some(made, 60)
    handled: list[str] = []
    failures: list[BaseException] = []

    def work(seed: int) -> None:
        chance = random.Random(seed)
        try:
            with GovernedStore(tmp_path / "s", clock=Clock(), check=False) as mine:
                queue = ReviewQueue(mine)
                while item := queue.claim(Reviewer(f"worker{seed}", frozenset({"pumps"}))):
                    if chance.random() < 0.3:
                        queue.release(item)
                    else:
                        queue.resolve(item, "Done.")
                        handled.append(item.id)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert Counter(handled) == Counter(filed)
    with GovernedStore(tmp_path / "s") as made:
        assert AuditLog(made).verify() == []
        assert all(item.state == "resolved" for item in ReviewQueue(made).items())


WORKER = """
import random, sys
from datetime import timedelta
from sid.governed import *
path, name = sys.argv[1:]
chance = random.Random(name)
with GovernedStore(path, check=False) as store:
    print("begun", flush=True)
    queue, ada = ReviewQueue(store), Principal("ada", "acme")
    number = 0
    while True:
        number += 1
        store.read_service_instruction(ada, "T-1", f"unheard of {name} {number}")
        store.add([DocumentVersion(document_id=f"{name}-{number}", version=1, title="t", text="x " * 400, scope="pumps",
                                   effective_from="2026-01-01", audience="everyone")])
        item = queue.claim(Reviewer(name, {"pumps"}), lease=timedelta(milliseconds=50))
        if item is not None:
            try:
                queue.resolve(item, name)
                print(item.id, flush=True)
            except ClaimLost:
                pass
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
def test_killed_in_the_middle_of_writes(tmp_path) -> None:
    path, script = tmp_path / "s", tmp_path / "worker.py"
    script.write_text(WORKER)
    with GovernedStore(path) as made:
        made.put_tickets([ticket()])
    chance = random.Random(5)
    told: list[str] = []
    for attempt in range(6):
        workers = [
            subprocess.Popen(
                [sys.executable, str(script), str(path), f"w{attempt}{one}"], stdout=subprocess.PIPE, text=True
            )
            for one in "ab"
        ]
        for worker in workers:
            worker.stdout.readline()
        time.sleep(0.2 + chance.random() * 0.6)
        for worker in workers:
            worker.send_signal(signal.SIGKILL)
        for worker in workers:
            rest = worker.stdout.read()
            told += [line for line in rest.split("\n") if len(line) == 34]
            worker.stdout.close()
            worker.wait()
        with GovernedStore(path) as made:
            assert AuditLog(made).verify() == []
    assert Counter(told).most_common(1)[0][1] == 1, "an item was handled twice"
    with GovernedStore(path) as made:
        entries = list(AuditLog(made).entries())
        filed = [entry.data["review"] for entry in entries if entry.kind == "review_filed"]
        resolved = [entry.data["review"] for entry in entries if entry.kind == "review_resolved"]
        assert len(filed) > 12
        assert set(told) <= set(resolved)
        assert len(set(resolved)) == len(resolved)
        queue = ReviewQueue(made)
        assert {item.id for item in queue.items()} == set(filed)
        # What the dead held comes to the living.
        time.sleep(0.06)
        reviewer = Reviewer("last", frozenset({"pumps"}))
        while item := queue.claim(reviewer, lease=timedelta(days=1)):
            queue.resolve(item, "Done.")
        assert all(item.state == "resolved" for item in queue.items())
        assert AuditLog(made).verify() == []
        # Each write is whole: a version is there with its log entry, and is found.
        with made.connections.reading() as connection:
            (versions,) = connection.execute("SELECT count(*) FROM version").fetchone()
        assert versions == sum(len(entry.data["versions"]) for entry in entries if entry.kind == "added")


def test_two_loaders_cannot_contradict_each_other(tmp_path) -> None:
    """Of versions that cannot both be in force, written at the same time by many, just one is there."""
    store(tmp_path / "s").close()
    start, refused = threading.Barrier(6), []

    def load(number: int) -> None:
        with GovernedStore(tmp_path / "s", check=False) as mine:
            start.wait()
            try:
                mine.add([version(number=number), version(f"OTHER-{number}")])
            except Refused:
                refused.append(number)

    threads = [threading.Thread(target=load, args=(number,)) for number in range(1, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 5
    with GovernedStore(tmp_path / "s") as made:
        assert AuditLog(made).verify() == []
        with made.connections.reading() as connection:
            assert connection.execute("SELECT count(*) FROM version").fetchone() == (2,)


def test_threads_ask_and_write_at_once(tmp_path) -> None:
    failures: list[BaseException] = []
    with store(tmp_path / "s", version()) as made:

        def ask(number: int) -> None:
            try:
                for turn in range(8):
                    made.read_service_instruction(ADA, "T-1", "How do I bleed the pump?")
                    made.add([version(f"D{number}-{turn}")])
                    made.open_citation(ADA, "NS-1@1#0:4")
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        assert AuditLog(made).verify() == []
        assert sum(1 for _ in AuditLog(made).entries()) == 2 + 5 * 8 * 3


def test_a_damaged_item_holds_up_no_other(tmp_path) -> None:
    path = tmp_path / "store"
    with store(path, version()) as made:
        for number in range(3):
            made.read_service_instruction(ADA, "T-1", f"purple elephants {number}")
    for column, value in (("subject", b"\x00"), ("subject", "text"), ("qualification", b"pumps")):
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute(f"UPDATE review SET {column} = ? WHERE number = 1", (value,))
            connection.commit()
        with store(path) as made:
            queue = ReviewQueue(made)
            items = queue.items()
            assert len(items) == 3
            assert items[0].damaged
            assert items[0].subject == {}
            assert queue.get(items[0].id) == items[0]
            claimed = queue.claim(Reviewer("lin", {"pumps"}))
            assert claimed is not None
            assert claimed.id == items[1].id
            queue.release(claimed)
            assert AuditLog(made).verify()


def test_a_claim_that_ran_out_resolves_nothing_even_of_the_same_reviewer() -> None:
    clock = Clock()
    with store(None, version(), clock=clock) as made:
        made.read_service_instruction(ADA, "T-1", "purple elephants")
        queue, lin = ReviewQueue(made), Reviewer("lin", {"pumps"})
        first = queue.claim(lin, lease=timedelta(minutes=1))
        clock.now += timedelta(minutes=2)
        second = queue.claim(lin)
        assert first is not None
        assert second is not None
        for step in (lambda: queue.resolve(first, "done"), lambda: queue.release(first)):
            with pytest.raises(ClaimLost):
                step()
        queue.resolve(second, "done")


@pytest.mark.parametrize("lease", [timedelta(0), timedelta(-1), timedelta.max])
def test_leases_that_cannot_be(lease) -> None:
    with store(None, version()) as made:
        made.read_service_instruction(ADA, "T-1", "purple elephants")
        with pytest.raises(ValueError, match="lease must"):
            ReviewQueue(made).claim(Reviewer("lin", {"pumps"}), lease=lease)
        assert ReviewQueue(made).items()[0].state == "open"
