"""What callers may ask for, checked: sizes, languages, lengths, and fields."""

from __future__ import annotations

import math
import operator
import sys

from ._languages import SUPPORTED_LANGUAGES
from .document_rendering import shortened

_STRIDES_PER_WINDOW = 5


def stride_size(window_size: int) -> int:
    """Give the distance between the starts of neighbouring windows, in tokens, for windows of a size.

    Examples
    --------
    >>> stride_size(50), stride_size(3)
    (10, 1)
    """
    stride = window_size // _STRIDES_PER_WINDOW
    return stride if stride > 1 else 1  # max() takes three times as long


def token_count(where: str, name: str, size: int) -> int:
    """Check a number of tokens, of which a window or a stride needs one."""
    try:
        tokens = operator.index(size)
    except TypeError:
        raise TypeError(f"{where}{name} must be an integer, got {shortened(size)}") from None
    if tokens < 1:
        raise ValueError(f"{where}{name} must be greater than zero, got {shortened(size)}")
    return min(tokens, sys.maxsize)  # no text has more tokens


def whole_code_points(minimum: float) -> int:
    """Give the least whole length that is not below ``minimum``, within what the kernels take."""
    if type(minimum) is int and -sys.maxsize <= minimum <= sys.maxsize:
        return minimum
    try:
        return max(-sys.maxsize, min(math.ceil(minimum), sys.maxsize))
    except (ArithmeticError, ValueError):  # an infinity, or not a number, which no length reaches
        return -sys.maxsize if minimum == -math.inf else sys.maxsize
    except TypeError:
        raise TypeError(f"min_seen_overlap must be a number of characters, got {minimum!r}") from None


def validate_language(language: str) -> str:
    """Give the language if it is one of `SUPPORTED_LANGUAGES`."""
    if language not in SUPPORTED_LANGUAGES:
        raise ValueError(f"unknown language {language!r}; supported values: {', '.join(SUPPORTED_LANGUAGES)}")
    return language


def has_hash(value: object) -> bool:
    """Say whether a value can be the key of a dict."""
    try:
        hash(value)
    except TypeError:
        return False
    return True
