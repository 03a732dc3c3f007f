"""Ranking: BM25 over what is given alone, the same bits in both backends."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sid import _kernels, _pure
from sid.analysis import kept_terms
from sid.governed import AskPolicy
from sid.governed.gate import eligible
from sid.governed.ranking import question_terms, rank
from strategies import languages, representative_text, texts

from .builders import ADA, store, version

words = st.sampled_from(["valve", "pump", "the", "Öl", "bleeding-screw", "x" * 9, "x" * 10, "straße", "3.14", "日本"])
documents = st.lists(st.lists(words, max_size=90).map(" ".join) | representative_text | texts, max_size=6)
terms = st.lists(words.map(str.lower) | st.text(max_size=3), max_size=30)


def naive(terms: list[str], texts: list[str], language: str) -> list[tuple[float, int, int]]:
    counts = [Counter(kept_terms(text, language)) for text in texts]
    lengths = [sum(count.values()) for count in counts]
    found = []
    for count, length in zip(counts, lengths, strict=True):
        score, matched = 0.0, 0
        for term in dict.fromkeys(terms):
            if not count[term]:
                continue
            df = sum(1 for other in counts if other[term])
            idf = math.log(1.0 + (len(texts) - df + 0.5) / (df + 0.5))
            norm = 1.2 * (1.0 - 0.75 + 0.75 * length / (sum(lengths) / len(texts)))
            score += idf * (count[term] * 2.2) / (count[term] + norm)
            matched += 1
        found.append((score, matched, length))
    return found


@given(terms, documents, languages)
def test_scores_are_the_formula_to_the_bit(terms, documents, language) -> None:
    expected = naive(terms, documents, language)
    assert _kernels.bm25_scores(terms, documents, language) == expected
    assert _pure.bm25_scores(terms, documents, language) == expected


@given(terms, st.lists(st.lists(words, min_size=60, max_size=400).map(" ".join), min_size=1, max_size=40))
def test_many_long_documents(terms, documents) -> None:
    assert _kernels.bm25_scores(terms, documents, "english") == naive(terms, documents, "english")


@pytest.mark.parametrize("module", [_kernels, _pure])
def test_what_is_no_text_is_refused(module) -> None:
    for bad in (([1], ["x"], "english"), (["x"], [None], "english"), (["x"], [b"x"], "english")):
        with pytest.raises(TypeError):
            module.bm25_scores(*bad)
    with pytest.raises(ValueError, match="language"):
        module.bm25_scores(["x"], ["x"], "klingon")
    assert module.bm25_scores(["x"], [], "english") == []
    assert module.bm25_scores([], ["x y"], "english") == [(0.0, 0, 2)]


def test_texts_in_parallel_are_scored_as_one_by_one() -> None:
    many = [f"valve {'pump ' * (number % 7)}" * 3000 for number in range(40)]
    assert _kernels.bm25_scores(["valve", "pump"], many, "english") == naive(["valve", "pump"], many, "english")


def test_what_asks_is_not_asked_about() -> None:
    assert question_terms("How should I have my PUMP bled, and which pump?") == ["pump", "bled"]
    assert question_terms("How do I do it?") == []
    assert question_terms("") == []


def test_equals_come_in_order_of_their_names() -> None:
    """Neither the order of writing nor that of a table shows."""
    names = ["C", "A", "B@1#2:3", "B"]
    versions = [version(name, text="valve") for name in names]
    with store(None, *versions, policy=AskPolicy(passages=9)) as made:
        with made.connections.reading() as connection:
            found = eligible(connection, ADA, "pumps", made.today()).versions
        assert [one.key.document_id for one in found] == sorted(names)
        for given_order in (found, found[::-1]):
            assert [one.version.key.document_id for one in rank(["valve"], given_order)] == sorted(names)
        answer = made.read_service_instruction(ADA, "T-1", "valve?")
        assert [passage.document_id for passage in answer.passages] == sorted(names)
