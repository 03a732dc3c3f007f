"""`bm25_snippet_with_stride`: which stretch of a text answers a query."""

from __future__ import annotations

import random
import re
import sys

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import models
from sid import DocumentCache, _kernels
from sid.document_cache import SUPPORTED_LANGUAGES, bm25_snippet_with_stride, stride_size
from strategies import languages, searches, texts

sizes = st.one_of(st.integers(1, 12), st.integers(1, 70))


def chosen(query: str, content: str, size: int, stride: int = 1, language: str = "generic") -> str:
    start, end = bm25_snippet_with_stride(query, content, size, stride, language)
    return content[start:end]


@given(searches(), sizes, sizes)
@example(("red", "red", "generic"), 1, 1)
def test_agrees_with_bm25_window_by_window(search, size, stride):
    query, content, language = search
    expected = models.snippet(query, content, size, stride, language)
    assert bm25_snippet_with_stride(query, content, size, stride, language) == expected


@given(st.data())
def test_ties_of_few_words_go_to_the_earliest_window(data):
    words = st.sampled_from(["a", "b", "the"])
    content = " ".join(data.draw(st.lists(words, min_size=8, max_size=40)))
    query = " ".join(data.draw(st.lists(words, max_size=6)))
    size, stride = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 4))
    for language in ("generic", "danish"):
        expected = models.snippet(query, content, size, stride, language)
        assert bm25_snippet_with_stride(query, content, size, stride, language) == expected


# Texts whose best window is another one if the named detail of the formula is a little different.
CLOSE_CALLS = {
    "k1 of 1.21": ("d e d", "e e d e d e d e", 6, 1),
    "k1 of 1.19": ("h h h b h", "b h h b h b", 5, 2),
    "b of 0.76": ("e d f", "e g h h c h the f e e c", 3, 1),
    "b of 0.74": ("c b c c", "b c b b c c b", 6, 2),
    "idf with 0.51": ("h h h b h", "b h h b h b", 5, 2),
    "idf with 0.49": ("h h h b h", "b h h b h b", 5, 2),
    "idf of ln 1.001": ("f h f", "f h h f f h f", 6, 1),
    "bigram length as of unigrams": ("f e", "f e d f e the", 4, 2),
    "bigrams first": ("f d f", "d d f f f d", 3, 3),
    "features in reverse": ("h d", "d h the h d d h", 6, 2),
    "features in another order": ("h e c c h", "h e h c h c c", 6, 3),
    "idf times the quotient": ("h h h b h", "b h h b h b", 5, 2),
    "b times the quotient": ("e h h e e", "e the e h the h the h e the e", 6, 2),
    "idf times tf first": ("e e h e e", "e h h e h e h e h h", 6, 1),
    "k1 multiplied out": ("f d e", "e f e d d f e d", 4, 3),
}


@pytest.mark.parametrize(("query", "content", "size", "stride"), CLOSE_CALLS.values(), ids=CLOSE_CALLS)
def test_close_calls(query, content, size, stride):
    expected = models.snippet(query, content, size, stride, "english")
    assert bm25_snippet_with_stride(query, content, size, stride, "english") == expected


def test_many_texts_of_few_words():
    drawn = random.Random("few words")
    for _ in range(500):
        words = drawn.sample("bcdefgh", drawn.randint(2, 6)) + ["the"] * drawn.randint(0, 2)
        content, query = (
            " ".join(drawn.choices(words, k=count)) for count in (drawn.randint(6, 26), drawn.randint(1, 5))
        )
        size, stride = drawn.randint(2, 6), drawn.randint(1, 3)
        expected = models.snippet(query, content, size, stride, "english")
        assert bm25_snippet_with_stride(query, content, size, stride, "english") == expected, (
            query,
            content,
            size,
            stride,
        )


@given(texts, texts, sizes, sizes, languages)
def test_any_text_gives_a_span_of_whole_tokens(query, content, size, stride, language):
    start, end = bm25_snippet_with_stride(query, content, size, stride, language)
    bounds = [(first, last) for first, last, word_like in _kernels.word_segments(content) if word_like]
    if len(bounds) <= size:
        assert (start, end) == (0, len(content))
    else:
        inside = [(first, last) for first, last in bounds if start <= first and last <= end]
        assert len(inside) == size
        assert (inside[0][0], inside[-1][1]) == (start, end)


@given(searches(), sizes, sizes)
def test_replacing_surrogates_by_other_symbols_changes_nothing(search, size, stride):
    query, content, language = search
    plain = [re.sub("[\ud800-\udfff]", "\u0378", text) for text in (query, content)]
    spans = [bm25_snippet_with_stride(*pair, size, stride, language) for pair in ((query, content), plain)]
    assert spans[0] == spans[1]


# --- rule by rule -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", ["", "b", "nowhere"])
@pytest.mark.parametrize("content", ["  a, b!  ", "", " … ", "a", "a b c"])
def test_a_text_of_no_more_tokens_than_the_window_is_taken_whole(query, content):
    assert bm25_snippet_with_stride(query, content, 3, 1) == (0, len(content))


def test_a_text_of_one_token_more_is_not():
    assert bm25_snippet_with_stride("d", "  a b c (d) ", 3, 1) == (4, 10)


@pytest.mark.parametrize(
    ("query", "language"), [("", "english"), ("…", "english"), ("the of THE", "english"), ("zzz", "generic")]
)
def test_a_query_without_a_term_in_the_text_gives_the_first_window(query, language):
    assert bm25_snippet_with_stride(query, '  "The a of" b the c', 3, 1, language) == (3, 11)


def test_the_span_holds_what_is_between_its_tokens_and_nothing_around_them():
    assert bm25_snippet_with_stride("c", "a -- ( b… c ) -- d", 2, 1) == (7, 11)


def test_windows_start_at_every_stride_and_the_last_one_ends_with_the_text():
    content = " ".join("abcdefghij")
    windows = [chosen(letter, content, 4, 4) for letter in "abcdefghij"]
    # g and h are in two windows: the earlier wins.
    assert windows == ["a b c d"] * 4 + ["e f g h"] * 4 + ["g h i j"] * 2


@pytest.mark.parametrize("stride", [6, 7, 100, sys.maxsize, 10**30])
def test_a_stride_past_the_end_leaves_the_first_and_the_last_window(stride):
    content = " ".join("abcdefghij")
    assert {chosen(letter, content, 4, stride) for letter in "abcdefghij"} == {"a b c d", "g h i j"}


def test_a_window_that_holds_the_pair_beats_one_that_holds_both_words():
    assert chosen("x y", "y x n n x y n n", 2) == "x y"
    assert chosen("y x", "x y n n y x n n", 2) == "y x"


def test_a_dropped_stopword_does_not_break_a_pair():
    content = "y the x n n x the y n n"
    assert chosen("x y", content, 3, language="english") == "x the y"
    assert chosen("x and y", content, 3, language="english") == "x the y"
    assert chosen("x y", content, 3, language="generic") == "y the x"


def test_a_kept_word_breaks_a_pair():
    assert chosen("x y", "y x n n x n y n n", 3) == "y x n"


def test_stopwords_take_positions():
    assert chosen("x", "the the the the x a b", 2, 2, "english") == "x a"


def test_the_rarer_term_weighs_more():
    assert chosen("x y", "x n x n x n y n x n", 1) == "y"


def test_more_occurrences_weigh_more_but_ever_less():
    assert chosen("x", "x n n x x n n", 3) == "n x x"
    assert chosen("x y", "x x x n n n x n y n n n", 3, 3) == "x n y"


def test_fewer_kept_words_make_an_occurrence_weigh_more():
    assert chosen("x", "x n n n the the x n n n n n", 4, 1, "english") == "n the the x"


def test_case_and_final_sigma_do_not_matter():
    assert chosen("ΟΔΟΣ", "a b οδοσ c", 1) == "οδοσ"
    assert chosen("straße", "a STRAßE STRASSE", 1) == "STRAßE"
    assert chosen("i\u0307x", "a b İX c", 1) == "İX"


def test_no_stemming_and_no_folding():
    assert chosen("dog", "dogs dóg ｄog dog", 1) == "dog"
    assert chosen("1,000", "1 000 1000 1,000", 1) == "1,000"


def test_defaults():
    content = " ".join(f"w{number}" for number in range(200)) + " the"
    for query in ("w123", "the", "w199"):
        explicit = bm25_snippet_with_stride(query, content, window_size=50, stride=10, language="english")
        assert bm25_snippet_with_stride(query, content) == explicit
        assert DocumentCache.snippet_fn(query, content, 50) == explicit
        assert DocumentCache.snippet_fn(query, content, 50, "english") == explicit


@given(searches(), st.integers(1, 30))
def test_snippet_fn_strides_a_fifth_of_the_window(search, size):
    query, content, language = search
    expected = bm25_snippet_with_stride(query, content, size, stride_size(size), language)
    assert DocumentCache.snippet_fn(query, content, size, language=language) == expected


# --- arguments --------------------------------------------------------------------------------------------------------

CONTENT = "a b c d e f"


@pytest.mark.parametrize("size", [0, -1, -(10**30), False, np.int64(0)])
@pytest.mark.parametrize("name", ["window_size", "stride"])
def test_sizes_are_at_least_one(name, size):
    with pytest.raises(ValueError, match=rf"{name}.*{re.escape(repr(size))}"):
        bm25_snippet_with_stride("d", CONTENT, **{"window_size": 2, "stride": 1, name: size})


@pytest.mark.parametrize("size", [2.0, "2", None, [2]])
@pytest.mark.parametrize("name", ["window_size", "stride"])
def test_sizes_are_integers(name, size):
    with pytest.raises(TypeError):
        bm25_snippet_with_stride("d", CONTENT, **{"window_size": 2, "stride": 1, name: size})


@pytest.mark.parametrize("make", [int, np.int64, np.uint8, np.int8], ids=lambda make: make.__name__)
def test_sizes_are_any_integers(make):
    span = bm25_snippet_with_stride("d", CONTENT, make(2), make(1))
    assert span == (4, 7)
    assert list(map(type, span)) == [int, int]
    assert DocumentCache.snippet_fn("d", CONTENT, make(2)) == (4, 7)


@pytest.mark.parametrize("size", [sys.maxsize, sys.maxsize + 1, 2**64, 10**30, 10**400])
def test_sizes_have_no_limit(size):
    assert bm25_snippet_with_stride("d", CONTENT, size, size) == (0, len(CONTENT))
    assert DocumentCache.snippet_fn("d", CONTENT, size) == (0, len(CONTENT))


@pytest.mark.parametrize("language", ["", "English", "klingon", "en", "\ud800", None, 1, ["english"]])
def test_any_other_language_is_refused_and_the_supported_ones_are_listed(language):
    calls = (
        lambda: bm25_snippet_with_stride("d", CONTENT, 2, 1, language),
        lambda: DocumentCache.snippet_fn("d", CONTENT, 2, language),
        lambda: DocumentCache(language),
    )
    for call in calls:
        with pytest.raises(ValueError, match="supported values: ") as caught:
            call()
        message = str(caught.value)
        assert repr(language) in message
        assert ", ".join(SUPPORTED_LANGUAGES) in message


@pytest.mark.parametrize("text", [None, b"d", 5, ["d"]])
@pytest.mark.parametrize("name", ["query", "content"])
def test_texts_are_strings(name, text):
    with pytest.raises(TypeError, match=f"{name}.*{re.escape(repr(text))}"):
        bm25_snippet_with_stride(**{"query": "d", "content": CONTENT, name: text})


class Shouting(str):
    """A string that does not behave like one towards Python code."""

    def __str__(self) -> str:
        return "shouting"

    def __repr__(self) -> str:
        return "SHOUTING"

    def __getitem__(self, index: object) -> str:
        return super().__getitem__(index).upper()


@pytest.mark.parametrize("make", [Shouting, np.str_], ids=lambda make: make.__name__)
@pytest.mark.parametrize("content", ["a b c d e f", "a \ud800 b c d e f", "é b c d ē"])
def test_subclasses_of_str_are_their_text(make, content):
    expected = bm25_snippet_with_stride("d", content, 2, 1)
    assert bm25_snippet_with_stride(make("d"), make(content), 2, 1) == expected
    assert bm25_snippet_with_stride("d", content, 2, 1, make("english")) == expected


# --- size -------------------------------------------------------------------------------------------------------------


MANY_TERMS = " ".join(f"q{number}" for number in range(20_000))


@pytest.mark.parametrize(
    ("query", "content", "size", "stride", "term"),
    [
        ("b", "a " * 50_000 + "b " + "a " * 50_000, 50, 10, "b"),
        ("a", "a " * 100_000, 50, 1, "a"),
        ("a b", "a b " * 30_000, 2, 1, "a b"),
        ("a " * 20_000 + "b", "a " * 20_000 + "b", 50, 10, "b"),
        (MANY_TERMS, MANY_TERMS, 50, 10, "q1"),
        ("x" * 500_000, "y " + "x" * 500_000, 1, 1, "xxx"),
        ("漢", "字" * 50_000 + "漢" + "字" * 50_000, 50, 10, "漢"),
        ("b", "\ud800 a " * 30_000 + "b", 50, 10, "b"),
    ],
    ids=["one", "all", "pairs", "long query", "many terms", "long token", "han", "surrogates"],
)
def test_long_texts(query, content, size, stride, term):
    start, end = bm25_snippet_with_stride(query, content, size, stride, "generic")
    assert term in content[start:end]
    assert len(_kernels.analyze(content[start:end], "generic")) == size


def test_the_pure_backend_visits_windows_once_per_feature_however_much_they_overlap():
    from sid._pure import snippet

    for size, stride in ((500, 1), (37, 5), (3, 1)):
        first = snippet._window_starts(1000, size, stride)
        for step in (1, 2, 499):
            events = [(left, left + left % 2) for left in range(0, 999, step)]
            windows, frequencies = snippet._frequencies(events, first, size)
            expected = [
                sum(start <= left and right < start + size for left, right in events) for start in first.tolist()
            ]
            assert windows.tolist() == [index for index, held in enumerate(expected) if held]
            assert frequencies.tolist() == [held for held in expected if held]
