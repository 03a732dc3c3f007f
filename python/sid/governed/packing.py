"""Records as the bytes that are kept and digested: JSON with one form for one value."""

from __future__ import annotations

import hashlib
import json
from typing import Any

__all__ = ["packed", "readable", "sha256", "unpacked"]


def packed(value: Any) -> bytes:
    r"""Give a value as JSON: keys sorted, no spaces, ASCII.

    Examples
    --------
    >>> packed({"b": "é", "a": [1, None]})
    b'{"a":[1,null],"b":"\\u00e9"}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def unpacked(raw: bytes) -> Any:
    """Undo `packed`.

    Raises
    ------
    ValueError
        If these are not the bytes that `packed` gives for any value.
    """
    try:
        value = json.loads(raw)
        same = packed(value) == raw
    except (TypeError, RecursionError) as error:
        raise ValueError(str(error)) from None
    if not same:
        raise ValueError("a record is not in its one form")
    return value


def sha256(raw: bytes) -> str:
    """Give the SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(raw).hexdigest()


def readable(key: object) -> str:
    """Give a key out of a table that may be damaged, so that it can be shown."""
    return key.decode(errors="replace") if isinstance(key, bytes) else f"{key!r:.80}"
