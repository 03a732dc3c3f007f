"""How well known items are found in Python's language reference, by words, by meaning, and by both."""

from __future__ import annotations

from pydoc_data.topics import topics

import pytest

from sid.backends import FusedBackend, SearchBackend, SqliteBackend

from .known_items import QUESTIONS

CUT_OFFS = (1, 5)


@pytest.fixture(scope="module")
def hits(embedder) -> dict[str, tuple[int, ...]]:
    """Give how many of the questions each mode answers among its first results, at each cut-off."""
    with SqliteBackend(embedder=embedder) as index:
        index.add({"id": name, "title": name, "content": text} for name, text in topics.items())
        semantic = index.semantic()
        modes: dict[str, SearchBackend] = {
            "text": index,
            "vector": semantic,
            "fused": FusedBackend([index, semantic]),
        }
        found = {}
        for mode, backend in modes.items():
            answers = {question: [hit["id"] for hit in backend.search(question, limit=5)] for question in QUESTIONS}
            found[mode] = tuple(
                sum(topic in answers[question][:cut_off] for question, topic in QUESTIONS.items())
                for cut_off in CUT_OFFS
            )
        return found


def test_the_questions() -> None:
    assert len(QUESTIONS) == 30
    assert len(set(QUESTIONS.values())) == 30
    assert set(QUESTIONS.values()) <= set(topics)


def test_both_together_are_at_least_as_good_as_either(hits, record_property) -> None:
    record_property("hits", str(hits))
    print(", ".join(f"{mode}: hit@1 {one}/30, hit@5 {five}/30" for mode, (one, five) in hits.items()))
    for place, cut_off in enumerate(CUT_OFFS):
        assert hits["fused"][place] >= max(hits["text"][place], hits["vector"][place]), (cut_off, hits)


def test_each_mode_is_of_use(hits) -> None:
    """Far above chance, which is 0.4 and 1.9 of 30."""
    for mode, (one, five) in hits.items():
        assert one >= 8, (mode, hits)
        assert five >= 18, (mode, hits)
