"""Searches of a turn: in parallel, in time, again where it helps, and loud where it does not."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import time

import pytest

from sid.backends import Corpus, FusedBackend
from sid.episode import BackendError, Episode, RetryPolicy

from .corpora import BIRDS, WordBackend
from .service import call, scripted, serving
from .test_contract import ids_in, outputs

QUICK = RetryPolicy(attempts=3, timeout=0.3, wait=0.01)


def asking(*queries: str | dict):
    """Give a model that makes some searches and reports what it finds."""

    def model(turn, conversation):
        if turn == 1:
            return [call("text_search", {"query": query} if isinstance(query, str) else query) for query in queries]
        return [call("report_helpful_ids", {"ids": ids_in("".join(outputs(conversation)))})]

    return model


class Backend(WordBackend):
    """Behaves as told before it answers."""

    def __init__(self, before) -> None:
        super().__init__()
        self.before = before
        self.tries = 0
        self.lock = threading.Lock()

    def search(self, query, *, limit, filters=None):
        with self.lock:
            self.tries += 1
            number = self.tries
        self.before(number)
        return super().search(query, limit=limit, filters=filters)


def raising(error: Exception, times: int = 10**9):
    def before(number: int) -> None:
        if number <= times:
            raise error

    return before


@pytest.mark.parametrize("error", [ConnectionError("lost"), TimeoutError(), RuntimeError("busy"), OSError(5, "io")])
def test_what_passes_is_tried_again(run, error) -> None:
    backend = Backend(raising(error, times=2))
    result = run(asking("owls"), corpora=Corpus(text_search=backend), retry=QUICK)
    assert (result.ended, backend.tries) == ("reported", 3)


@pytest.mark.parametrize(
    "error", [ConnectionError("the cluster is down"), StopIteration("odd"), RuntimeError("x" * 9000)]
)
def test_what_stays_ends_it_loudly(run, error) -> None:
    backend = Backend(raising(error))
    with pytest.raises(BackendError, match=r"^text_search failed for the query 'owls': 3 tries, the last: ") as failed:
        run(asking("owls"), corpora=Corpus(text_search=backend), retry=QUICK)
    assert backend.tries == 3
    assert len(str(failed.value)) < 500
    assert failed.value.__cause__ is error or isinstance(error, StopIteration)


@pytest.mark.parametrize("error", [TypeError("bug"), KeyError("bug"), ValueError("bug"), ZeroDivisionError("bug")])
def test_a_bug_is_not_tried_again(run, error) -> None:
    backend = Backend(raising(error))
    with pytest.raises(BackendError, match="bug") as failed:
        run(asking("owls"), corpora=Corpus(text_search=backend), retry=QUICK)
    assert (backend.tries, failed.value.__cause__) == (1, error)


def test_a_search_that_hangs(run) -> None:
    release = threading.Event()
    backend = Backend(lambda number: release.wait(20))
    started = time.monotonic()
    with pytest.raises(BackendError, match=r"3 tries, the last: no answer within 0\.3 s"):
        run(asking("owls"), corpora=Corpus(text_search=backend), retry=QUICK)
    assert time.monotonic() - started < 10
    release.set()


def test_a_search_that_hangs_once(run) -> None:
    release = threading.Event()
    backend = Backend(lambda number: release.wait(20) if number == 1 else None)
    policy = RetryPolicy(attempts=3, timeout=1.5, wait=0.01)
    assert run(asking("owls"), corpora=Corpus(text_search=backend), retry=policy).ended == "reported"
    release.set()


def test_a_hanging_search_keeps_no_process_alive(serve) -> None:
    service = serve(asking("owls"))
    program = f"""
import time, openai
from sid.backends import Corpus, FusedBackend
from sid.episode import BackendError, Episode, RetryPolicy
class Hanging:
    def search(self, query, *, limit, filters=None):
        time.sleep(60)
client = openai.OpenAI(base_url={service.url!r}, api_key="k")
policy = RetryPolicy(attempts=1, timeout=0.1)
try:
    Episode("Who?", corpora=Corpus(text_search=Hanging()), client=client, retry=policy).run()
except BackendError as error:
    print(error)
"""
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=50)
    assert "no answer within 0.1 s" in done.stdout
    assert time.monotonic() - started < 30


@pytest.mark.parametrize("settings", [{"attempts": 0}, {"timeout": 0}, {"wait": -1}])
def test_policies_that_are_refused(settings) -> None:
    with pytest.raises(ValueError, match="attempts must be at least 1"):
        RetryPolicy(**settings)


@pytest.mark.parametrize("parallel", [1, 3, 8])
def test_searches_run_in_parallel_up_to_the_limit(run, parallel) -> None:
    running, most = 0, 0
    lock, full = threading.Lock(), threading.Event()

    def before(_: int) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
            if running == parallel:
                full.set()
        full.wait(20)
        time.sleep(0.05)  # one too many would come meanwhile
        with lock:
            running -= 1

    queries = [f"owls {number}" for number in range(12)]
    result = run(asking(*queries), corpora=Corpus(text_search=Backend(before)), max_parallel_fetches=parallel)
    assert result.ended == "reported"
    assert most == parallel


def test_observations_keep_the_order_of_the_calls(run) -> None:
    """Seen masks are those of serial calls, however late each search is."""
    documents = [{"id": str(n), "content": f"owls hunt mice {n} " * 40} for n in range(6)]
    queries = [{"query": f"owls {n}", "limit": 4, "snippet_size": 20 + n} for n in range(8)]

    class Late(WordBackend):
        def search(self, query, *, limit, filters=None):
            time.sleep(0.002 * (8 - int(query[-1])))
            return super().search(query, limit=limit, filters=filters)

    def observed(backend, together: bool) -> list[str]:
        shown: list[str] = []

        def model(turn, conversation):
            now = [call("text_search", query) for query in queries]
            if together:
                if turn == 1:
                    return now
            elif turn <= len(queries):
                return [now[turn - 1]]
            shown[:] = outputs(conversation)
            return [call("report_helpful_ids", {"ids": ids_in(shown[0])})]

        run(model, corpora=Corpus(text_search=backend), seed=7, max_turns=20)
        return shown

    together = observed(Late(documents), True)
    assert together == observed(WordBackend(documents), False)
    assert any("[seen:" in text for text in together)


def test_one_failure_gives_up_the_others(run) -> None:
    release = threading.Event()

    class Uneven(WordBackend):
        def search(self, query, *, limit, filters=None):
            if query == "bad":
                raise ValueError("bad")
            release.wait(20)
            return super().search(query, limit=limit)

    started = time.monotonic()
    with pytest.raises(BackendError, match="'bad'"):
        run(asking("owls", "bad", "kites"), corpora=Corpus(text_search=Uneven()))
    assert time.monotonic() - started < 10
    release.set()


# --- batches and asynchronous backends --------------------------------------------------------------------------------


class Many(WordBackend):
    """Takes several queries at once."""

    def __init__(self, documents=BIRDS) -> None:
        super().__init__(documents)
        self.batches: list[tuple[list[str], int, object]] = []

    def search_many(self, queries, *, limit, filters=None):
        self.batches.append((list(queries), limit, filters))
        return [super(Many, self).search(query, limit=limit, filters=filters) for query in queries]


def test_like_searches_are_one_call(run) -> None:
    backend = Many([{**document, "kind": "bird"} for document in BIRDS])
    filters = {"kind": {"type": "string"}}
    queries = [
        {"query": "owls"},
        {"query": "mouse", "limit": 2},
        {"query": "kites"},
        {"query": "hedges", "kind": "bird"},
        {"query": "heat", "limit": 2, "snippet_size": 9},
    ]
    result = run(asking(*queries), corpora=Corpus(text_search=backend, filters=filters))
    assert sorted(map(str, backend.batches)) == [str((["mouse", "heat"], 2, None)), str((["owls", "kites"], 5, None))]
    fetched = [event for event in result.transcript if event["event"] == "fetched"]
    assert sorted(event["call"] for event in fetched) == [1, 2, 3, 4, 5]
    plain = run(asking(*queries), corpora=Corpus(text_search=WordBackend(backend.documents), filters=filters), seed=1)
    again = run(asking(*queries), corpora=Corpus(text_search=Many(backend.documents), filters=filters), seed=1)
    observed = [[e["output"] for e in r.transcript if e["event"] == "observation"] for r in (plain, again)]
    assert observed[0] == observed[1]


def test_a_batch_that_loses_results(run) -> None:
    class Losing(Many):
        def search_many(self, queries, *, limit, filters=None):
            return super().search_many(queries, limit=limit)[:-1]

    with pytest.raises(BackendError, match="search_many gave 1 results for 2 queries"):
        run(asking("owls", "kites"), corpora=Corpus(text_search=Losing()))


def test_an_asynchronous_backend_is_awaited_on_its_loop() -> None:
    class Asynchronous(WordBackend):
        loop = None
        running = most = 0

        async def asearch(self, query, *, limit, filters=None):
            assert asyncio.get_running_loop() is self.loop
            self.running += 1
            self.most = max(self.most, self.running)
            await asyncio.sleep(0.02)
            self.running -= 1
            return super().search(query, limit=limit, filters=filters)

        def search(self, query, *, limit, filters=None):
            assert self.loop is None
            return super().search(query, limit=limit, filters=filters)

    model = asking("owls", "kites", "wrens", "mice")
    client, backend = scripted(model, asynchronous=True), Asynchronous()

    async def go():
        backend.loop = asyncio.get_running_loop()
        return await Episode("Who?", corpora=Corpus(text_search=backend), client=client, max_parallel_fetches=3).arun()

    assert asyncio.run(go()).ended == "reported"
    assert backend.most == 3
    with serving(model) as service:
        import openai

        backend.loop = None
        with openai.OpenAI(base_url=service.url, api_key="k") as client:
            assert Episode("Who?", corpora=Corpus(text_search=backend), client=client).run().ended == "reported"


def test_cancelling_an_episode() -> None:
    class Slow(WordBackend):
        async def asearch(self, query, *, limit, filters=None):
            await asyncio.sleep(60)

    class Client:
        class responses:  # noqa: N801
            @staticmethod
            async def create(**_):
                return {"output": [call("text_search", {"query": "owls"})]}

    events: list[dict] = []

    async def go():
        episode = Episode("Who?", corpora=Corpus(text_search=Slow()), client=Client, on_event=events.append)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(episode.arun(), 0.2)

    asyncio.run(go())
    assert events[-1]["event"] == "failed"
    assert "CancelledError" in events[-1]["error"]
    json.dumps(events)


@pytest.mark.parametrize("asynchronous", [False, True])
def test_searches_of_a_fused_backend_are_parallel(asynchronous) -> None:
    """Each has its own time-out, and none waits for another: here all wait until all are there."""
    all_there = threading.Barrier(16)

    class Meeting(WordBackend):
        def search(self, query, *, limit, filters=None):
            all_there.wait(20)
            return super().search(query, limit=limit, filters=filters)

    client = scripted(asking(*(f"owls {number}" for number in range(8))))
    backend = FusedBackend([Meeting(), Meeting()])
    policy = RetryPolicy(attempts=1, timeout=30)
    episode = Episode("Who?", corpora=Corpus(text_search=backend), client=client, retry=policy)
    assert (asyncio.run(episode.arun()) if asynchronous else episode.run()).ended == "reported"


def test_asynchronous_parts_of_a_fused_backend_are_awaited() -> None:
    class Asynchronous(WordBackend):
        async def asearch(self, query, *, limit, filters=None):
            return WordBackend.search(self, query, limit=limit, filters=filters)

        def search(self, query, *, limit, filters=None):
            raise AssertionError("asked in a thread")

    client = scripted(asking("owls", "kites", "mice"), asynchronous=True)
    corpus = Corpus(text_search=FusedBackend([Asynchronous(), WordBackend()]))
    assert asyncio.run(Episode("Who?", corpora=corpus, client=client).arun()).ended == "reported"


@pytest.mark.parametrize("settings", [{"attempts": 1.5}, {"attempts": True}, {"timeout": None}, {"wait": "1"}], ids=str)
def test_policies_of_a_wrong_type(settings) -> None:
    (name,) = settings
    with pytest.raises(TypeError, match=f"{name} must be"):
        RetryPolicy(**settings)
