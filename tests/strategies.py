"""What the property tests draw from: hostile text, spans and ledgers, ids, documents."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

from hypothesis import strategies as st

from models import runs
from sid._pure.stopword_tables import STOPWORDS
from sid._pure.unicode_tables import PROPERTY_RUNS
from sid.document_cache import SUPPORTED_LANGUAGES

PER_PROPERTY = 12

SCRIPT_WORDS = (
    "alpha can't e.g. 3.14 1,000 x_y STRASSE straße naïve Ångström İstanbul ILGAZ ﬁne Ǆungla ⅣⅨ ½ ① ª © ª"
    " привет ЁЖ ΟΔΟΣ Σίσυφος ὈΔΥΣΣΕΎΣ שלום צה״ל ג׳ירפה مرحبا ٣٫١٤ ۱۲۳ नमस्ते क्षत्रिय สวัสดี ภาษาไทย 漢字 漢 𠀀 "
    "かな カタカナ ー ｶﾀｶﾅ 한국어 ᄒ\u1161\u11ab ქართული ᲥᲐᲠᲗᲣᲚᲘ Հայերեն ԵՒ አማርኛ ᏣᎳᎩ ꮳꮃꭹ 𐐔𐐯𐑅 𞤀𞤁 𝒳 ᠮᠣᠩᠭᠣᠯ ខ្មែរ བོད་ ತುಳು"
).split()

EMOJI = (
    "🙂",
    "👍🏽",
    "👨‍👩‍👧‍👦",
    "🏳️‍🌈",
    "❤️‍🔥",
    "🇩🇪",
    "🇩🇪🇫🇷🇯",
    "1️⃣",
    "🏴\U000e0067\U000e0062\U000e007f",
    "\u200d🙂",
    "a\u200d🙂b",
    " \u200d🙂",
)

MARKS = ("e\u0301", "\u0301", "a\u0300\u0315\u0323", "\u00ad", "\u200b", "\u200d", "\u2060", "\ufe0f", "\u0e31")

LONE_SURROGATES = ("\ud800", "\udbff", "\udc00", "\udfff", "\ud83d\ude00"[::-1], "\ud83d\ude00")

SEPARATORS = (" ", "  ", "\t", "\n", "\r\n", "\u2028", "\u3000", "_", "-", ".", "'", '"', ", ", ". ", ":", "…", "|", "")


def _spread(points: list[int]) -> list[int]:
    """Give at most `PER_PROPERTY` of the points, evenly spread over them."""
    return points[:: max(1, len(points) // PER_PROPERTY)][:PER_PROPERTY]


def _representatives() -> dict[int, list[str]]:
    """Give some code points for every combination of Word_Break class, word-like test and pictographic test."""
    found: defaultdict[int, set[int]] = defaultdict(set)
    for (start, value), (end, _) in pairwise([*PROPERTY_RUNS, (0x110000, 0)]):
        found[value] |= {start, end - 1}
    return {value: [chr(point) for point in _spread(sorted(points))] for value, points in found.items()}


REPRESENTATIVES = _representatives()
"""Property byte to some of the code points that have it."""

representative_characters = st.one_of([st.sampled_from(group) for group in REPRESENTATIVES.values()])
representative_text = st.lists(representative_characters, max_size=24).map("".join)

characters = st.characters(exclude_categories=())
"""Every code point, lone surrogates included."""

languages = st.sampled_from(SUPPORTED_LANGUAGES)


def in_any_case(words: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(
        lambda word, change: change(word), words, st.sampled_from([str, str.upper, str.title, str.swapcase])
    )


_WORDS_OF = {
    language: in_any_case(st.sampled_from([*sorted(stopwords), *SCRIPT_WORDS]))
    for language, stopwords in STOPWORDS.items()
}
_fragments = st.one_of(
    st.sampled_from(SCRIPT_WORDS),
    st.sampled_from(EMOJI),
    st.sampled_from(MARKS),
    st.sampled_from(LONE_SURROGATES),
    st.sampled_from(SEPARATORS),
    representative_characters,
    st.text(characters, max_size=3),
)


def prose(language: str, max_words: int = 40) -> st.SearchStrategy[str]:
    """Give text of a language's stopwords, in any case, and of words of many scripts."""
    pairs = st.tuples(_WORDS_OF[language], st.sampled_from(SEPARATORS))
    return st.lists(pairs, max_size=max_words).map(lambda pairs: "".join(map("".join, pairs)))


texts = st.one_of(
    st.lists(_fragments, max_size=30).map("".join),
    representative_text,
    st.text(characters, max_size=40),
    languages.flatmap(prose),
)
"""Text of every kind, lone surrogates included."""

non_empty_texts = texts.filter(bool)

_FEW_WORDS = ("red", "Blue", "GREEN", "σΣς", "漢", "👍🏽", "\ud800", "1.5", "the", "and", "der", "och")


@st.composite
def searches(draw: st.DrawFn, max_tokens: int = 60) -> tuple[str, str, str]:
    """Draw (query, content, language) that have terms in common, stopwords among them."""
    language = draw(languages)
    vocabulary = draw(st.lists(st.one_of(_WORDS_OF[language], st.sampled_from(_FEW_WORDS)), min_size=1, max_size=6))
    words = in_any_case(st.sampled_from(vocabulary))
    pairs = st.tuples(words, st.sampled_from([" ", " ", " ", ". ", "\n", ""]))
    content = "".join(map("".join, draw(st.lists(pairs, min_size=1, max_size=max_tokens))))
    query = " ".join(draw(st.lists(words, max_size=8)))
    return query, content, language


def spans(limit: int = 60, low: int = 0) -> st.SearchStrategy[tuple[int, int]]:
    """Give spans that are not empty, between ``low`` and ``limit``."""
    return st.tuples(st.integers(low, limit - 1), st.integers(1, limit - low)).map(
        lambda pair: (pair[0], min(limit, pair[0] + pair[1]))
    )


def ledgers(limit: int = 60) -> st.SearchStrategy[list[tuple[int, int]]]:
    """Give sorted, disjoint and coalesced spans."""
    return st.sets(st.integers(0, limit - 1)).map(runs)


any_span = st.tuples(st.integers(-70, 70), st.integers(-70, 70))
"""Spans that may be empty or inverted, or lie before 0."""

data_ids = st.one_of(
    texts,
    st.integers(),
    st.none(),
    st.binary(max_size=3),
    st.tuples(st.integers(), texts),
    st.frozensets(st.integers()),
)

json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)
"""Values as JSON has them, falsy ones among them, and text that XML and Markdown must escape."""

markup = st.text(st.sampled_from("&<>\"'|\\\n\r #:;=amplt\ud800é漢"), max_size=12)
values = st.one_of(json_values, markup, st.lists(markup, max_size=3), st.tuples(markup))

field_names = st.one_of(st.sampled_from(["title", "id", "doc_length", "a|b", "x<y"]), texts, st.integers(0, 3))
