"""Every chosen span against the reference: random and real text, all analyzers, extremes of window and stride."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pydoc_data.topics import topics
from types import ModuleType

import pytest

from sid._languages import SUPPORTED_LANGUAGES
from sid.document_cache import bm25_snippet_with_stride

from .conftest import COUNTS, LOCALES

RANDOM_PER_LANGUAGE = 5_000
REAL_PER_LOCALE = 1_100
SOUP = 5_000
TOPICS = 1_500
assert RANDOM_PER_LANGUAGE * len(SUPPORTED_LANGUAGES) + REAL_PER_LOCALE * len(LOCALES) + SOUP + TOPICS >= 100_000

WORDS = (
    "the The AND of a to og Het het été ÉTÉ más para для ДЛЯ és não och è être die der das und ja il on olla "
    "Foo bar baz qux don't can’t x_y _ 1,000.5 3.14 3:45 a.b A.B. e-mail STRASSE straße İstanbul ΣΟΦΟΣ σοφος ﬁn ǅ "
    "日本語 テスト カタカナ 한국어 สวัสดี नमस्ते ქართული עברית א'ב א\"ב مرحبا 👩‍👩‍👧 🇩🇪🇫🇷 🇩 ① ½ © ™ ㎏ é́ ͏ a‍😀b ‍Ⓜd "
    ", . - — … \u200b \u00ad \ufeff \u2028 ' \" : ; · \r \x00"
).split(" ")
SEPARATORS = (" ", " ", " ", "", "  ", ", ", "\n", "\r\n", "\u3000", "\u200d", "'", ".")
SIZES = (1, 1, 2, 3, 4, 5, 8, 13, 21, 50, 100, 2**31, 2**62)
STRIDES = (1, 1, 2, 3, 5, 7, 10, 49, 1000, 2**31, 2**62)


def same_span(oracle: ModuleType, query: str, content: str, window_size: int, stride: int, language: str) -> None:
    arguments = (query, content, window_size, stride, language)
    expected = oracle.document_cache.bm25_snippet_with_stride(*arguments)
    assert bm25_snippet_with_stride(*arguments) == expected, arguments
    COUNTS["spans"] += 1


def sizes(generator: random.Random) -> tuple[int, int]:
    return generator.choice(SIZES), generator.choice(STRIDES)


def joined(generator: random.Random, words: list[str], count: int) -> str:
    separator = generator.choice(SEPARATORS)
    return separator.join(generator.choice(words) for _ in range(count))


@pytest.mark.parametrize("language", SUPPORTED_LANGUAGES)
def test_random_text(oracle: ModuleType, language: str) -> None:
    generator = random.Random(f"words {language}")
    for _ in range(RANDOM_PER_LANGUAGE):
        # Few different words make ties and pairs; many make gaps.
        words = generator.sample(WORDS, generator.randint(1, len(WORDS)))
        content = joined(generator, words, generator.randint(0, 90))
        query = joined(generator, generator.choice([words, list(WORDS)]), generator.randint(0, 7))
        same_span(oracle, query, content, *sizes(generator), language)


@pytest.mark.parametrize("locale", LOCALES)
def test_real_text(oracle: ModuleType, translations: dict[str, list[str]], locale: str) -> None:
    generator = random.Random(f"messages {locale}")
    messages = translations[locale]
    for _ in range(REAL_PER_LOCALE):
        chosen = generator.sample(messages, generator.randint(1, 12))
        content = generator.choice([" ", "\n", "\n\n"]).join(chosen)
        query = generator.choice(generator.choice([chosen, messages]))[: generator.randint(0, 60)]
        language = generator.choice([LOCALES[locale], generator.choice(SUPPORTED_LANGUAGES)])
        same_span(oracle, query, content, *sizes(generator), language)


def soup(generator: random.Random) -> str:
    """Draw text from a few code points of any plane, surrogates left out: the reference cannot take them."""
    ranges = [(0, 0x7F), (0, 0x24F), (0x300, 0x36F), (0x370, 0x6FF), (0x900, 0xE7F), (0x2000, 0x2BFF)]
    ranges += [(0x3000, 0x30FF), (0xFE00, 0xFFFF), (0x1F000, 0x1FAFF), (0xE0000, 0xE01EF), (0x10000, 0x10FFFF)]
    low, high = generator.choice(ranges)
    alphabet = [chr(generator.randint(low, high)) for _ in range(generator.randint(1, 12))]
    alphabet += generator.sample([" ", "a", "Z", "1", "'", ".", "\u200d", "\u0301", "😀", "🇩", "\n"], 3)
    return "".join(generator.choice(alphabet) for _ in range(generator.randint(0, 120)))


def test_soup(oracle: ModuleType) -> None:
    generator = random.Random("soup")
    for _ in range(SOUP):
        content = soup(generator)
        start = generator.randint(0, len(content))
        query = generator.choice([content[start : start + 20], soup(generator)[:20]])
        same_span(oracle, query, content, *sizes(generator), generator.choice(SUPPORTED_LANGUAGES))


def questions(generator: random.Random) -> Iterator[tuple[str, str]]:
    names = sorted(topics)
    while True:
        content, other = topics[generator.choice(names)], topics[generator.choice(names)]
        start = generator.randrange(len(other))
        yield other[start : start + generator.randint(1, 200)], content


def test_language_reference(oracle: ModuleType) -> None:
    generator = random.Random("topics")
    for (query, content), _ in zip(questions(generator), range(TOPICS), strict=False):
        window_size, stride = generator.choice([(50, 10), (50, 10), (20, 4), (5, 1), (200, 40), (1, 1)])
        same_span(oracle, query, content, window_size, stride, "english")


def test_a_query_of_every_word_and_a_long_text(oracle: ModuleType) -> None:
    content = "\n".join(topics[name] for name in sorted(topics))
    for query in (content[:200_000], "", "the", "zzz", "import statement of a module", "yield " * 500):
        same_span(oracle, query, content, 50, 10, "english")
