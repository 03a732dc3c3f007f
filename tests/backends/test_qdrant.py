"""What is particular to Qdrant: its collections, their settings, and what is sent to it."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from qdrant_client import QdrantClient, models

from sid.analysis import kept_terms, query_terms
from sid.backends import Corpus, FusedBackend, QdrantBackend, UnusableIndex
from sid.backends.protocol import Asked, search_together
from sid.backends.qdrant import AVERAGE_TOKENS, K1, B, _as_utf8, _from_utf8
from sid.episode import Episode
from strategies import texts

words = st.sampled_from("red blue green owl kite mouse snow day night hunt".split())
sentences = st.lists(words, min_size=1, max_size=12).map(" ".join)


@pytest.fixture
def client():
    made = QdrantClient(":memory:")
    yield made
    made.close()


class Watching(QdrantClient):
    """A client that notes what is asked of it."""

    def __init__(self) -> None:
        super().__init__(":memory:")
        self.batches: list[list[Any]] = []
        self.options: list[dict[str, Any]] = []

    def query_batch_points(self, collection_name, requests, **options):
        self.batches.append(list(requests))
        self.options.append(options)
        return super().query_batch_points(collection_name, requests)

    def create_collection(self, collection_name, **options):
        self.options.append(options)
        return super().create_collection(collection_name, **options)


@given(st.lists(sentences, min_size=1, max_size=10), sentences)
@settings(max_examples=30)
def test_the_ranking_is_bm25(contents, query) -> None:
    client = QdrantClient(":memory:")
    index = QdrantBackend(client, "c", language="generic")
    index.add({"id": str(number), "content": text} for number, text in enumerate(contents))
    order = [int(hit["id"]) for hit in index.search(query, limit=99)]
    client.close()
    scores: dict[int, float] = {}
    for term in query_terms(query, "generic"):
        holders = [n for n, text in enumerate(contents) if term in kept_terms(text, "generic")]
        idf = math.log(1 + (len(contents) - len(holders) + 0.5) / (len(holders) + 0.5))
        for n in holders:
            tf, length = contents[n].split().count(term), len(contents[n].split())
            scores[n] = scores.get(n, 0) + idf * tf * (K1 + 1) / (tf + K1 * (1 - B + B * length / AVERAGE_TOKENS))
    assert set(order) == set(scores)
    for earlier, later in pairwise(order):
        assert scores[earlier] > scores[later] - 1e-4


def test_the_heading_weighs_twice(client) -> None:
    index = QdrantBackend(client, "c")
    index.add([{"id": "content", "content": "owl x"}, {"id": "title", "title": "owl", "content": "x"}])
    assert [hit["id"] for hit in index.search("owl", limit=5)] == ["title", "content"]


def test_a_batch_of_queries_is_one_request(embedder) -> None:
    client = Watching()
    index = QdrantBackend(client, "c", embedder=embedder, query_options={"consistency": "majority"})
    index.add([{"id": "a", "n": 1, "content": "owl"}])
    for backend, using in ((index, "bm25"), (index.semantic(), "dense")):
        client.batches.clear()
        answers = backend.search_many(["owl", "kite", "owls hunt"] * 20, limit=3, filters={"n": 1})
        assert len(answers) == 60
        (requests,) = client.batches
        assert {request.using for request in requests} == {using}
        assert all(request.filter.must and request.limit == 3 for request in requests)
        assert client.options[-1] == {"consistency": "majority"}
    client.batches.clear()
    index.search_many(["owl"] * 250, limit=1)
    assert [len(batch) for batch in client.batches] == [100, 100, 50]
    client.close()


def test_a_cluster_is_described_when_the_collection_is_made() -> None:
    client = Watching()
    options = {"shard_number": 6, "replication_factor": 2, "write_consistency_factor": 1, "on_disk_payload": True}
    QdrantBackend(client, "c", collection_options=options)
    made = client.options[0]
    assert {name: made[name] for name in options} == options
    assert made["sparse_vectors_config"]["bm25"].modifier == models.Modifier.IDF
    client.close()


def test_settings_are_kept_and_others_refused(client, embedder) -> None:
    QdrantBackend(client, "c", language="german", heading_field="\ud800")
    again = QdrantBackend(client, "c")
    assert (again.language, again.heading_field) == ("german", "\ud800")
    for options in ({"language": "english"}, {"heading_field": "title"}, {"embedder": embedder}):
        with pytest.raises(UnusableIndex, match="was made with"):
            QdrantBackend(client, "c", **options)
    with pytest.raises(ValueError, match="supported values"):
        QdrantBackend(client, "c", language="klingon")
    with pytest.raises(ValueError, match="supported values: search, text_search"):
        QdrantBackend(client, "c", mode="fused")
    with pytest.raises(UnusableIndex, match="embedder"):
        QdrantBackend(client, "c", mode="search")


@pytest.mark.parametrize("metadata", [None, {}, {"sid": None}, {"sid": {}}, {"sid": {"format": 99}}, {"other": 1}])
def test_collections_of_others_are_refused(client, metadata) -> None:
    vectors = {"dense": models.VectorParams(size=4, distance=models.Distance.DOT)}
    client.create_collection("c", vectors_config=vectors, metadata=metadata)
    with pytest.raises(UnusableIndex, match=r"not made by sid-native|format 99"):
        QdrantBackend(client, "c")


def test_an_interrupted_ingest_goes_on(client, embedder) -> None:
    documents = [{"id": str(number), "title": "t", "content": f"text {number}"} for number in range(1200)]

    def breaking():
        yield from documents[:800]
        raise RuntimeError("broke")

    index = QdrantBackend(client, "c", embedder=embedder)
    with pytest.raises(RuntimeError):
        index.add(breaking())
    assert len(index) == 500
    done = index.add(documents)
    assert (done.added, done.unchanged) == (700, 500)
    fresh = QdrantBackend(client, "fresh", embedder=embedder)
    fresh.add(documents)

    def points(name: str) -> list[Any]:
        records, _ = client.scroll(name, limit=5000, with_vectors=True)
        return sorted(((record.id, record.payload, record.vector) for record in records), key=lambda one: str(one[0]))

    assert points("c") == points("fresh")


# The client leaves a connection open when it asks SQLite for its threading mode; Python 3.13 says so.
@pytest.mark.filterwarnings("ignore:unclosed database:ResourceWarning")
@pytest.mark.filterwarnings("ignore:Exception ignored in.*sqlite3.Connection:pytest.PytestUnraisableExceptionWarning")
def test_it_can_be_kept_in_a_folder(tmp_path) -> None:
    document = {"id": "\ud800", "list": ["a", "\x00"], "content": "owl \udfff"}
    client = QdrantClient(path=str(tmp_path))
    QdrantBackend(client, "c").add([document])
    client.close()
    client = QdrantClient(path=str(tmp_path))
    index = QdrantBackend(client, "c")
    assert index.search("owl", limit=1) == [document]
    assert index.add([document]).unchanged == 1
    client.close()


def test_both_modes_fused(client, embedder) -> None:
    index = QdrantBackend(client, "c", embedder=embedder)
    index.add([{"id": "a", "content": "An owl hunts mice."}, {"id": "b", "content": "Interest rates of banks."}])
    fused = FusedBackend([index, index.semantic()])
    assert [hit["id"] for hit in fused.search("rodents and an owl", limit=1)] == ["a"]
    assert [hit["id"] for hit in fused.search("loans", limit=1)] == ["b"]


@given(texts)
def test_any_text_can_be_sent(text) -> None:
    for one in (text, "base64:" + text):
        sent = _as_utf8(one)
        sent.encode()
        assert _from_utf8(sent) == one


def test_no_queries_are_no_request() -> None:
    client = Watching()
    index = QdrantBackend(client, "c")
    assert index.search_many([], limit=3) == []
    assert index.search_many(["?"], limit=3) == [[]]
    with pytest.raises(ValueError, match="at least 1"):
        index.search("?", limit=0)
    assert client.batches == []
    client.close()


DOCUMENTS = [
    {"id": "a", "kind": "x", "content": "An owl hunts mice."},
    {"id": "b", "kind": "y", "content": "A kite hunts mice by day."},
    {"id": "c", "kind": "x", "content": "Interest rates of banks."},
]


def test_searches_of_a_turn_are_one_request(embedder) -> None:
    """Whatever their limit, filter and mode, and with the results that each has by itself."""
    client = Watching()
    index = QdrantBackend(client, "c", embedder=embedder)
    index.add(DOCUMENTS)
    calls = [
        ("text_search", {"query": "hunts mice", "limit": 1}),
        ("search", {"query": "rodents", "limit": 2}),
        ("text_search", {"query": "hunts mice", "kind": "y"}),
        ("search", {"query": "loans", "kind": "x"}),
        ("text_search", {"query": "?"}),
        ("text_search", {"query": "owl"}),
    ]
    corpus = Corpus(search=index.semantic(), text_search=index, filters={"kind": {"type": "string"}})

    class Model:
        def __init__(self) -> None:
            self.responses = self
            self.answers = iter([calls])

        def create(self, **_):
            return {
                "output": [
                    {"type": "function_call", "call_id": str(n), "name": name, "arguments": json.dumps(arguments)}
                    for n, (name, arguments) in enumerate(next(self.answers, []))
                ]
            }

    result = Episode("Who?", corpora=corpus, client=Model(), max_turns=2).run()
    (requests,) = client.batches
    assert sorted(request.using for request in requests) == ["bm25"] * 3 + ["dense"] * 2
    found = {e["call"]: [hit["id"] for hit in e["hits"]] for e in result.transcript if e["event"] == "fetched"}
    for number, (mode, arguments) in enumerate(calls, 1):
        filters = {"kind": arguments["kind"]} if "kind" in arguments else None
        alone = corpus.backend(mode).search(arguments["query"], limit=arguments.get("limit", 5), filters=filters)
        assert found[number] == [hit["id"] for hit in alone]
    client.close()


def test_both_modes_fused_are_one_request(embedder) -> None:
    client = Watching()
    index = QdrantBackend(client, "c", embedder=embedder)
    index.add(DOCUMENTS)
    fused = FusedBackend([index, index.semantic()])
    together = fused.search_many(["owl", "loans"], limit=2)
    (requests,) = client.batches
    assert [request.using for request in requests] == ["bm25", "dense", "bm25", "dense"]
    assert together == [fused.search(query, limit=2) for query in ("owl", "loans")]
    client.close()


def test_collections_and_options_are_not_mixed() -> None:
    client = Watching()
    searches = []
    for name, options in (("c", None), ("c", {"consistency": 1}), ("d", None)):
        index = QdrantBackend(client, name, query_options=options)
        index.add([{"id": name, "content": "owl"}])
        searches.append(Asked(index, "owl", 3))
    assert [[hit["id"] for hit in hits] for hits in search_together(searches)] == [["c"], ["c"], ["d"]]
    assert [len(batch) for batch in client.batches] == [1, 1, 1]
    client.close()
