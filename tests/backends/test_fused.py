"""Several backends as one."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sid.backends import FusedBackend, SearchBackend
from sid.backends.fused import DEPTH


class Fixed:
    """A backend with one answer."""

    def __init__(self, *ids: str) -> None:
        self.ids = ids
        self.asked: list[tuple[object, ...]] = []

    def search(self, query, *, limit, filters=None):
        self.asked.append((query, limit, filters))
        return [{"id": one, "content": f"{one} of {id(self)}"} for one in self.ids[:limit]]


class Failing:
    """A backend that is down."""

    def search(self, query, *, limit, filters=None):
        raise ConnectionError("down")


rankings = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=8, unique=True), min_size=1, max_size=4)


@given(rankings, st.integers(1, 10), st.data())
def test_it_is_reciprocal_rank_fusion(found, limit, data) -> None:
    weights = data.draw(st.none() | st.lists(st.floats(0.1, 10), min_size=len(found), max_size=len(found)))
    backend = FusedBackend([Fixed(*ranking) for ranking in found], weights=weights)
    order = [hit["id"] for hit in backend.search("q", limit=limit)]
    scores = {
        one: sum(
            weight / (60 + ranking.index(one) + 1)
            for ranking, weight in zip(found, weights or [1.0] * len(found), strict=True)
            if one in ranking
        )
        for one in set().union(*found)
    }
    assert len(order) == min(limit, len(scores))
    assert sorted(order, key=lambda one: -scores[one]) == order
    assert not set(scores) - set(order) or max(scores[one] for one in set(scores) - set(order)) <= min(
        scores[one] for one in order
    )
    assert [hit["id"] for hit in asyncio.run(backend.asearch("q", limit=limit))] == order
    assert [[hit["id"] for hit in hits] for hits in backend.search_many(["q", "r"], limit=limit)] == [order, order]


def test_what_the_backends_are_asked() -> None:
    one, two = Fixed("a"), Fixed("b")
    backend = FusedBackend([one, two])
    assert isinstance(backend, SearchBackend)
    backend.search("q", limit=3, filters={"x": 1})
    backend.search("q", limit=DEPTH + 1)
    assert one.asked == two.asked == [("q", DEPTH, {"x": 1}), ("q", DEPTH + 1, None)]


def test_a_document_is_shown_as_the_first_backend_gives_it() -> None:
    one, two = Fixed("a", "b"), Fixed("b", "a")
    hits = FusedBackend([one, two]).search("q", limit=5)
    assert [hit["content"] for hit in hits] == [f"a of {id(one)}", f"b of {id(one)}"]


def test_ties_go_to_the_best_rank_and_then_to_the_first_backend() -> None:
    assert [hit["id"] for hit in FusedBackend([Fixed("a"), Fixed("b")]).search("q", limit=5)] == ["a", "b"]


def test_a_document_given_twice_counts_once() -> None:
    backend = FusedBackend([Fixed("a", "b", "b", "b"), Fixed("a")])
    assert [hit["id"] for hit in backend.search("q", limit=5)] == ["a", "b"]


def test_a_failure_is_not_hidden() -> None:
    backend = FusedBackend([Fixed("a"), Failing()])
    with pytest.raises(ConnectionError, match="down"):
        backend.search("q", limit=1)
    with pytest.raises(ConnectionError, match="down"):
        asyncio.run(backend.asearch("q", limit=1))


def test_what_cannot_be_fused() -> None:
    one = Fixed("a")
    for options in (
        {"backends": []},
        {"backends": [one], "weights": [1, 2]},
        {"backends": [one], "weights": []},
        {"backends": [one], "weights": [0]},
        {"backends": [one], "weights": [float("nan")]},
        {"backends": [one], "rank_offset": 0},
    ):
        with pytest.raises(ValueError, match=r"backend|weights"):
            FusedBackend(**options)
    with pytest.raises(ValueError, match="at least 1"):
        FusedBackend([one]).search("q", limit=0)


# --- all at the same time ---------------------------------------------------------------------------------------------


class Batching(Fixed):
    """Takes several queries at once."""

    def search_many(self, queries, *, limit, filters=None):
        return [self.search(tuple(queries), limit=limit, filters=filters) for _ in queries]


def test_backends_and_queries_are_asked_at_the_same_time() -> None:
    """Each search waits until all are there."""
    all_there = threading.Barrier(16)

    class Meeting(Fixed):
        def search(self, query, *, limit, filters=None):
            all_there.wait(20)
            return super().search(query, limit=limit, filters=filters)

    assert len(FusedBackend([Meeting("a"), Meeting("b")]).search_many(["q"] * 8, limit=2)) == 8


def test_one_that_takes_many_is_asked_once_and_another_beside_it() -> None:
    many, plain = Batching("a"), Fixed("b")
    found = FusedBackend([many, plain]).search_many(["q", "r"], limit=3)
    assert [[hit["id"] for hit in hits] for hits in found] == [["a", "b"]] * 2
    assert {asked for asked, *_ in many.asked} == {("q", "r")}
    assert sorted(asked for asked, *_ in plain.asked) == ["q", "r"]


def test_only_backends_that_take_many_are_better_asked_together() -> None:
    assert FusedBackend([Batching("a"), Fixed("b")]).batch_key is None
    assert FusedBackend([FusedBackend([Fixed("a")])]).batch_key is None
    assert FusedBackend([FusedBackend([Batching("a")]), Batching("b")]).batch_key is not None


def test_a_failure_does_not_wait_for_the_slow() -> None:
    release = threading.Event()

    class Hanging:
        def search(self, query, *, limit, filters=None):
            release.wait(20)

    started = time.monotonic()
    with pytest.raises(ConnectionError, match="down"):
        FusedBackend([Hanging(), Failing()]).search("q", limit=1)
    assert time.monotonic() - started < 10
    release.set()


def test_asynchronous_parts_are_awaited_on_their_loop() -> None:
    class Asynchronous(Fixed):
        async def asearch(self, query, *, limit, filters=None):
            await asyncio.sleep(0)
            return Fixed.search(self, query, limit=limit)

        def search(self, query, *, limit, filters=None):
            raise AssertionError("asked in a thread")

    assert len(asyncio.run(FusedBackend([Asynchronous("a"), Fixed("b")]).asearch("q", limit=5))) == 2


@pytest.mark.parametrize("call", ["backend.search('q', limit=1)", "asyncio.run(backend.asearch('q', limit=1))"])
def test_a_hanging_backend_keeps_no_process_alive(call) -> None:
    program = f"""
import asyncio, threading, time
from sid.backends import FusedBackend
class Hanging:
    def search(self, query, *, limit, filters=None):
        time.sleep(60)
backend = FusedBackend([Hanging(), Hanging()])
threading.Thread(target=lambda: {call}, daemon=True).start()
time.sleep(0.3)
print("done")
"""
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=50)
    assert (done.stdout, done.stderr) == ("done\n", "")
    assert time.monotonic() - started < 30
