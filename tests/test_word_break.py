"""Word segmentation: UAX #29 and the word-like test."""

from __future__ import annotations

import json
import shutil
import subprocess
import unicodedata
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from models import boundaries, break_class, has_joined_pictograph, properties
from sid._kernels import word_segments
from sid._pure.unicode_tables import PICTOGRAPHIC, WordBreak
from strategies import REPRESENTATIVES, representative_text, texts

CORE_MANIFEST = Path(__file__).parents[1] / "rust" / "core" / "Cargo.toml"
CODE_POINTS = 0x110000


def segments(text: str) -> list[str]:
    return [text[start:end] for start, end, _ in word_segments(text)]


def tokens(text: str) -> list[str]:
    return [text[start:end] for start, end, word_like in word_segments(text) if word_like]


def ends_of(text: str) -> list[int]:
    found = word_segments(text)
    return [start for start, _, _ in found[:1]] + [end for _, end, _ in found]


# --- Unicode's own test -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def word_break_test() -> list[str]:
    """Give the lines of WordBreakTest.txt, which the package icu_segmenter ships for its tests."""
    cargo = shutil.which("cargo")
    if cargo is None:
        pytest.skip("WORDBREAKTEST NOT RUN: cargo, which locates the file in its registry, is not installed")
    command = [cargo, "metadata", "--format-version", "1", "--manifest-path", str(CORE_MANIFEST)]
    metadata = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=300).stdout)
    [segmenter] = [package for package in metadata["packages"] if package["name"] == "icu_segmenter"]
    assert segmenter["version"] == "2.1.2"
    file = Path(segmenter["manifest_path"]).with_name("tests") / "testdata" / "WordBreakTest.txt"
    return file.read_text(encoding="utf-8").splitlines()


def test_unicodes_own_test(word_break_test):
    assert word_break_test[0] == "# WordBreakTest-17.0.0.txt"
    cases = [rule for line in word_break_test if (rule := line.partition("#")[0].strip())]
    assert len(cases) == 1944
    wrong = [case for case in cases if not _passes(case)]
    assert not wrong


def _passes(case: str) -> bool:
    text, expected = "", []
    for part in case.split():
        if part == "÷":
            expected.append(len(text))
        elif part != "×":
            text += chr(int(part, 16))
    modelled = has_joined_pictograph(text) or boundaries(text) == expected
    return modelled and ends_of(text) == expected


# --- boundaries -------------------------------------------------------------------------------------------------------


@given(st.one_of(texts, representative_text))
@example("")
def test_segments_tile_the_text(text):
    found = word_segments(text)
    assert [start for start, _, _ in found] + [len(text)] == ends_of(text) if text else found == []
    assert all(start < end for start, end, _ in found)
    assert all(type(word_like) is bool for _, _, word_like in found)


@given(st.one_of(texts, representative_text).filter(lambda text: not has_joined_pictograph(text)))
def test_boundaries_follow_the_rules_one_by_one(text):
    assert ends_of(text) == boundaries(text)


def test_every_pair_of_classes_follows_the_rules():
    one_of_each = {break_class(group[0]): group[0] for group in REPRESENTATIVES.values()}
    assert set(one_of_each) == set(WordBreak)
    around = one_of_each[WordBreak.ALETTER], one_of_each[WordBreak.NUMERIC], one_of_each[WordBreak.HEBREW_LETTER]
    for left in one_of_each.values():
        for right in one_of_each.values():
            for before in ("", *around):
                for after in ("", *around):
                    text = f"{before}{left}{right}{after}"
                    if not has_joined_pictograph(text):
                        assert ends_of(text) == boundaries(text), ascii(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, world.", ["Hello", ",", " ", "world", "."]),
        ("can't 3.14 1,000 a.b x_y", ["can't", " ", "3.14", " ", "1,000", " ", "a.b", " ", "x_y"]),
        ("'a' a' 1,a", ["'", "a", "'", " ", "a", "'", " ", "1", ",", "a"]),
        ("   \t  ", ["   ", "\t", "  "]),
        ("\r\n\n\r", ["\r\n", "\n", "\r"]),
        ("a\u0301b \u0301", ["a\u0301b", " \u0301"]),
        ("צה״ל ג׳ א'", ["צה״ל", " ", "ג׳", " ", "א'"]),
        ("ab'א א\"b", ["ab'א", " ", "א", '"', "b"]),
        ("漢字かなカタカナ", ["漢", "字", "か", "な", "カタカナ"]),
        ("สวัสดี", ["ส", "วั", "ส", "ดี"]),
        ("🇩🇪🇫🇷🇯", ["🇩🇪", "🇫🇷", "🇯"]),
        ("🇩\u200d🇪🇫", ["🇩\u200d🇪", "🇫"]),
        ("a🇩🇪b", ["a", "🇩🇪", "b"]),
        ("👨‍👩‍👧‍👦👨", ["👨‍👩‍👧‍👦", "👨"]),
        ("👍🏽1️⃣", ["👍🏽", "1️⃣"]),
        ("A.B.", ["A.B", "."]),
        ("1:2 a:b 1;2", ["1", ":", "2", " ", "a:b", " ", "1;2"]),
    ],
    ids=ascii,
)
def test_examples(text, expected):
    assert segments(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # A pictograph that only WB3c joins is not seen by later rules …
        ("a\u200d😀b", ["a\u200d😀b"]),
        ("a\u200d😀\u200d😀1", ["a\u200d😀\u200d😀1"]),
        ("a\u200d😀 b", ["a\u200d😀", " ", "b"]),
        ("\u200d😀b", ["\u200d😀", "b"]),
        ("🇩\u200d😀🇪", ["🇩\u200d😀🇪"]),
        # … but one that another rule joins is.
        ("a\u200d\U0001f170b", ["a\u200d\U0001f170b"]),
        # WB3c does not join to a ZWJ directly after white space …
        (" \u200d😀", [" \u200d", "😀"]),
        (" \u0301\u200d😀", [" \u0301\u200d😀"]),
        # … nor to one after a middle character whose look-ahead failed.
        ("a.\u200d😀", ["a", ".\u200d", "😀"]),
        (".\u200d😀", [".\u200d😀"]),
        ("1,\u200d😀", ["1", ",\u200d", "😀"]),
        ("a,\u200d😀", ["a", ",\u200d😀"]),
    ],
    ids=ascii,
)
def test_pictographs_after_joiners_are_where_the_reference_has_them(text, expected):
    assert segments(text) == expected


# --- word-like --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "token",
    [
        "a",
        "7",
        "x_1",
        "①",
        "½",
        "²",
        "©",
        "™",
        "👨‍👩‍👧‍👦",
        "1️⃣",
        "漢",
        "𠀀",
        "ก",
        "あ",
        "カ",
        "한",
        "ⅷ",
        "〇",
        "א",
        "٣",
        "_a",
    ],
)
def test_tokens(token):
    assert tokens(f"- {token} -") == [token]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "_",
        "__",
        " ",
        "\n",
        ".,;:!?",
        "…",
        "'",
        "-",
        "€",
        "+",
        "ー",
        "\u200d",
        "\u200b",
        "\u0301",
        "\ud800",
        "\0",
        "\u0378",
        "\ue000",
        "🇩🇪",
    ],
)
def test_no_tokens(text):
    assert tokens(text) == []


def test_every_character_that_python_knows_is_word_like_by_its_category():
    """Letters, decimal digits and other numbers are, white space and control characters are not."""
    expected = {"Lu": True, "Ll": True, "Lt": True, "Lo": True, "Nd": True, "No": True, "Cs": False, "Cc": False}
    expected |= {"Zs": False, "Zl": False, "Zp": False, "Co": False, "Pc": False}
    known = [chr(point) for point in range(CODE_POINTS) if unicodedata.category(chr(point)) in expected]
    # A line end keeps each character apart from the next.
    word_like = {start: word_like for start, _, word_like in word_segments("\n".join(known))}
    wrong = [
        character
        for number, character in enumerate(known)
        if word_like[2 * number] != expected[unicodedata.category(character)]
        # Sound marks and repeat marks, which are of no one script.
        and break_class(character) is not WordBreak.KATAKANA
    ]
    assert wrong == ["\N{OGHAM SPACE MARK}"]  # the one white space that has a script


def test_new_characters_of_unicode_17_are_known():
    # Tolong Siki, Beria Erfe, Sidetic, CJK extension J; a letter of Todhri (16).
    for character in ("\U00011db0", "\U00016ea0", "\U00010940", "\U000323b0", "\U000105c0"):
        assert tokens(character) == [character]


@given(st.one_of(texts, representative_text))
def test_a_segment_is_word_like_if_one_of_its_code_points_is(text):
    for start, end, word_like in word_segments(text):
        assert word_like == any(tokens(character) for character in text[start:end])


# --- lone surrogates --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\ud800", ["\ud800"]),
        ("a\ud800b", ["a", "\ud800", "b"]),
        ("\ud83d\ude00", ["\ud83d", "\ude00"]),
        ("\udc00\u0301x", ["\udc00\u0301", "x"]),
        ("\u200d\udfff", ["\u200d", "\udfff"]),
        ("1\udbff2 \ud800", ["1", "\udbff", "2", " ", "\ud800"]),
    ],
    ids=ascii,
)
def test_a_lone_surrogate_is_one_code_point_of_no_class(text, expected):
    assert segments(text) == expected


def test_no_surrogate_has_properties():
    assert {properties(chr(point)) for point in range(0xD800, 0xE000)} == {0}
    assert not any(tokens(chr(point)) for point in range(0xD800, 0xE000))


@given(texts, st.sampled_from(["\ud800", "\udbff", "\udc00", "\udfff"]))
def test_a_surrogate_stands_for_any_other_character_of_no_class(text, surrogate):
    replaced = "".join("\u0378" if 0xD800 <= ord(character) < 0xE000 else character for character in text)
    assert word_segments(text) == word_segments(replaced)
    assert word_segments(replaced.replace("\u0378", surrogate)) == word_segments(replaced)


# --- size -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("a" * 200_000, 1),
        (" " * 200_000, 1),
        ("'" * 100_000, 100_000),
        ("a'" * 100_000, 2),
        ("🇩" * 100_001, 50_001),
        ("😀" + "\u200d😀" * 100_000, 1),
        ("a" + "\u0301" * 200_000, 1),
        ("1," * 100_000, 2),
        ("\ud800" * 100_000, 100_000),
    ],
    ids=lambda value: ascii(value[:2]) if isinstance(value, str) else str(value),
)
def test_long_texts_of_one_kind(text, count):
    found = word_segments(text)
    assert len(found) == count
    assert found[-1][1] == len(text)
    assert all(left[1] == right[0] for left, right in pairwise(found))


def test_pictographs_are_known():
    assert properties("😀") & PICTOGRAPHIC
    assert not properties("a") & PICTOGRAPHIC
