from __future__ import annotations

import gc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
from sid import DocumentCache, analysis_cache
from sid.document_cache import SUPPORTED_LANGUAGES, bm25_snippet_with_stride

BUDGET = 64 << 20


@pytest.fixture(autouse=True)
def emptied() -> Iterator[None]:
    analysis_cache.resize(BUDGET)
    analysis_cache.clear()
    yield
    analysis_cache.resize(BUDGET)
    analysis_cache.clear()


def text_of(number: int, words: int = 400) -> str:
    return " ".join(f"word{number} {place % 7} and the fox{place}" for place in range(words // 5))


def ask(text: str, query: str = "fox3 and 5") -> tuple[int, int]:
    return bm25_snippet_with_stride(query, text, 20, 4)


def test_a_text_is_remembered_when_it_is_asked_about_again() -> None:
    text = text_of(1)
    ask(text)
    assert analysis_cache.info()[2:] == (0, 0, 1, 0)
    ask(text, "word1")
    assert analysis_cache.info()[2:] == (1, 0, 2, 0)
    ask(text, "fox9")
    assert analysis_cache.info()[2:] == (1, 1, 2, 0)
    assert len(text) < analysis_cache.info().used <= BUDGET


def test_equal_texts_of_other_caches_share_what_is_remembered() -> None:
    spans = set()
    for _ in range(4):
        cache = DocumentCache()
        # A new string each time.
        cache.add_document("d", {"content": "".join(list(text_of(2)))})
        spans.add(cache.apply_snippet("d", "content", "fox7").snippet_display_spans[0])
    assert len(spans) == 1
    assert analysis_cache.info()[2:] == (1, 2, 2, 0)


def test_a_field_that_is_replaced_is_read_anew() -> None:
    cache = DocumentCache()
    cache.add_document("d", {"content": text_of(3)})
    document = cache.get_document("d")
    for number in range(3, 9):
        document["content"] = text_of(number) + f" needle{number} " + "hay " * 60
        for _ in range(3):
            (span,) = cache.apply_snippet("d", "content", f"needle{number}", snippet_size=5).snippet_display_spans
            assert f"needle{number}" in document["content"][slice(*span)]


def test_addresses_that_are_used_again_name_no_other_text() -> None:
    for number in range(300):
        text = text_of(number % 5) + f" needle{number % 3} " + "hay " * (number % 11 + 9)
        for _ in range(3):
            start, end = bm25_snippet_with_stride(f"needle{number % 3}", text, 5, 1)
            assert f"needle{number % 3}" in text[start:end]
        del text


def test_the_longest_unused_are_dropped_to_stay_within_the_budget() -> None:
    used = []
    for number in range(2):
        for _ in range(2):
            ask(text_of(number))
        used.append(analysis_cache.info().used)
    one = used[1] - used[0]  # what keeps track of texts takes something too
    analysis_cache.resize(6 * one)
    for number in range(30):
        for _ in range(2):
            ask(text_of(number))
        assert analysis_cache.info().used <= 6 * one
    info = analysis_cache.info()
    assert info.evictions > 20
    assert 1 <= info.texts < 7
    hits = info.hits
    ask(text_of(29))
    assert analysis_cache.info().hits == hits + 1
    ask(text_of(0))
    assert analysis_cache.info().hits == hits + 1
    analysis_cache.resize(1)
    assert analysis_cache.info()[:3] == (1, 0, 0)


def test_a_budget_of_nothing_remembers_nothing() -> None:
    analysis_cache.resize(0)
    expected = ask(text_of(1))
    assert [ask(text_of(1)) for _ in range(4)] == [expected] * 4
    assert analysis_cache.info() == (0, 0, 0, 0, 0, 0)


def test_short_texts_are_not_remembered() -> None:
    for _ in range(3):
        ask("a short text about a fox " * 9)
    assert analysis_cache.info()[2:] == (0, 0, 0, 0)


def test_clearing_forgets_counts_but_not_the_budget() -> None:
    analysis_cache.resize(1 << 22)
    for _ in range(3):
        ask(text_of(1))
    analysis_cache.clear()
    assert analysis_cache.info() == (1 << 22, 0, 0, 0, 0, 0)
    ask(text_of(1))
    assert analysis_cache.info().texts == 0


@pytest.mark.parametrize("budget", [-1, -(10**30)])
def test_a_negative_budget_is_refused(budget: int) -> None:
    with pytest.raises(ValueError, match=f"0 or more, got {budget}"):
        analysis_cache.resize(budget)
    assert analysis_cache.info().budget == BUDGET


@pytest.mark.parametrize("budget", ["1", 1.5, None])
def test_a_budget_that_is_no_integer_is_refused(budget: object) -> None:
    with pytest.raises(TypeError):
        analysis_cache.resize(budget)  # type: ignore[arg-type]


def test_a_budget_beyond_all_memory_is_taken() -> None:
    analysis_cache.resize(10**40)
    assert analysis_cache.info().budget > 1 << 60


@given(
    parts=st.lists(strategies.texts, min_size=1, max_size=12),
    asks=st.lists(
        st.tuples(strategies.texts, st.integers(1, 60), st.integers(1, 15), st.sampled_from(SUPPORTED_LANGUAGES)),
        min_size=1,
        max_size=6,
    ),
)
def test_results_do_not_depend_on_what_is_remembered(parts: list[str], asks: list[tuple[str, int, int, str]]) -> None:
    content = " the fox and. ".join(parts * (1 + 1100 // max(1, sum(map(len, parts)))))
    asks = [(f"{query} fox {parts[0][:20]}", *sizes) for query, *sizes in asks]
    analysis_cache.resize(0)
    expected = [bm25_snippet_with_stride(query, content, *sizes) for query, *sizes in asks]
    analysis_cache.resize(BUDGET)
    for _ in range(3):
        assert [bm25_snippet_with_stride(query, content, *sizes) for query, *sizes in asks] == expected
    analysis_cache.clear()


class Odd(str):
    """A string that compares and hashes as it likes, and asks the cache meanwhile."""

    def __eq__(self, other: object) -> bool:
        analysis_cache.info()
        return True

    def __hash__(self) -> int:
        analysis_cache.info()
        return 5

    def __del__(self) -> None:
        analysis_cache.info()


def test_strings_of_a_subclass_are_found_by_what_they_hold() -> None:
    texts = [text_of(number) for number in range(4)]
    expected = [ask(text) for text in texts]
    analysis_cache.resize(100_000)
    for _ in range(3):
        for text, span in zip(texts, expected, strict=True):
            assert ask(Odd(text)) == span
    analysis_cache.clear()


@pytest.mark.parametrize("budget", [1, 7, 63, 64, 4_000, 1 << 20])
def test_a_smaller_budget_holds_for_whatever_comes_next(budget: int) -> None:
    for number in range(60):
        for _ in range(2):
            ask(text_of(number))
    analysis_cache.resize(budget)
    for number in range(60, 66):
        ask(text_of(number))
        assert analysis_cache.info().used <= budget


def test_threads_share_it() -> None:
    texts = [text_of(number, 2000) for number in range(12)]
    expected = [ask(text) for text in texts]
    for _ in range(2):
        ask(texts[0])
    analysis_cache.resize(4 * analysis_cache.info().used)

    def work(seed: int) -> None:
        for step in range(150):
            number = (seed * 7 + step * 5) % len(texts)
            assert ask(texts[number]) == expected[number]
            if step % 50 == seed:
                analysis_cache.clear()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    info = analysis_cache.info()
    assert info.used <= info.budget
    gc.collect()
