"""Texts and data as they can be sent: UTF-8 has no lone surrogates, which JSON can write and models do."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["sendable", "sendable_data"]

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def sendable(text: str) -> str:
    r"""Give a text that can be sent as UTF-8, with as many code points, so that offsets stay.

    Examples
    --------
    >>> sendable("a\ud800b")
    'a�b'
    """
    return _LONE_SURROGATE.sub(_REPLACEMENT, text)


def sendable_data(value: Any) -> Any:
    r"""Give JSON data with every text of it, keys too, as `sendable` gives it; the value itself if nothing changes.

    Examples
    --------
    >>> sendable_data([{"a\ud800": 1}])
    [{'a�': 1}]
    """
    text = json.dumps(value, ensure_ascii=False)
    # Only strings can hold a surrogate, and there it stands for itself.
    return json.loads(sendable(text)) if _LONE_SURROGATE.search(text) else value
