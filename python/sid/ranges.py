"""Character ranges that a model or a caller asks for, and what of them a document has.

Ranges are half open and count Unicode code points of the Python string, from 0.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

__all__ = ["SUPPORTED_RANGE_MODES", "InvalidCharacterRange", "RangeMode", "resolve_char_range", "validate_range_mode"]

RangeMode: TypeAlias = Literal["lenient", "strict"]
"""What to do with a range that only partly lies in the document: take that part, or refuse."""

SUPPORTED_RANGE_MODES: tuple[RangeMode, ...] = get_args(RangeMode)


class InvalidCharacterRange(ValueError):
    """A character range that is malformed, or that its document does not have."""


def validate_range_mode(range_mode: str) -> RangeMode:
    """Return ``range_mode`` if it is a supported one.

    Raises
    ------
    ValueError
        If it is anything else.

    Examples
    --------
    >>> validate_range_mode("strict")
    'strict'
    """
    if range_mode not in SUPPORTED_RANGE_MODES:
        supported = ", ".join(map(repr, SUPPORTED_RANGE_MODES))
        raise ValueError(f"unknown range_mode {range_mode!r}; supported values: {supported}")
    return range_mode


def resolve_char_range(
    char_range: tuple[int, int], document_length: int, *, mode: RangeMode, document_id: object
) -> tuple[int, int]:
    """Resolve a requested range against a document.

    Parameters
    ----------
    char_range
        ``(start, end)`` in code points, half open.
    document_length
        Length of the document's text in code points.
    mode
        ``"lenient"`` gives the part of the range that lies in the document; ``"strict"`` takes only ranges that lie
        in it whole.
    document_id
        Named in errors.

    Returns
    -------
    tuple[int, int]
        ``(start, end)`` with ``0 <= start < end <= document_length``.

    Raises
    ------
    InvalidCharacterRange
        If the range is not a tuple of two ``int`` (a ``bool`` is not one), is empty or inverted, has nothing in
        common with the document or, in strict mode, does not lie in it whole.
    ValueError
        If the mode is not a supported one.

    Examples
    --------
    >>> resolve_char_range((90, 200), 100, mode="lenient", document_id="d")
    (90, 100)
    """
    if not isinstance(char_range, tuple) or len(char_range) != 2:
        raise _invalid(_shown(char_range), "is not a tuple (start, end)", document_length, document_id)
    start, end = char_range
    if not (_is_offset(start) and _is_offset(end)):
        rule = "is malformed: both offsets must be integers"
    elif start >= end:
        rule = f"is empty: start {_shown(start)} must be less than end {_shown(end)}"
    elif start >= document_length or end <= 0:
        rule = "does not overlap the document"
    elif mode != "lenient" and validate_range_mode(mode) == "strict" and start < 0:
        rule = f"is out of bounds: start {_shown(start)} is negative"
    elif mode == "strict" and end > document_length:
        rule = f"is out of bounds: end {_shown(end)} is past the end of the document"
    else:
        return start if start > 0 else 0, end if end < document_length else document_length
    raise _invalid(f"{_shown(start)}:{_shown(end)}", rule, document_length, document_id)


def _is_offset(value: object) -> bool:
    return type(value) is int or (isinstance(value, int) and not isinstance(value, bool))


def _invalid(char_range: str, rule: str, document_length: int, document_id: object) -> InvalidCharacterRange:
    return InvalidCharacterRange(
        f"character range {char_range} of document {_shown(document_id)} ({document_length} characters) {rule}"
    )


def _shown(value: object) -> str:
    try:
        return repr(value)
    except ValueError:  # Python writes no integer of thousands of digits
        return "(too large to write)"
