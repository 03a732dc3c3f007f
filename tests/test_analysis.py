"""From text to tokens: positions, terms, stopwords."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sid._kernels import analyze, word_segments
from sid.document_cache import SUPPORTED_LANGUAGES
from strategies import languages, representative_text, texts

STOPWORDS_FILE = Path(__file__).parents[1] / "rust" / "tablegen" / "data" / "stopwords.json"


@pytest.fixture(scope="module")
def stopwords() -> dict[str, list[str]]:
    return json.loads(STOPWORDS_FILE.read_text(encoding="utf-8"))


def terms(text: str, language: str = "generic") -> list[str]:
    return [term for term, *_ in analyze(text, language)]


def test_languages():
    assert (
        tuple(
            "danish dutch english finnish french german generic hungarian italian norwegian portuguese russian spanish"
            " swedish".split()
        )
        == SUPPORTED_LANGUAGES
    )


def test_examples():
    assert analyze("The  Red fox, the end.", "english") == [("red", 1, 5, 8), ("fox", 2, 9, 12), ("end", 4, 18, 21)]
    assert analyze("The Red", "generic") == [("the", 0, 0, 3), ("red", 1, 4, 7)]
    assert analyze("", "english") == analyze(" … _", "english") == analyze("the THE The", "english") == []


@given(st.one_of(texts, representative_text))
def test_generic_keeps_every_word_like_segment_at_the_next_position(text):
    bounds = [(start, end) for start, end, word_like in word_segments(text) if word_like]
    tokens = analyze(text, "generic")
    assert [(position, start, end) for _, position, start, end in tokens] == [
        (position, *bound) for position, bound in enumerate(bounds)
    ]


@given(languages.flatmap(lambda language: st.tuples(st.just(language), texts)))
def test_a_language_drops_its_stopwords_and_leaves_gaps(drawn):
    language, text = drawn
    stopwords = set(json.loads(STOPWORDS_FILE.read_text(encoding="utf-8")).get(language, ()))
    assert analyze(text, language) == [token for token in analyze(text, "generic") if token[0] not in stopwords]


@given(st.one_of(texts, representative_text))
def test_a_term_is_made_code_point_by_code_point(text):
    for term, _, start, end in analyze(text, "generic"):
        token = text[start:end]
        if all(unicodedata.category(character) != "Cn" for character in token):  # known to Python's Unicode
            assert term == "".join(character.lower() for character in token)


@pytest.mark.parametrize(
    ("token", "term"),
    [
        ("STRAßE", "straße"),
        ("ẞ", "ß"),
        ("ΟΔΟΣ", "οδοσ"),
        ("Σ", "σ"),
        ("ς", "ς"),
        ("İ", "i\u0307"),
        ("İSTANBUL", "i\u0307stanbul"),
        ("I", "i"),
        ("ı", "ı"),
        ("Ǆ", "ǆ"),
        ("ǅ", "ǆ"),
        ("K", "k"),
        ("Å", "å"),
        ("Ⅷ", "ⅷ"),
        ("Ⓐ", "ⓐ"),
        ("Ꭰ", "ꭰ"),
        ("Ა", "ა"),
        ("𐐀", "𐐨"),
        ("𞤀", "𞤢"),
        ("E\u0301", "e\u0301"),
        ("Ａ", "ａ"),
        ("ﬁ", "ﬁ"),
        ("CAN'T", "can't"),
        ("X_Y", "x_y"),
        ("½", "½"),
        ("漢", "漢"),
        # New in Unicode 16 and 17.
        ("\ua7cb", "\u0264"),
        ("\ua7dc", "\u019b"),
        ("\U00010d50", "\U00010d70"),
        ("\U00016ea0", "\U00016ebb"),
    ],
    ids=ascii,
)
def test_terms(token, term):
    assert terms(token) == [term]


def test_every_letter_that_python_knows_is_lowered_as_python_does():
    characters = [chr(point) for point in range(0x110000) if unicodedata.category(chr(point))[0] in "LN"]
    # A line end keeps each character apart from the next.
    lowered = {
        text: term for text, term in zip(characters, _terms_of_lines(characters), strict=True) if term is not None
    }
    assert len(lowered) > 130_000
    newer = {"\u019b", "\u0264"}  # Python's version may not know their capitals.
    assert {text: term for text, term in lowered.items() if term != text.lower() and text not in newer} == {}


def _terms_of_lines(lines: list[str]) -> list[str | None]:
    """Give the term of each line of one token, ``None`` for a line of none."""
    starts = {}
    at = 0
    for number, line in enumerate(lines):
        starts[at] = number
        at += len(line) + 1
    found: list[str | None] = [None] * len(lines)
    for term, _, start, _ in analyze("\n".join(lines), "generic"):
        found[starts[start]] = term
    return found


def test_the_stopword_lists(stopwords):
    assert set(stopwords) | {"generic"} == set(SUPPORTED_LANGUAGES)
    assert not stopwords.get("generic")
    assert len(stopwords["english"]) == 33
    assert {"the", "and", "such", "will"} <= set(stopwords["english"])


@pytest.mark.parametrize("language", SUPPORTED_LANGUAGES)
def test_just_the_stopwords_of_a_language_are_dropped(language, stopwords):
    own = set(stopwords.get(language, ()))
    others = set().union(*stopwords.values()) - own
    for change in (str, str.upper, str.title):
        # "SS" is not what ß is the lower case of; a word may have neighbours that make it another.
        words = [word for word in sorted(own | others) if change(word).lower() == word]
        kept = terms("\n".join(map(change, words)), language)
        assert kept == [word for word in words if word in others]


@given(texts)
def test_a_lone_surrogate_counts_as_one_code_point(text):
    shifted = [(term, position, start + 2, end + 2) for term, position, start, end in analyze(text, "generic")]
    assert analyze(f"\ud800\n{text}", "generic") == shifted
