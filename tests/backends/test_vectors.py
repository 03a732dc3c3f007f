"""Search by meaning in SQLite: vectors, their embedder, and the scan."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sid.backends import Embedder, SqliteBackend, SqliteVectorBackend, UnusableIndex, search_many
from sid.backends.documents import Document
from sid.backends.embedder import unit_vectors
from sid.backends.passages import PASSAGE_TOKENS, PASSAGES_MAX, document_vectors, passages
from strategies import non_empty_texts, texts


class Letters:
    """An embedder whose every number can be checked: the letters of a text, counted."""

    dimension = 26

    def __init__(self, name: str = "letters") -> None:
        self.name = name

    def embed(self, texts, *, purpose):
        assert purpose in ("document", "query")
        return np.array([[text.count(chr(97 + n)) for n in range(26)] for text in texts], dtype=np.float32)


words = st.text("abc", min_size=1, max_size=8)


@given(st.lists(words, min_size=1, max_size=15), words, st.integers(1, 20), st.data())
@settings(max_examples=60)
def test_the_scan_is_the_cosine(contents, query, limit, data) -> None:
    allowed = data.draw(st.sets(st.sampled_from(range(len(contents)))))
    with SqliteBackend(embedder=Letters()) as index:
        index.add({"id": str(number), "ok": number in allowed, "content": text} for number, text in enumerate(contents))
        backend = SqliteVectorBackend(index)
        for filters in (None, {"ok": True}):
            found = [int(hit["id"]) for hit in backend.search(query, limit=limit, filters=filters)]
            rows = {n: Letters().embed([text], purpose="document")[0] for n, text in enumerate(contents)}
            wanted = Letters().embed([query], purpose="query")[0]
            score = {n: row @ wanted / np.linalg.norm(row) / np.linalg.norm(wanted) for n, row in rows.items()}
            among = [n for n in score if filters is None or n in allowed]
            assert len(found) == min(limit, len(among))
            assert len(set(found)) == len(found)
            assert set(found) <= set(among)
            ranks = [score[n] for n in found]
            assert all(earlier > later - 1e-5 for earlier, later in pairwise(ranks))
            left = [score[n] for n in among if n not in found]
            assert not left or min(ranks) > max(left) - 1e-5


def test_of_equals_the_earlier_ones_are_taken() -> None:
    with SqliteBackend(embedder=Letters()) as index:
        index.add({"id": str(number), "content": "abc" if number % 2 else "xyz"} for number in range(100))
        found = [hit["id"] for hit in index.semantic().search("abc", limit=5)]
        assert found == ["1", "3", "5", "7", "9"]
        assert [[hit["id"] for hit in hits] for hits in search_many(index.semantic(), ["abc", "xyz"], limit=2)] == [
            ["1", "3"],
            ["0", "2"],
        ]


def test_changes_are_seen(tmp_path) -> None:
    path = tmp_path / "i"
    with SqliteBackend(path, embedder=Letters()) as index, SqliteBackend(path, embedder=Letters()) as other:
        backend = index.semantic()
        assert backend.search("a", limit=5) == []
        for number, letter in enumerate("abc"):
            other.add([{"id": letter, "content": letter * 3}])
            assert len(backend.search("a", limit=5)) == number + 1
            assert backend.search(letter, limit=1)[0]["id"] == letter
        other.remove(["a"])
        assert {hit["id"] for hit in backend.search("a", limit=5)} == {"b", "c"}


def test_vectors_are_kept_in_the_file(tmp_path) -> None:
    path = tmp_path / "i"
    with SqliteBackend(path, embedder=Letters()) as index:
        index.add([{"id": "a", "content": "aaa"}])

    class Silent(Letters):
        def embed(self, texts, *, purpose):
            assert purpose == "query", "the document was embedded again"
            return super().embed(texts, purpose=purpose)

    with SqliteBackend(path, embedder=Silent()) as index:
        assert index.add([{"id": "a", "content": "aaa"}]).unchanged == 1
        assert index.semantic().search("a", limit=1)[0]["id"] == "a"
    # Without its embedder it is still searched for words.
    with SqliteBackend(path) as index:
        assert len(index.search("aaa", limit=1)) == 1


def test_another_embedder_is_refused(tmp_path) -> None:
    path = tmp_path / "i"
    with SqliteBackend(path, embedder=Letters()) as index:
        index.add([{"id": "a", "content": "aaa"}])
    narrow = Letters()
    narrow.dimension = 25
    for other in (Letters("others"), narrow):
        with pytest.raises(UnusableIndex, match=r"has vectors by 'letters' \(dimension 26"):
            SqliteBackend(path, embedder=other)


def test_documents_without_vectors(tmp_path) -> None:
    path = tmp_path / "i"
    documents = [{"id": str(number), "content": "abc"} for number in range(3)]
    with SqliteBackend(path) as index:
        index.add(documents)
    with SqliteBackend(path, embedder=Letters()) as index:
        backend = index.semantic()
        with pytest.raises(UnusableIndex, match="has no vectors; add its documents again"):
            backend.search("a", limit=1)
        index.add(documents[:2])
        with pytest.raises(UnusableIndex, match="none for 1 documents"):
            backend.search("a", limit=1)
        assert index.add(documents).unchanged == 3
        assert len(backend.search("a", limit=5)) == 3


def test_damaged_vectors(tmp_path) -> None:
    with SqliteBackend(tmp_path / "i", embedder=Letters()) as index:
        index.add([{"id": "a", "content": "aaa"}])
        with index.connections.writing() as connection:
            connection.execute("UPDATE vector SET vector = x'00'")
        with pytest.raises(UnusableIndex, match="damaged"):
            index.semantic().search("a", limit=1)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (np.zeros((1, 25)), "shape"),
        (np.zeros((2, 26)), "shape"),
        (np.zeros(26), "shape"),
        (np.full((1, 26), np.nan), "not finite"),
        (np.full((1, 26), np.inf), "not finite"),
    ],
)
def test_an_embedder_that_errs_writes_nothing(answer, message) -> None:
    class Wrong(Letters):
        def embed(self, texts, *, purpose):
            return answer

    with SqliteBackend(embedder=Wrong()) as index:
        with pytest.raises(ValueError, match=message):
            index.add([{"id": "a", "content": "aaa"}])
        assert len(index) == 0


def test_vectors_of_any_length_and_none() -> None:
    class Lengths(Letters):
        def embed(self, texts, *, purpose):
            return super().embed(texts, purpose=purpose) * np.float32(1e38 if purpose == "query" else 1e-38)

    found = unit_vectors(Lengths(), ["a", "zz", "123"], "query")
    assert np.allclose(np.linalg.norm(found, axis=1), [1, 1, 0])
    with SqliteBackend(embedder=Lengths()) as index:
        index.add([{"id": "n", "content": "123"}, {"id": "a", "content": "a"}, {"id": "b", "content": "b"}])
        assert [hit["id"] for hit in index.semantic().search("b", limit=3)] == ["b", "n", "a"]
        assert len(index.semantic().search("123", limit=3)) == 3
    assert unit_vectors(Letters(), [], "query").shape == (0, 26)
    assert document_vectors(Letters(), [], "title").shape == (0, 26)


@given(non_empty_texts)
def test_passages_of_a_short_text_are_itself(text) -> None:
    assert passages(text) == [text]


@pytest.mark.parametrize("tokens", [1, 127, 128, 129, 256, 257, 1000, 128 * PASSAGES_MAX, 128 * PASSAGES_MAX + 1])
def test_passages_hold_every_token_once(tokens) -> None:
    words = [f"w{number}" for number in range(tokens)]
    found = passages(" ".join(words))
    if tokens <= PASSAGE_TOKENS * 100:
        assert " ".join(found).split() == words
    assert len(found) == min(PASSAGES_MAX, -(-tokens // PASSAGE_TOKENS)) or len(found) <= PASSAGES_MAX
    assert len(passages("x" * 10_000_000)[0]) == 4096


def test_headings_are_embedded_with_every_passage() -> None:
    seen: list[str] = []

    class Listening(Letters):
        def embed(self, texts, *, purpose):
            seen.extend(texts)
            return super().embed(texts, purpose=purpose)

    document = Document.of({"id": "x", "title": ["Owls", "Kites"], "content": "word " * 200})
    document_vectors(Listening(), [document], "title")
    assert [text.partition("\n")[0] for text in seen] == ["Owls Kites"] * 2


def test_word_llama(embedder) -> None:
    assert isinstance(embedder, Embedder)
    found = embedder.embed(["owls hunt", "owls hunt", "", "\ud800", "x" * 1_000_000], purpose="document")
    assert found.shape == (5, embedder.dimension)
    assert found.dtype == np.float32
    assert np.isfinite(found).all()
    assert np.array_equal(found[0], found[1])


@given(texts)
@settings(max_examples=50)
def test_word_llama_takes_any_text(embedder, text) -> None:
    alone = unit_vectors(embedder, [text], "query")
    assert np.isfinite(alone).all()
    # Padding to the longest of a batch does not matter.
    together = unit_vectors(embedder, [text, "long " * 50], "query")
    assert np.allclose(alone[0], together[0], atol=1e-5)
