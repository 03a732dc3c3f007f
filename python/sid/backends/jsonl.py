"""JSON Lines, read so that each fault is named where it is."""

from __future__ import annotations

import json
import math
import re
from typing import Any

__all__ = ["JsonlFault", "json_object"]


class JsonlFault(ValueError):
    """A line that cannot be used.

    Attributes
    ----------
    line, column : int
        Where, counted from 1; columns in code points.
    """

    def __init__(self, line: int, column: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.column = column

    def __reduce__(self) -> tuple[type[JsonlFault], tuple[int, int, str]]:
        return type(self), (self.line, self.column, str(self))


def json_object(line: int, raw: bytes) -> dict[str, Any] | None:
    """Give the object of a line, or ``None`` if the line is blank.

    Parameters
    ----------
    line
        The line's number, from 1. A byte order mark may stand before the first.
    raw
        Its bytes, the line feed included or not.

    Raises
    ------
    JsonlFault
        If it is not UTF-8, not JSON, or no object; if an object names a key twice or a number is not finite.

    Examples
    --------
    >>> json_object(1, b'{"id": "a"}')
    {'id': 'a'}
    """
    if line == 1:
        raw = raw.removeprefix(b"\xef\xbb\xbf")  # a byte order mark
    raw = raw.rstrip(b"\r\n")  # so that an error at the end of the line is on it
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        column = len(raw[: error.start].decode()) + 1
        raise JsonlFault(line, column, f"byte {raw[error.start]:#04x} is not UTF-8; save the file as UTF-8") from None
    if not text.strip():
        return None
    try:
        document = json.loads(
            text, parse_constant=_finite, parse_float=_finite, parse_int=int, object_pairs_hook=_object
        )
    except json.JSONDecodeError as error:
        raise JsonlFault(line, error.colno, f"not JSON: {error.msg}; write one JSON object a line") from None
    except _TwiceNamed as error:
        raise JsonlFault(line, 1, str(error)) from None
    except ValueError as error:
        raise JsonlFault(line, _column_of_bad_number(text), f"not JSON that can be read: {error}") from None
    except RecursionError as error:
        raise JsonlFault(line, 1, f"not JSON that can be read: {error}") from None
    if not isinstance(document, dict):
        raise JsonlFault(line, 1, f"a document must be a JSON object, got {text.strip()!r:.60}")
    return document


class _TwiceNamed(Exception):
    """An object names a key twice."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _TwiceNamed(f"the key {twice!r:.60} stands twice in one object")
    return found


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(f"{number:.60} is not a finite number")
    return value


# A string, which is passed over, or a number or what some take for one.
_NUMBERS = re.compile(r'"(?:[^"\\]|\\.)*"|(-?[\dIN][\w.+-]*)')


def _column_of_bad_number(text: str) -> int:
    """Find the first number in a JSON text that cannot be read."""
    for match in _NUMBERS.finditer(text):
        number = match[1]
        try:
            if number is not None:
                int(number) if number.lstrip("-").isdigit() else _finite(number)
        except ValueError:
            return match.start() + 1
    return 1
