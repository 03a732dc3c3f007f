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


def plain_hits(search: Outside, hits: Iterable[Any]) -> list[dict[str, Any]]:
    """Give the hits of a search, or the documents of another call, as plain mappings.

    Fields keep their values where JSON has them; of others the text is kept, which is what is displayed.

    Raises
    ------
    BackendError
        If a hit is not a mapping with an id and content.
    """
    plain = []
    for number, hit in enumerate(hits, 1):
        if not isinstance(hit, Mapping):
            raise search.failed(f"result {number} must be a mapping, got {hit!r:.100}")
        for name in (ID, CONTENT):
            value = hit.get(name)
            if not isinstance(value, str) or not value:
                raise search.failed(f"result {number} must have a non-empty str as {name!r}, got {value!r:.100}")
        plain.append({str(name): _plain(value) for name, value in hit.items()})
    return plain


def _plain(value: Any) -> Any:
    if _is_json(value):
        return value
    if isinstance(value, int):  # of a subclass
        return int(value)
    if isinstance(value, list):
        return [item if _is_json(item) else str(item) for item in value]
    # Displayed only if it is truthy, and then by its text.
    return str(value) if value else None


def _is_json(value: Any) -> bool:
    """Say whether a value comes back from JSON equal and with the same text."""
    kind = type(value)
    if value is None or kind in (str, bool, int):
        return True
    if kind is float:
        return math.isfinite(value)
    if kind is list:
        return all(map(_is_json, value))
    return kind is dict and all(type(key) is str and _is_json(one) for key, one in value.items())
