"""Several threads on one fork family, one fork, one stream."""

from __future__ import annotations

import itertools
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

import pytest

from models import points, runs
from sid import DocumentCache
from sid.document_cache import bm25_snippet_with_stride
from sid.id_stream import IdSpaceExhausted, IdStream

THREADS = 8
WORDS = " ".join(f"w{number}" for number in range(60))


@pytest.fixture(autouse=True)
def frequent_switches() -> Iterator[None]:
    """Let threads interrupt each other as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def together(*tasks: Callable[[], Any]) -> list[Any]:
    """Run the tasks at the same time, each in a thread; give their results or raise the first error."""
    barrier = threading.Barrier(len(tasks))

    def run(task: Callable[[], Any]) -> Any:
        barrier.wait()
        return task()

    with ThreadPoolExecutor(len(tasks)) as pool:
        futures = [pool.submit(run, task) for task in tasks]
        return [future.result() for future in futures]


def family(count: int = THREADS, seed: int = 1) -> list[DocumentCache]:
    cache = DocumentCache()
    cache.model_facing_id_stream = IdStream(seed=seed)
    return [cache, *cache.fork(count - 1)]


@dataclass(frozen=True)
class Key:
    """A data id whose hash and comparison are Python code, in the midst of which threads can switch."""

    number: int


DATA_ID_KINDS = pytest.mark.parametrize("kind", [int, Key], ids=["int", "object"])


# --- adding -----------------------------------------------------------------------------------------------------------


@DATA_ID_KINDS
@pytest.mark.parametrize("forked", [True, False], ids=["forks", "one fork"])
def test_documents_added_by_many_threads_get_one_id_each(kind, forked):
    count = 150
    members = family() if forked else family(1) * THREADS

    def add_all(cache: DocumentCache, order: list[int]) -> dict[int, str]:
        return {number: cache.add_document(kind(number), {"by": number, "c": WORDS}) for number in order}

    orders = [random.Random(seed).sample(range(count), count) for seed in range(THREADS)]
    results = together(
        *(lambda cache=cache, order=order: add_all(cache, order) for cache, order in zip(members, orders, strict=True))
    )
    assert all(result == results[0] for result in results)
    assert len(set(results[0].values())) == count
    # Whoever loses a race for a document mints nothing.
    assert members[0].model_facing_id_stream.minted == count
    assert set(results[0].values()) == {IdStream(seed=1)[index] for index in range(count)}
    assert members[0].documents == {kind(number): {"by": number, "c": WORDS} for number in range(count)}
    for member in members:
        member._validate_store()
        assert member.seen_ledger == {kind(number): [] for number in range(count)}


def test_an_id_space_that_many_threads_exhaust_is_used_up_just_once():
    space, count = 27, 60
    cache = DocumentCache()
    cache.model_facing_id_stream = IdStream("abc", 3)
    members = cache.fork(THREADS)

    def add_all(member: DocumentCache, seed: int) -> set[int]:
        refused = set()
        for number in random.Random(seed).sample(range(count), count):
            try:
                member.add_document(number, {"n": number})
            except IdSpaceExhausted:
                refused.add(number)
        return refused

    refused = together(*(lambda member=member, seed=seed: add_all(member, seed) for seed, member in enumerate(members)))
    assert len(cache.documents) == space
    assert all(set(cache.documents) | numbers == set(range(count)) for numbers in refused)
    for member in members:
        member._validate_store()
        assert set(member.seen_ledger) <= set(cache.documents)


def test_a_stream_that_is_not_made_for_threads_is_asked_by_one_at_a_time():
    def stream() -> Iterator[str]:  # a generator raises ValueError if two threads enter it
        for number in itertools.count():
            yield f"m{number}"

    cache = DocumentCache()
    cache.model_facing_id_stream = stream()
    numbers = itertools.count()
    together(*(lambda: [cache.add_document(next(numbers), {}) for _ in range(100)] for _ in range(THREADS)))
    assert sorted(map(cache.to_model_facing_id, cache.documents)) == sorted(
        f"m{number}" for number in range(100 * THREADS)
    )
    cache._validate_store()


# --- recording --------------------------------------------------------------------------------------------------------


def test_no_span_is_lost_that_many_threads_record_on_one_fork():
    cache = DocumentCache()
    content = "x" * 4_000
    for data_id in "de":
        cache.add_document(data_id, {"c": content})
    drawn = random.Random(5)
    starts = [[(data_id, drawn.randrange(3_990)) for data_id in "de" for _ in range(80)] for _ in range(THREADS)]
    shares = [[(data_id, start, start + drawn.randint(1, 9)) for data_id, start in share] for share in starts]

    def record(share: list[tuple[str, int, int]]) -> None:
        for data_id, start, end in share:
            cache.update_seen(cache.get_single_span_document_view(data_id, "c", (start, end)))

    together(*(lambda share=share: record(share) for share in shares))
    for data_id in "de":
        recorded = [(start, end) for share in shares for other, start, end in share if other == data_id]
        assert cache.seen_ledger[data_id] == runs(points(recorded))


def test_first_records_on_many_documents_do_not_displace_each_other():
    members = family(2)
    for number in range(100):
        members[0].add_document(number, {"c": WORDS})
    reader = members[1]

    def record(start: int) -> None:
        for number in range(100):
            reader.update_seen(reader.get_single_span_document_view(number, "c", (start, start + 1)))

    together(*(lambda start=start: record(2 * start) for start in range(THREADS)))
    assert reader.seen_ledger == {
        number: [(2 * start, 2 * start + 1) for start in range(THREADS)] for number in range(100)
    }
    assert members[0].seen_ledger == {number: [] for number in range(100)}


def test_adding_and_recording_at_once():
    cache = DocumentCache()

    def work(seed: int) -> None:
        for number in random.Random(seed).sample(range(60), 60):
            cache.add_document(number, {"c": WORDS})
            cache.update_seen(cache.get_single_span_document_view(number, "c", (3 * seed, 3 * seed + 2)))

    together(*(lambda seed=seed: work(seed) for seed in range(THREADS)))
    expected = [(3 * seed, 3 * seed + 2) for seed in range(THREADS)]
    assert cache.seen_ledger == dict.fromkeys(range(60), expected)
    cache._validate_store()


# --- forking ----------------------------------------------------------------------------------------------------------


@DATA_ID_KINDS
def test_forking_while_others_write(kind):
    [cache] = family(1)
    writing = threading.Event()
    writing.set()

    def write(first: int) -> None:
        for number in range(first, 300, 2):
            cache.add_document(kind(number), {"c": WORDS})
            for start in (0, 4, 8):
                cache.update_seen(cache.get_single_span_document_view(kind(number), "c", (start, start + 2)))

    def write_all() -> None:
        try:
            together(lambda: write(0), lambda: write(1))
        finally:
            writing.clear()

    def fork_repeatedly() -> list[DocumentCache]:
        forks = []
        while writing.is_set():
            [fork] = cache.fork(1)
            snapshot = dict(fork.seen_ledger)
            forks.append((fork, snapshot))
        return forks

    forks = together(write_all, fork_repeatedly, fork_repeatedly)[1:]
    complete = [(0, 2), (4, 6), (8, 10)]
    assert cache.seen_ledger == {kind(number): complete for number in range(300)}
    for fork, snapshot in itertools.chain(*forks):
        assert fork.documents is cache.documents
        assert fork.seen_ledger == snapshot  # what others wrote later did not reach it
        assert all(spans == complete[: len(spans)] for spans in snapshot.values())


# --- reading ----------------------------------------------------------------------------------------------------------


def assert_all_find(cache: DocumentCache, model_id: str, data_id: Any) -> None:
    assert cache.contains_model_facing_id(model_id)
    assert data_id in cache
    assert cache.to_model_facing_id(data_id) == model_id
    assert cache.to_data_id(model_id) == data_id
    assert cache.get_document(data_id) is cache.documents[data_id]
    assert cache.get_document_from_model_facing_id(model_id) is cache.documents[data_id]
    view = cache.apply_snippet(data_id, "c", "w3", snippet_size=1)
    assert (view.model_facing_id, view.document) == (model_id, {"c": WORDS})


def finds_document(cache: DocumentCache, data_id: Any) -> bool:
    try:
        return cache.get_document(data_id) is not None
    except KeyError:
        return False


# What a reader may look at first: whatever it finds, all others must find too.
FIRST_LOOKS: list[Callable[[DocumentCache, str, Any], bool]] = [
    lambda cache, model_id, _: cache.contains_model_facing_id(model_id),
    lambda cache, _, data_id: data_id in cache,
    lambda cache, _, data_id: finds_document(cache, data_id),
]


@DATA_ID_KINDS
def test_readers_never_see_a_document_half_registered(kind):
    count = 400
    writer, *readers = family(1 + len(FIRST_LOOKS))
    ids = [IdStream(seed=1)[index] for index in range(count)]
    deadline = time.monotonic() + 60

    def read(cache: DocumentCache, finds: Callable[[DocumentCache, str, Any], bool]) -> None:
        for number, model_id in enumerate(ids):
            while not finds(cache, model_id, kind(number)):
                assert time.monotonic() < deadline
            assert_all_find(cache, model_id, kind(number))

    together(
        lambda: [writer.add_document(kind(number), {"c": WORDS}) for number in range(count)],
        *(
            lambda reader=reader, finds=finds: read(reader, finds)
            for reader, finds in zip(readers, FIRST_LOOKS, strict=True)
        ),
    )


class Observed:
    """A data id that lets another thread look while it is hashed."""

    def __init__(self) -> None:
        self.while_hashed: Callable[[], None] = lambda: None

    def __hash__(self) -> int:
        self.while_hashed()
        return 7

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Observed)


@pytest.mark.parametrize("finds", FIRST_LOOKS, ids=["model id", "data id", "document"])
def test_a_reader_in_the_midst_of_adding_finds_all_or_nothing(finds):
    [cache] = family(1)
    model_id, data_id = IdStream(seed=1)[0], Observed()
    looks = []

    def look() -> None:
        if finds(cache, model_id, Observed()):
            assert_all_find(cache, model_id, Observed())

    def let_look() -> None:
        looks.append(pool.submit(look))
        # A reader that waits for the writer is as good as one that finds nothing.
        wait(looks[-1:], timeout=0.05)

    with ThreadPoolExecutor(8) as pool:
        data_id.while_hashed = let_look
        cache.add_document(data_id, {"c": WORDS})
        data_id.while_hashed = lambda: None
    for finished in looks:
        finished.result()
    assert_all_find(cache, model_id, data_id)


def test_validation_never_finds_fault_while_others_write():
    members = family(3)
    writing = threading.Event()
    writing.set()

    def write(cache: DocumentCache, first: int) -> None:
        try:
            for number in range(first, 400, 2):
                cache.add_document(Key(number), {"c": WORDS})
        finally:
            writing.clear()

    def validate() -> None:
        while writing.is_set():
            members[2]._validate_mapping()
            members[2]._validate_store()

    together(lambda: write(members[0], 0), lambda: write(members[1], 1), validate)
    members[2]._validate_store()


# --- streams ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("alphabet", "length"), [("0123456789", 6), ("ab", 100), ("ab", 200), ("abcdefghijklmnopqrst", 3)]
)
def test_ids_minted_by_many_threads_are_those_of_one(alphabet, length):
    stream = IdStream(alphabet, length, seed=3)
    each = 250
    minted = together(*(lambda: [next(stream) for _ in range(each)] for _ in range(THREADS)))
    assert sorted(itertools.chain(*minted)) == sorted(stream[index] for index in range(each * THREADS))
    assert (stream.minted, stream.remaining) == (each * THREADS, stream.space - each * THREADS)


def test_a_stream_that_many_threads_exhaust_gives_each_id_once():
    stream = IdStream("abc", 5)

    def mint() -> list[str]:
        minted = []
        while True:
            try:
                minted.append(next(stream))
            except IdSpaceExhausted:
                return minted

    minted = list(itertools.chain(*together(*[mint] * THREADS)))
    assert len(minted) == len(set(minted)) == stream.space == stream.minted
    assert stream.remaining == 0


class Yielding(IdStream):
    """A stream that lets others go first between looking at its space and minting."""

    @property
    def space(self) -> int:
        time.sleep(0)
        return self._space

    @space.setter
    def space(self, space: int) -> None:
        self._space = space


def test_minting_is_one_step():
    stream = Yielding("abc", 5, seed=1)
    minted = together(*(lambda: [next(stream) for _ in range(20)] for _ in range(THREADS)))
    assert sorted(itertools.chain(*minted)) == sorted(stream[index] for index in range(20 * THREADS))


# --- text -------------------------------------------------------------------------------------------------------------


def test_snippets_chosen_at_once_are_those_chosen_one_by_one():
    """The native backend works on long texts without the lock of the interpreter."""
    contents = [(f"w{number % 7} \ud800 é漢 w{number} " * 100) + WORDS for number in range(THREADS)]

    def choose(first: int) -> list[tuple[int, int]]:
        order = range(first, first + THREADS)
        return [bm25_snippet_with_stride(f"w{number % 60} w3", contents[number % THREADS], 5, 2) for number in order]

    one_by_one = [choose(first) for first in range(THREADS)]
    for _ in range(5):
        assert together(*(lambda first=first: choose(first) for first in range(THREADS))) == one_by_one
