"""`sid.ranges`: which part of a document a requested range names."""

from __future__ import annotations

import enum
import re
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sid import InvalidCharacterRange, RangeMode
from sid.ranges import SUPPORTED_RANGE_MODES, resolve_char_range, validate_range_mode

modes = pytest.mark.parametrize("mode", SUPPORTED_RANGE_MODES)


def resolve(char_range: object, mode: RangeMode = "lenient", length: int = 100) -> tuple[int, int]:
    return resolve_char_range(char_range, length, mode=mode, document_id="d")


def refusal(char_range: object, mode: RangeMode = "lenient", length: int = 100) -> str:
    with pytest.raises(InvalidCharacterRange) as caught:
        resolve(char_range, mode, length)
    return str(caught.value)


def test_the_modes_and_the_error():
    assert SUPPORTED_RANGE_MODES == ("lenient", "strict")
    assert issubclass(InvalidCharacterRange, ValueError)


@modes
def test_a_supported_mode_is_returned(mode):
    assert validate_range_mode(mode) == mode


@pytest.mark.parametrize("mode", ["", "Strict", "lenient ", None, 1, ["strict"]])
def test_any_other_mode_is_refused_and_the_supported_ones_are_named(mode):
    with pytest.raises(ValueError, match=rf"{re.escape(repr(mode))}.*lenient.*strict"):
        validate_range_mode(mode)


@given(st.integers(-20, 60), st.integers(-20, 60), st.integers(1, 40), st.sampled_from(SUPPORTED_RANGE_MODES))
def test_the_part_inside_the_document_or_an_error(start, end, length, mode):
    wanted, inside = set(range(start, end)), set(range(length))
    common = wanted & inside
    if common and (mode == "lenient" or wanted <= inside):
        assert resolve((start, end), mode, length) == (min(common), max(common) + 1)
    else:
        refusal((start, end), mode, length)


@modes
@pytest.mark.parametrize("char_range", [(0, 100), (0, 1), (99, 100), (40, 60)])
def test_a_range_inside_is_kept(char_range, mode):
    assert resolve(char_range, mode) == char_range


@pytest.mark.parametrize(
    ("char_range", "resolved"),
    [
        ((-5, 10), (0, 10)),
        ((90, 101), (90, 100)),
        ((-1, 101), (0, 100)),
        ((-(10**30), 10**30), (0, 100)),
        # Longer than Python writes out by default.
        ((0, 10**5000), (0, 100)),
        ((-(10**5000), 7), (0, 7)),
    ],
)
def test_lenient_cuts_what_strict_refuses(char_range, resolved):
    assert resolve(char_range, "lenient") == resolved
    refusal(char_range, "strict")


@modes
@pytest.mark.parametrize(
    ("char_range", "rule"),
    [
        ((10, 5), "start 10 must be less than end 5"),
        ((5, 5), "start 5 must be less than end 5"),
        ((-3, -3), "start -3 must be less than end -3"),
        ((200, 150), "start 200 must be less than end 150"),
        ((100, 101), "does not overlap"),
        ((-10, 0), "does not overlap"),
        ((10**20, 10**21), "does not overlap"),
    ],
)
def test_the_message_says_which_rule_failed(char_range, rule, mode):
    assert rule in refusal(char_range, mode)


@pytest.mark.parametrize(("char_range", "offender"), [((-1, 5), "-1"), ((95, 101), "101"), ((-2, 102), "-2")])
def test_strict_names_the_offset_that_is_outside(char_range, offender):
    message = refusal(char_range, "strict")
    assert re.search(rf"{offender}\b(?!:)", message.replace(":".join(map(str, char_range)), ""))
    assert "overlap" not in message


def test_nothing_overlaps_an_empty_document():
    assert "does not overlap" in refusal((0, 1), length=0)


class _Pair(NamedTuple):
    start: int
    end: int


class _Place(enum.IntEnum):
    HERE = 3
    THERE = 7


@modes
@pytest.mark.parametrize("char_range", [_Pair(3, 7), (_Place.HERE, _Place.THERE)])
def test_kinds_of_tuple_and_of_int_are_taken(char_range, mode):
    assert resolve(char_range, mode) == (3, 7)


MALFORMED = [
    [0, 5],
    (),
    (0,),
    (0, 1, 2),
    "05",
    b"05",
    None,
    5,
    range(2),
    {0: 5},
    np.array([0, 5]),
    (True, 5),
    (0, True),
    (0.0, 5),
    (0, 5.0),
    ("0", "5"),
    (None, 5),
    (0, None),
    (np.int64(0), 5),
    (10**5000, None),
    ((0, 5), 7),
]


@modes
@pytest.mark.parametrize("char_range", MALFORMED)
def test_anything_but_a_tuple_of_two_ints_is_malformed(char_range, mode):
    assert "overlap" not in refusal(char_range, mode)


REFUSED = [((10, 5), "10", "5"), ((100, 200), "100", "200"), ((True, 7), "True", "7"), ([3, 8], "3", "8")]
REFUSED_BY_STRICT = [((-4, 5), "-4", "5"), ((95, 123), "95", "123")]


@pytest.mark.parametrize(
    ("char_range", "start", "end", "mode"),
    [(*case, mode) for case in REFUSED for mode in SUPPORTED_RANGE_MODES]
    + [(*case, "strict") for case in REFUSED_BY_STRICT],
)
def test_the_message_names_range_document_and_length_but_no_mode_and_no_repair(char_range, start, end, mode):
    message = refusal(char_range, mode)
    assert start in message
    assert end in message
    assert "document 'd'" in message
    assert "100" in message
    assert not re.search(r"lenient|strict|mode|instead|try |clamp|clip|cut ", message)


def test_the_document_id_is_written_as_python_writes_it():
    with pytest.raises(InvalidCharacterRange, match=re.escape("document (1, '\\ud800')")):
        resolve_char_range((5, 5), 100, mode="lenient", document_id=(1, "\ud800"))


@pytest.mark.parametrize("mode", ["bogus", "Strict", "", None, ["strict"]])
def test_a_range_is_not_resolved_in_an_unknown_mode(mode):
    with pytest.raises(ValueError, match="supported values: 'lenient', 'strict'"):
        resolve_char_range((-5, 5), 100, mode=mode, document_id="d")
