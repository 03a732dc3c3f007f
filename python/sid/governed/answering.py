"""How an answer is read and then logged, so that the log never tells of one after what it rests on was changed."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from .store import GovernedStore

__all__ = ["read_then_log"]

_Read = TypeVar("_Read")

# What an answer rests on: versions, what became of them, and tickets.
_CHANGED = "SELECT EXISTS(SELECT 1 FROM audit WHERE sequence > ? AND kind IN ('added', 'status', 'tickets'))"


@contextlib.contextmanager
def read_then_log(
    store: GovernedStore, read: Callable[[sqlite3.Connection], _Read]
) -> Iterator[tuple[sqlite3.Connection, datetime, _Read]]:
    """Give what `read` finds, in the transaction that it is to be logged in.

    It is read before that, so that others can write meanwhile. If one of them changed what it may rest on, it is read
    again, with the lock held.
    """
    with store.connections.reading() as connection:
        (last,) = connection.execute("SELECT coalesce(max(sequence), 0) FROM audit").fetchone()
        found = read(connection)
    with store.writing() as (connection, now):
        if connection.execute(_CHANGED, (last,)).fetchone()[0]:
            found = read(connection)
        yield connection, now, found
