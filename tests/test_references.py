"""`parse_rendered_model_facing_id`: what a model may write to name a document or a part of it."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sid import parse_rendered_model_facing_id as parse
from strategies import texts


def naive_offset(text: str) -> int | None:
    """Read an offset digit by digit; ``None`` if it is not one."""
    while text and text[0].isspace():
        text = text[1:]
    while text and text[-1].isspace():
        text = text[:-1]
    sign = -1 if text.startswith("-") else 1
    digits = text[1:] if sign < 0 else text
    if not digits or not all(digit.isdecimal() for digit in digits):
        return None
    value = 0
    for digit in digits:
        value = 10 * value + int(digit)
    return sign * value


def naive_parse(reference: str) -> tuple[str, tuple[int, int] | None] | None:
    """Take a reference apart; ``None`` if it is not one."""
    if "#" not in reference:
        return (reference, None) if reference else None
    at = reference.index("#")
    model_id, offsets = reference[:at], [naive_offset(part) for part in reference[at + 1 :].split(":")]
    if not model_id or len(offsets) != 2 or None in offsets or offsets[0] >= offsets[1]:
        return None
    return model_id, (offsets[0], offsets[1])


def refusal(reference: object) -> str:
    with pytest.raises(ValueError, match=r".") as caught:
        parse(reference)
    assert type(caught.value) is ValueError
    return str(caught.value)


@pytest.mark.parametrize(
    ("reference", "parsed"),
    [
        ("004218", ("004218", None)),
        ("004218#10:70", ("004218", (10, 70))),
        ("a#0:1", ("a", (0, 1))),
        ("a# 0 :\t1\n", ("a", (0, 1))),
        ("a#\u00a01\u3000:\u20282", ("a", (1, 2))),
        ("a#-5:3", ("a", (-5, 3))),
        ("a#-5:-3", ("a", (-5, -3))),
        ("a#007:0010", ("a", (7, 10))),
        ("a#٣:١٢", ("a", (3, 12))),
        ("a#१:2٣", ("a", (1, 23))),
        ("a#-𝟗:９", ("a", (-9, 9))),
        ("a#-0:1", ("a", (0, 1))),
        ("a#0:123456789012345678901234567890", ("a", (0, 123456789012345678901234567890))),
        (" a #1:2", (" a ", (1, 2))),
        ("\ud800#1:2", ("\ud800", (1, 2))),
        ("a:b", ("a:b", None)),
        ("a:b#1:2", ("a:b", (1, 2))),
        (" ", (" ", None)),
    ],
)
def test_references_that_are_well_formed(reference, parsed):
    assert parse(reference) == parsed
    assert naive_parse(reference) == parsed


@pytest.mark.parametrize("reference", ["#1:2", "#", "##1:2", "#a"])
def test_no_id_before_the_separator(reference):
    assert "no id" in refusal(reference)


@pytest.mark.parametrize("reference", ["a#", "a#1", "a#1:2:3", "a#:1:2", "a#1-2", "a#1,2", "a#::"])
def test_not_two_offsets(reference):
    assert "two offsets" in refusal(reference)


@pytest.mark.parametrize(
    "offset",
    [
        "",
        " ",
        "+1",
        "1_0",
        "1.0",
        "1e1",
        "0x1",
        "--1",
        "- 1",
        "1 0",
        "one",
        "²",
        "½",
        "Ⅳ",
        "一",
        "#1",
        "a#1",
        "\ud800",
        "\0",
        "1\u200b",
    ],
)
@pytest.mark.parametrize("reference", ["a#{}:99", "a#-9:{}"])
def test_not_integers(reference, offset):
    assert "character offsets" in refusal(reference.format(offset))


@pytest.mark.parametrize("reference", ["a#5:5", "a#10:5", "a#0:-1", "a# 3 : 3 ", "a#-0:0", "a#٣:3"])
def test_an_empty_range(reference):
    assert "start must be < end" in refusal(reference)


@pytest.mark.parametrize("reference", ["", None, 5, 5.0, b"a#1:2", ["a#1:2"], ("a", (1, 2))], ids=repr)
def test_a_non_string_and_the_empty_string(reference):
    refusal(reference)


@pytest.mark.parametrize("reference", ["", "#1:2", "a'\"#", "a#1", "a#b:c", "a#5:5", "\ud800#1", None, 5])
def test_every_message_quotes_the_reference_and_shows_the_right_form(reference):
    message = refusal(reference)
    assert repr(reference) in message
    assert re.search(r"#\d+:\d+", message.replace(repr(reference), "", 1))


@pytest.mark.parametrize("reference", ["9" * 50_000 + "#1", "a#" + "9" * 50_000 + ":1", "a#1:" + "9" * 50_000])
def test_the_message_about_an_overlong_reference_stays_short(reference):
    message = refusal(reference)
    assert reference[:50] in message
    assert len(message) < 2_000


_tokens = st.one_of(
    st.sampled_from(["#", ":", "a", "12", "3", "-", "٣", "９", "+", "_", ".", " ", "\t", "\u2003", "²", "\ud800", ""]),
    texts,
)


@given(st.one_of(st.lists(_tokens, max_size=8).map("".join), st.builds("a#{}:{}".format, _tokens, _tokens)))
@example("a#1:2")
@example("#")
def test_agrees_with_the_naive_parser(reference):
    expected = naive_parse(reference)
    if expected is None:
        refusal(reference)
    else:
        assert parse(reference) == expected


@given(st.text(min_size=1).filter(lambda text: "#" not in text), st.integers(), st.integers(min_value=1))
def test_what_is_written_is_read(model_id, start, length):
    assert parse(model_id) == (model_id, None)
    assert parse(f"{model_id}#{start}:{start + length}") == (model_id, (start, start + length))


def test_a_sign_is_no_digit_of_the_limit():
    digits = "9" * sys.get_int_max_str_digits()
    assert parse(f"a#-{digits}:5") == ("a", (-int(digits), 5))
    with pytest.raises(ValueError, match=r"too many digits.*'a#10:70'.*character offsets"):
        parse(f"a#-{digits}9:5")


def test_what_cannot_be_quoted_is_refused_like_the_rest():
    with pytest.raises(ValueError, match=r"of type int is not usable.*'123456#10:70'"):
        parse(10**5000)
