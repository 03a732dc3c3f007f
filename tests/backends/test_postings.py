"""Terms as SQLite's full-text search gets them: each one word, none of them syntax."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sid.analysis import kept_terms, query_terms, term_frequencies, token_spans
from sid.backends.postings import QUERY_TERMS_MAX, _words, match_expression, posting_text
from sid.document_cache import SUPPORTED_LANGUAGES
from strategies import characters, languages, texts

# Longer and odder than any analysis gives.
terms = st.lists(st.text(characters, min_size=1, max_size=6).map(str.lower) | st.sampled_from(["a" * 256, "é" * 300]))


def split(text: str) -> list[str]:
    """Give the words that SQLite's tokenizer sees in a text."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE VIRTUAL TABLE posting USING fts5(text, tokenize='ascii')")
        connection.execute("CREATE VIRTUAL TABLE word USING fts5vocab(posting, instance)")
        connection.execute("INSERT INTO posting VALUES (?)", (text,))
        return [word for (word,) in connection.execute("SELECT term FROM word ORDER BY offset")]


@given(terms)
def test_every_term_is_one_word_and_other_terms_are_other_words(found) -> None:
    words = _words(found)
    assert len(words) == len(found)
    assert split(" ".join(words)) == words
    assert len(set(words)) == len(set(found))
    # Together or alone, a term is written the same.
    assert words == [word for term in found for word in _words([term])]


@given(texts)
def test_a_posting_has_a_word_for_every_token(text) -> None:
    assert split(posting_text([text])) == _words(kept_terms(text, "generic"))


def test_postings_of_several_texts() -> None:
    assert posting_text(["One", "", "two can't"]) == "one two can\ue027t"
    assert posting_text([]) == ""


@given(texts, languages)
def test_an_expression_is_a_list_of_quoted_words(query, language) -> None:
    expression = match_expression(query, language)
    words = _words(query_terms(query, language)[:QUERY_TERMS_MAX])
    assert expression == (" OR ".join(f'"{word}"' for word in words) or None)
    assert not any('"' in word or "\x00" in word for word in words)


SYNTAX = ["NEAR(a b)", "a NOT b", "a AND b", "heading : a", "a*", "^a", "-a", "(a", '"a', "a + b",
          "{heading content}:a", "OR", "AND AND", "NEAR", "NOT a", "rank MATCH 'x'", "🙂 NEAR/2 🙂"]  # fmt: skip


@pytest.mark.parametrize("query", SYNTAX)
def test_syntax_is_words(query) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE VIRTUAL TABLE posting USING fts5(heading, content, tokenize='ascii')")
        every = [term for other in SYNTAX for term in kept_terms(other, "generic")]
        connection.executemany("INSERT INTO posting VALUES ('', ?)", ((word,) for word in _words(every)))
        found = connection.execute(
            "SELECT rowid - 1 FROM posting WHERE posting MATCH ?", (match_expression(query, "generic"),)
        )
        wanted = set(kept_terms(query, "generic"))
        assert {number for (number,) in found} == {number for number, term in enumerate(every) if term in wanted}


def test_at_most_so_many_words() -> None:
    expression = match_expression(" ".join(f"w{number}" for number in range(2000)), "english")
    assert expression is not None
    assert expression.count(" OR ") == QUERY_TERMS_MAX - 1
    assert expression.startswith('"w0" OR "w1"')


@given(texts, languages)
def test_the_analysis_is_the_one_of_snippets(text, language) -> None:
    found = kept_terms(text, language)
    frequencies = term_frequencies(text, language)
    assert list(frequencies) == list(dict.fromkeys(found))
    assert all(frequencies[term] == found.count(term) for term in frequencies)
    assert query_terms(text, language) == list(dict.fromkeys(found or kept_terms(text, "generic")))
    lower = [text[start:end].lower() for start, end in token_spans(text)]
    assert [len(term) > 0 for term in kept_terms(text, "generic")] == [len(word) > 0 for word in lower]


def test_languages() -> None:
    for language in SUPPORTED_LANGUAGES:
        assert kept_terms("xyzzy", language) == ["xyzzy"]
    for unknown in ("klingon", "", None, "English"):
        with pytest.raises(ValueError, match="supported values: danish"):
            kept_terms("x", unknown)
