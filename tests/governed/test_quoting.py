"""What counts as a quote: whole words of the document, within the passage that is cited."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sid import _kernels
from sid.governed import Locator, VersionKey
from sid.governed.quoting import QuotedText

from .builders import ADA, store, version

KEY = VersionKey("NS-1", 1)
NFD = unicodedata.normalize("NFD", "é")


@pytest.mark.parametrize(
    ("text", "quote", "quoted"),
    [
        ("At most 15 bar.", "15 bar", True),
        ("At most 15 bar.", "5 bar", False),
        ("At most 1.5 bar.", "5 bar", False),
        ("It is unsafe.", "safe", False),
        ("It is unsafe.", "is un", False),
        ("It is unsafe.", "unsafe", True),
        ("Do not. Not safe, do nothing.", "not", True),
        ("unsafe, but safe", "safe", True),
        (f"caf{NFD} noir", "cafe", False),
        (f"caf{NFD} noir", f"caf{NFD}", True),
        (f"{NFD}", "e", False),
        ("can't", "can", False),
        ("日本", "日", True),
        ("a\r\nb", "a\r", False),
        ("p < 5 & q > 3", "p &lt; 5 &amp; q &gt; 3", True),
        ("p < 5 & q > 3", "p < 5 & q > 3", True),
        ("write &lt; here", "write &lt; here", True),
        ("write &lt; here", "write &amp;lt; here", True),
        ("write < here", "write &amp;lt; here", False),
        ("x&y", "x&amp;y", True),
        ("ab ab abc", "ab abc", True),
        ("ab ab abc", "ab ab", True),
        ("ab abc", "ab ab", False),
        ("  x", " ", False),
    ],
)
def test_quotes_are_of_whole_words(text, quote, quoted) -> None:
    with store(None, version(text=text)) as made:
        (claim,) = made.check_answer(ADA, [("x", [(f"NS-1@1#0:{len(text)}", quote)])]).claims
        assert claim.quoted == quoted
        assert quoted or claim.reasons == (("quote_not_found", f"NS-1@1#0:{len(text)}"),)


def test_a_locator_that_cuts_a_word_makes_none_of_it() -> None:
    text = "At most 15 bar, unsafe above."
    with store(None, version(text=text)) as made:

        def quoted(start: int, end: int) -> bool:
            return made.check_answer(ADA, [("x", [(f"NS-1@1#{start}:{end}", text[start:end])])]).quoted

        ends = {place for start, end, _ in _kernels.word_segments(text) for place in (start, end)}
        for start in range(len(text)):
            for end in range(start + 1, len(text) + 1):
                expected = start in ends and end in ends and bool(text[start:end].strip())
                assert quoted(start, end) == expected, text[start:end]


alphabet = st.text("ab1. '&<;\u0301é日👍🏽\u200d\n", max_size=14)


@given(alphabet.filter(bool), st.data())
def test_what_holds_is_what_a_naive_search_finds(text, data) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    first = data.draw(st.integers(start, end - 1))
    quote = data.draw(st.just(text[first : data.draw(st.integers(first, end))]) | alphabet)
    ends = {place for segment in _kernels.word_segments(text) for place in segment[:2]}
    unescaped = quote.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    expected = any(
        words.strip() and text[i : i + len(words)] == words and {i, i + len(words)} <= ends
        for words in (quote, unescaped)
        for i in range(start, end - len(words) + 1)
    )
    assert QuotedText(text).holds(quote, Locator(KEY, start, end)) == expected


@given(alphabet.filter(str.strip))
def test_what_a_model_is_shown_can_be_quoted(text) -> None:
    shown = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert QuotedText(text).holds(shown, Locator(KEY, 0, len(text)))


def test_long_words_and_long_quotes_cost_little() -> None:
    """A word of a million letters is not searched letter by letter: each search goes on at the next word."""
    import time

    text = QuotedText("a" * 1_000_000)
    before = time.process_time()
    for _ in range(20):
        assert not text.holds("a" * 10_000, Locator(KEY, 0, 1_000_000))
    assert time.process_time() - before < 5
