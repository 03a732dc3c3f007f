"""What a day is: a calendar day of UTC. What is in force is so for whole days.

A version is in force from the first moment of its first day, 00:00 UTC, to the first moment of the day that ends it,
which is not one of its days. An instant is an aware ``datetime``; the day that it falls on is that of UTC, whatever
its time zone.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

__all__ = ["as_day", "as_instant", "day_of", "utc_now"]

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def utc_now() -> datetime:
    """Give the instant that it is."""
    return datetime.now(UTC)


def day_of(instant: datetime) -> date:
    """Give the day of UTC that an instant falls on.

    Raises
    ------
    TypeError
        If it is not an aware ``datetime``.

    Examples
    --------
    >>> day_of(datetime.fromisoformat("2026-03-01T01:59:59+02:00"))
    datetime.date(2026, 2, 28)
    >>> day_of(datetime.fromisoformat("2026-03-01T02:00:00+02:00"))
    datetime.date(2026, 3, 1)
    """
    return as_instant("the instant", instant).date()


def as_instant(name: str, value: object) -> datetime:
    """Give an instant in UTC: an aware ``datetime``, or ISO 8601 with an offset.

    Raises
    ------
    TypeError, ValueError
        If it is none.
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise ValueError(f"{name} must be an ISO 8601 time with an offset, got {value!r:.60}") from None
    if not isinstance(value, datetime):
        raise TypeError(f"{name} must be an aware datetime, got {value!r:.60}")
    if value.utcoffset() is None:
        raise ValueError(f"{name} must have an offset from UTC, got {value.isoformat()!r:.60}")
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{name} is out of range in UTC, got {value.isoformat()!r:.60}") from None


def as_day(name: str, value: object) -> date:
    """Give a day: a ``date``, or a text such as ``2026-03-01``.

    Raises
    ------
    TypeError, ValueError
        If it is none; a ``datetime`` is not a day.
    """
    if isinstance(value, str):
        try:
            if _DAY.fullmatch(value):
                return date.fromisoformat(value)
        except ValueError:
            pass  # no such day in the calendar
        raise ValueError(f"{name} must be a day such as 2026-03-01, got {value!r:.60}")
    if not isinstance(value, date) or isinstance(value, datetime):
        raise TypeError(f"{name} must be a date, got {value!r:.60}")
    return value
