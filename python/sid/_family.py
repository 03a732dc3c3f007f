"""What the forks of a cache share: documents, the mapping between their ids, and where ids come from."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterator, Mapping
from typing import Any, TypeVar

from .id_stream import IdSpaceExhausted, IdStream

Value = TypeVar("Value")


class Family:
    """What forks share.

    The tables are plain dicts, since the documents are public as one. Whoever writes to several of them holds the
    lock. A reader needs it only where it finds nothing: another thread may be about to write there what that thread
    has already written elsewhere, so the reader waits, and looks again. What is found needs no lock, as an entry never
    changes and nothing that can fail comes after the entries of `documents` and `to_data_id`.

    Attributes
    ----------
    documents, to_model_facing_id, to_data_id
        The tables.
    numbers
        For each data id that any fork's ledger may name, a number of its own. Numbers are given one after the other,
        so that ledgers, which know documents by them, are flat and never hash or compare a foreign id.
    data_ids
        The data ids by their numbers.
    stream
        Where model-facing ids come from.
    """

    __slots__ = ("data_ids", "documents", "lock", "numbers", "stream", "to_data_id", "to_model_facing_id")

    def __init__(self) -> None:
        self.documents: dict[Hashable, Mapping[Any, Any]] = {}
        self.to_model_facing_id: dict[Hashable, str] = {}
        self.to_data_id: dict[str, Hashable] = {}
        self.numbers: dict[Hashable, int] = {}
        self.data_ids: list[Hashable] = []
        self.stream: Iterator[str] = IdStream()
        # Re-entrant: hashing and comparing foreign ids may call back.
        self.lock = threading.RLock()

    def add(self, data_id: Hashable, document: Mapping[Any, Any]) -> str:
        """Store a document that is the family's own, unless the id is taken; give the model-facing id."""
        with self.lock:
            known = self.to_model_facing_id.get(data_id)
            if known is not None:
                self.documents.setdefault(data_id, document)
                return known
            model_facing_id = self._mint()
            self.number(data_id)
            # Hashing or comparing a foreign id may raise, or even add it.
            winner = self.to_model_facing_id.setdefault(data_id, model_facing_id)
            if winner is model_facing_id:
                try:
                    self.documents.setdefault(data_id, document)
                except BaseException:
                    if next(reversed(self.to_model_facing_id), None) is data_id:
                        self.to_model_facing_id.popitem()
                    raise
                self.to_data_id[model_facing_id] = data_id
            return winner

    def number(self, data_id: Hashable) -> int:
        """Give the number of a data id; an id without one gets the next."""
        number = self.numbers.get(data_id)
        return self._new_number(data_id) if number is None else number

    def look_up(self, table: Mapping[Any, Value], key: Any, kind: str) -> Value:
        """Give the entry of one of the family's tables in which a look without the lock found nothing."""
        try:
            with self.lock:
                return table[key]
        except KeyError:
            raise KeyError(f"no document has the {kind} {key!r}") from None

    def holds(self, table: Mapping[Any, Any], key: Any) -> bool:
        """Say whether one of the family's tables has an entry."""
        if key in table:
            return True
        with self.lock:
            return key in table

    def _new_number(self, data_id: Hashable) -> int:
        with self.lock:
            new = len(self.data_ids)
            # First, so that whoever finds the number finds the id. Where it comes to nothing a hole is left, since
            # hashing a foreign id may have given the next number to another.
            self.data_ids.append(data_id)
            number = -1
            try:
                number = self.numbers.setdefault(data_id, new)
            finally:
                if number != new:
                    self.data_ids[new] = None
            return number

    def _mint(self) -> str:
        # A stream put in place later may repeat ids of the one before it; one more id than are in use, all
        # different, hold a new one.
        for _ in range(len(self.to_data_id) + 1):
            try:
                model_facing_id = next(self.stream)
            except StopIteration:
                raise IdSpaceExhausted(f"model_facing_id_stream has no id left after {len(self.to_data_id)}") from None
            if model_facing_id not in self.to_data_id:
                return model_facing_id
        raise IdSpaceExhausted(f"model_facing_id_stream only repeats ids that are in use, such as {model_facing_id!r}")
