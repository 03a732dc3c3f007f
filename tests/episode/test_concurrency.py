"""Many episodes at once on one backend and one client."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import openai
import pytest

from sid.backends import Corpus, SqliteBackend
from sid.episode import Episode, replay

from .corpora import OPEN, WordBackend, sqlite
from .service import call
from .test_contract import ids_in, outputs

EPISODES = 200
DOCUMENTS = [{"id": f"d{n}", "title": f"Number {n}", "content": f"common words and word{n} " * 30} for n in range(50)]


def model(turn, conversation):
    """Search for the number in the question, twice at once, read it, and report."""
    number = re.search(r"\d+", conversation[0]["content"])[0]
    if turn == 1:
        return [
            call("text_search", {"query": f"word{number}", "limit": 2}),
            call("text_search", {"query": f"common word{number}", "limit": 3}),
        ]
    shown = outputs(conversation)
    # Nobody else's documents were shown to this episode: the first call masks nothing.
    assert "[seen:" not in shown[0]
    assert "[seen:" in shown[1]
    first = ids_in(shown[0])[0]
    if turn == 2:
        return [call("read", {"id": first})]
    return [call("report_helpful_ids", {"ids": [first]})]


def check(number: int, result) -> None:
    wanted = f"d{number % len(DOCUMENTS)}"
    assert (result.ended, result.data_ids) == ("reported", (wanted,))
    content = next(document["content"] for document in DOCUMENTS if document["id"] == wanted)
    assert result.cache.seen_ledger[wanted] == [(0, len(content))]
    assert len(result.cache.documents) <= 5
    result.cache._validate_mapping()


@pytest.mark.parametrize("make", [sqlite, "file", WordBackend])
def test_many_asynchronous_episodes(serve, make, tmp_path) -> None:
    service = serve(model)
    if make == "file":

        def make(documents):
            backend = SqliteBackend(tmp_path / "index.sqlite")
            OPEN.append(backend)
            backend.add(documents)
            return backend

    corpus = Corpus(text_search=make(DOCUMENTS))

    async def go():
        async with openai.AsyncOpenAI(base_url=service.url, api_key="k", max_retries=5) as client:
            questions = [f"Where is {number % len(DOCUMENTS)}?" for number in range(EPISODES)]
            episodes = [Episode(question, corpora=corpus, client=client) for question in questions]
            return await asyncio.wait_for(asyncio.gather(*(episode.arun() for episode in episodes)), 240)

    results = asyncio.run(go())
    for number, result in enumerate(results):
        check(number, result)
    sessions = service.sessions()
    assert len(sessions) == EPISODES
    assert {len(requests) for requests in sessions.values()} == {3}
    replayed = replay(json.loads(json.dumps(results[-1].transcript)))
    assert replayed.cache.seen_ledger == results[-1].cache.seen_ledger


def test_many_episodes_in_threads(serve) -> None:
    service = serve(model)
    corpus = Corpus(text_search=sqlite(DOCUMENTS))
    before = threading.active_count()
    with openai.OpenAI(base_url=service.url, api_key="k", max_retries=5) as client, ThreadPoolExecutor(24) as pool:

        def one(number: int):
            return Episode(f"Where is {number % len(DOCUMENTS)}?", corpora=corpus, client=client).run()

        for number, result in enumerate(pool.map(one, range(72), timeout=240)):
            check(number, result)
    assert threading.active_count() <= before + 80  # the service's own, one a connection


def test_one_episode_object_in_many_threads(serve) -> None:
    service = serve(model)
    with openai.OpenAI(base_url=service.url, api_key="k") as client, ThreadPoolExecutor(8) as pool:
        episode = Episode("Where is 7?", corpora=Corpus(text_search=sqlite(DOCUMENTS)), client=client)
        for result in pool.map(lambda _: episode.run(), range(16)):
            check(7, result)
    assert len(service.sessions()) == 16


def test_memory_is_that_of_what_was_found() -> None:
    """An episode keeps its conversation and documents, not a copy a turn."""

    class Chatty:
        def __init__(self) -> None:
            self.responses = self
            self.turn = 0

        def create(self, **_):
            self.turn += 1
            return {"output": [call("text_search", {"query": f"word{self.turn}", "limit": 5})]}

    corpus = Corpus(text_search=WordBackend(DOCUMENTS))

    def peak(turns: int) -> tuple[int, int]:
        tracemalloc.start()
        result = Episode("Where?", corpora=corpus, client=Chatty(), max_turns=turns).run()
        kept, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert result.turns == turns
        return kept, most

    peak(3)
    small, large = peak(20), peak(80)
    assert large[0] < 8 * small[0]
    assert large[1] < 8 * small[1]


def test_memory_grows_with_the_episodes_and_no_faster() -> None:
    corpus = Corpus(text_search=sqlite(DOCUMENTS))

    class Scripted:
        def __init__(self) -> None:
            self.responses = self

        async def create(self, **request):
            await asyncio.sleep(0)
            turn = sum(item.get("role") == "user" for item in request["input"])
            return {"output": model(turn, request["input"])}

    def peak(count: int) -> int:
        async def go() -> list[str]:
            episodes = [
                Episode(f"Where is {n % len(DOCUMENTS)}?", corpora=corpus, client=Scripted()) for n in range(count)
            ]
            # What an episode gave may be dropped while others run.
            return [result.ended for result in await asyncio.gather(*(episode.arun() for episode in episodes))]

        tracemalloc.start()
        assert asyncio.run(go()) == ["reported"] * count
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(5)
    assert peak(EPISODES) < 1.5 * EPISODES / 40 * peak(40)
