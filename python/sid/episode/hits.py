"""Search results as they come in: checked, and made plain.

What is plain is JSON data that is displayed as the result is. The cache holds it, and the transcript too, so that a
replay shows what the model was shown, whatever objects the backend gave.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from ..backends.documents import CONTENT, ID
from .fetch import Outside

__all__ = ["CONTENT", "ID", "plain_hits"]

_DEPTH_MAX = 100
"""Levels of a field's value: well below where Python's stack ends, so that a replay goes as the run did."""


def plain_hits(search: Outside, hits: Iterable[Any]) -> list[dict[str, Any]]:
    """Give the hits of a search, or the documents of another call, as plain mappings.

    Fields keep their values where JSON has them; of others the text is kept, which is what is displayed.

    Raises
    ------
    BackendError
        If a hit is not a mapping with an id and content, or a field cannot be shown.
    """
    plain = []
    for number, hit in enumerate(hits, 1):
        if not isinstance(hit, Mapping):
            raise search.failed(f"result {number} must be a mapping, got {_told(hit)}")
        try:
            fields = dict(hit.items())
        except Exception as error:
            raise search.failed(f"result {number} cannot be read: {type(error).__name__}") from error
        for name in (ID, CONTENT):
            value = fields.get(name)
            if not isinstance(value, str) or not value:
                raise search.failed(f"result {number} must have a non-empty str as {name!r}, got {_told(value)}")
        kept: dict[str, Any] = {}
        for name, value in fields.items():
            try:
                kept[str(name)] = _plain(value)
            except Exception as error:
                raise search.failed(
                    f"field {_told(name)} of result {number} cannot be shown: {type(value).__name__} "
                    f"({type(error).__name__}: {_text(error)})"
                ) from error
        plain.append(kept)
    return plain


def _told(value: object) -> str:
    try:
        return f"{value!r:.100}"
    except Exception:
        return f"a value of type {type(value).__name__}"


def _text(error: Exception) -> str:
    try:
        return f"{error!s:.100}"
    except Exception:
        return "no more is told"


def _plain(value: Any) -> Any:
    if _is_json(value):
        return value
    if isinstance(value, int):  # of a subclass
        return int(value)
    if isinstance(value, list):
        return [item if _is_json(item) else str(item) for item in value]
    # Displayed only if it is truthy, and then by its text.
    return str(value) if value else None


def _is_json(value: Any, depth: int = 0) -> bool:
    """Say whether a value comes back from JSON equal and with the same text.

    Raises
    ------
    ValueError
        If it is nested too deep or has too many digits to be written.
    """
    kind = type(value)
    if value is None or kind in (str, bool):
        return True
    if kind is int:
        return bool(str(value))  # Python refuses to write thousands of digits
    if kind is float:
        return math.isfinite(value)
    if depth > _DEPTH_MAX:
        raise ValueError(f"nested more than {_DEPTH_MAX} deep")
    if kind is list:
        return all(_is_json(one, depth + 1) for one in value)
    return kind is dict and all(type(key) is str and _is_json(one, depth + 1) for key, one in value.items())
