"""A document as an index keeps it: an id, a text, and other fields that JSON can hold."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

__all__ = ["CONTENT", "ID", "Document", "decoded", "encoded"]

ID = "id"
CONTENT = "content"

NESTING_MAX = 100
"""Fields are nested at most this deep, far below where Python's own recursion ends."""


def encoded(text: str) -> bytes:
    """Give UTF-8 of any string: a lone surrogate, which UTF-8 has not, is written as if it were a character."""
    return text.encode("utf-8", "surrogatepass")


def decoded(raw: bytes) -> str:
    """Undo `encoded`."""
    return raw.decode("utf-8", "surrogatepass")


@dataclass(frozen=True)
class Document:
    """A checked document.

    Parameters
    ----------
    id
        Any string but the empty one. It is never taken for a path.
    content
        The text, not empty.
    fields
        The other fields, in order.
    """

    id: str
    content: str
    fields: Mapping[str, Any]

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Document:
        """Check a document as a caller gives it.

        Raises
        ------
        TypeError
            If it is not a mapping from strings, or a field holds what JSON cannot.
        ValueError
            If its id or its content is missing or empty, or a field holds a number that is not finite.
        """
        if not isinstance(document, Mapping):
            raise TypeError(f"a document must be a mapping of fields, got {document!r:.80}")
        values = {}
        for name in (ID, CONTENT):
            value = document.get(name)
            if not isinstance(value, str) or not value:
                of = "" if name == ID else f" of document {document[ID]!r:.80}"
                raise (ValueError if value is None or value == "" else TypeError)(
                    f"field {name!r}{of} must be a non-empty str, got {value!r:.80}"
                )
            values[name] = value
        fields = {}
        for name, value in document.items():
            if not isinstance(name, str):
                raise TypeError(f"document {values[ID]!r:.80} has a field named {name!r:.80}, which is not a str")
            if name not in (ID, CONTENT):
                fields[name] = _plain(value, f"field {name!r:.80} of document {values[ID]!r:.80}", NESTING_MAX)
        return cls(values[ID], values[CONTENT], fields)

    @classmethod
    def from_packed(cls, packed_id: bytes, digest: bytes, content: bytes, packed_fields: bytes) -> Document:
        """Make it from what an index keeps.

        Raises
        ------
        ValueError
            If that is not what the digest was made of.
        """
        if _digest(packed_id, content, packed_fields) != digest:
            raise ValueError("a document is not as it was written")
        return cls(decoded(packed_id), decoded(content), json.loads(decoded(packed_fields)))

    @cached_property
    def packed_fields(self) -> bytes:
        """The other fields as JSON, in order; not ASCII, since escapes would make one of two lone surrogates."""
        return encoded(json.dumps(self.fields, ensure_ascii=False, separators=(",", ":")))

    @cached_property
    def digest(self) -> bytes:
        """What tells whether a document has changed, in the source or in the index: 16 bytes."""
        return _digest(encoded(self.id), encoded(self.content), self.packed_fields)

    def texts_of(self, field: str) -> list[str]:
        """Give the texts in a field: itself, or the strings in its list."""
        value = self.fields.get(field)
        return [text for text in (value if isinstance(value, list) else [value]) if isinstance(text, str)]

    def hit(self) -> dict[str, Any]:
        """Give it as a search result."""
        return {ID: self.id, **self.fields, CONTENT: self.content}


def _digest(*parts: bytes) -> bytes:
    hashed = hashlib.blake2b(digest_size=16)
    for part in parts:
        hashed.update(len(part).to_bytes(8, "little"))
        hashed.update(part)
    return hashed.digest()


def _plain(value: Any, where: str, depth: int) -> Any:
    """Give a copy in the types of JSON, tuples as lists."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int):
        try:
            str(value)
        except ValueError:
            raise ValueError(f"{where} holds an integer of too many digits") from None
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{where} holds {value!r}, which is not a finite number")
        return value
    if depth == 0:
        raise ValueError(f"{where} is nested more than {NESTING_MAX} deep")
    if isinstance(value, list | tuple):
        return [_plain(item, where, depth - 1) for item in value]
    if isinstance(value, Mapping):
        if wrong := [key for key in value if not isinstance(key, str)]:
            raise TypeError(f"{where} has a key {wrong[0]!r:.80}, which is not a str")
        return {key: _plain(item, where, depth - 1) for key, item in value.items()}
    raise TypeError(
        f"{where} holds {value!r:.80} of type {type(value).__name__}; give strings, numbers, bools, None, and lists "
        "and mappings of them (a date as ISO 8601)"
    )
