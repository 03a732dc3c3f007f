"""Filters: conditions on the fields of documents, the same for every backend here.

A filter is a name with a value. All of a search's filters must hold.

``field: value``
    The field equals the value: a string, a number or a bool. Where the field holds a list, one of its items does.
    Where the value is a list, one of its items will do. ``1`` equals ``1.0``; nothing else equals what is of another
    type.
``field_after: time`` and ``field_before: time``
    The field is a time in [after, before): not earlier than the one, earlier than the other. Times are ISO 8601, in
    the field and in the filter: ``2024``, ``2024-05``, ``2024-05-31``, ``2024-05-31T12:30:00+02:00``; they begin where
    the written period begins, in UTC if no offset is written. A field whose own name ends in ``_after`` or
    ``_before`` can therefore not be asked for by equality.

A document without the field does not meet the condition.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from .documents import CONTENT, ID, encoded
from .protocol import Filters, InvalidFilter

__all__ = ["AnyOf", "Between", "conditions", "field_keys", "instant"]

AFTER = "_after"
BEFORE = "_before"

VALUES_MAX = 1000
"""A filter has at most this many values."""

FILTERS_MAX = 100
"""A search has at most this many filters."""

_KEY_BYTES = 64
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_YEAR_OR_MONTH = re.compile(r"(?a:\d{4})(?:-(?a:\d\d))?")


@dataclass(frozen=True)
class AnyOf:
    """The field holds one of the values, as keys; see `field_keys`."""

    name: str
    keys: tuple[bytes, ...]


@dataclass(frozen=True)
class Between:
    """The field holds a time in [after, before), in microseconds since 1970; ``None`` is no bound."""

    name: str
    after: int | None = None
    before: int | None = None


def conditions(filters: Filters | None) -> list[AnyOf | Between]:
    """Read filters.

    Raises
    ------
    InvalidFilter
        If a name is not a string or names the id or the content, or a value is not one that a filter can have.

    Examples
    --------
    >>> conditions({"author": "Ada", "published_after": "1970-01-01T00:00:01"})
    [AnyOf(name='author', keys=(b'sAda',)), Between(name='published', after=1000000, before=None)]
    """
    if filters is None:
        return []
    if not isinstance(filters, Mapping):
        raise InvalidFilter(f"filters must be a mapping from names to values, got {filters!r:.80}")
    if len(filters) > FILTERS_MAX:
        raise InvalidFilter(f"a search has at most {FILTERS_MAX} filters, got {len(filters)}")
    equal: list[AnyOf | Between] = []
    between: dict[str, Between] = {}
    for name, value in filters.items():
        if not isinstance(name, str) or name in (ID, CONTENT, ""):
            raise InvalidFilter(f"there can be no filter {name!r:.80}: name a field other than {ID!r} and {CONTENT!r}")
        field, bound = _bound(name)
        if bound is None:
            equal.append(AnyOf(name, _keys(name, value)))
        else:
            found, time = between.get(field, Between(field)), _filter_time(name, value)
            between[field] = replace(found, after=time) if bound == AFTER else replace(found, before=time)
    return [*equal, *between.values()]


def field_keys(value: Any) -> Iterator[bytes]:
    """Give a key for every value in a field that equality can ask for; equal values have equal keys.

    A long string's key is a digest, so that every key is short.
    """
    for item in value if isinstance(value, list) else (value,):
        if isinstance(item, bool):
            yield b"b1" if item else b"b0"
        elif isinstance(item, int | float):
            whole = int(item) if isinstance(item, float) and item.is_integer() else item
            yield _short(b"n" + repr(whole).encode())
        elif isinstance(item, str):
            yield _short(b"s" + encoded(item))


def field_instants(value: Any) -> Iterator[int]:
    """Give every time in a field."""
    for item in value if isinstance(value, list) else (value,):
        found = instant(item) if isinstance(item, str) else None
        if found is not None:
            yield found


def instant(text: str) -> int | None:
    """Give the microseconds from 1970 to where a period of ISO 8601 begins, or ``None`` if it is none.

    Examples
    --------
    >>> instant("1970"), instant("1970-01-01T01:00+01:00"), instant("soon")
    (0, 0, None)
    """
    text = text.strip()
    if _YEAR_OR_MONTH.fullmatch(text):
        text = f"{text}-01-01"[:10]
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // _MICROSECOND


def _bound(name: str) -> tuple[str, str | None]:
    for bound in (AFTER, BEFORE):
        if name.endswith(bound) and name != bound:
            return name.removesuffix(bound), bound
    return name, None


def _keys(name: str, value: Any) -> tuple[bytes, ...]:
    values = list(value) if isinstance(value, list | tuple) else [value]
    if not 0 < len(values) <= VALUES_MAX:
        raise InvalidFilter(f"filter {name!r:.80} must have from 1 to {VALUES_MAX} values, got {len(values)}")
    for item in values:
        if not isinstance(item, str | int | float) or (isinstance(item, float) and not math.isfinite(item)):
            raise InvalidFilter(
                f"filter {name!r:.80} must be a string, a number, a bool or a list of them, got {item!r:.80}"
            )
    try:
        return tuple(dict.fromkeys(field_keys(values)))
    except ValueError:
        raise InvalidFilter(f"filter {name!r:.80} holds an integer of too many digits") from None


def _filter_time(name: str, value: Any) -> int:
    found = instant(value) if isinstance(value, str) else None
    if found is None:
        raise InvalidFilter(
            f"filter {name!r:.80} must be a time in ISO 8601 such as '2024-05-31' or '2024-05-31T12:30:00Z', "
            f"got {value!r:.80}"
        )
    return found


def _short(key: bytes) -> bytes:
    return key if len(key) <= _KEY_BYTES else b"h" + hashlib.blake2b(key, digest_size=32).digest()
