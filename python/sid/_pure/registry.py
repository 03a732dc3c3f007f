"""How documents get into the tables of a fork family."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Hashable, Iterator
from typing import Any

from .ledger import Ledger


class Registry:
    """Adds documents to the tables of a fork family, mints their ids and numbers them.

    ``own_copy`` copies a document; ``exhausted`` is the error that says that a stream has no id left. Whoever writes to
    several tables holds the lock; readers do not, where they find something (see `_store`).
    """

    def __init__(
        self,
        documents: dict[Hashable, Any],
        to_model_facing_id: dict[Hashable, str],
        to_data_id: dict[str, Hashable],
        numbers: dict[Hashable, int],
        data_ids: list[Hashable],
        stream: Iterator[str],
        own_copy: Callable[[Hashable, Any], Any],
        exhausted: Callable[[str], BaseException],
    ) -> None:
        self._documents = documents
        self._to_model_facing_id = to_model_facing_id
        self._to_data_id = to_data_id
        self._numbers = numbers
        self._data_ids = data_ids
        self._stream = stream
        # The one kind of stream that gives many ids at once, all of them or none.
        self._own_stream_type = type(stream)
        self._own_copy = own_copy
        self._exhausted = exhausted
        # Re-entrant: hashing and comparing foreign ids may call back.
        self._lock = threading.RLock()

    @property
    def stream(self) -> Iterator[str]:
        """Where model-facing ids come from."""
        return self._stream

    @stream.setter
    def stream(self, stream: Iterator[str]) -> None:
        with self._lock:
            self._stream = stream

    def add(self, ledger: Ledger, data_id: Hashable, document: Any) -> str:
        """Store a copy of a document, unless the id is taken, and register it; give the model-facing id."""
        model_facing_id = self._to_model_facing_id.get(data_id)
        # A document that was taken out of the public dict is added again, under its old id.
        if model_facing_id is None or data_id not in self._documents:
            model_facing_id = self._store(data_id, self._own_copy(data_id, document))
        ledger.register(self.number(data_id))
        return model_facing_id

    def require_ids(self, documents: dict[Hashable, Any]) -> None:
        """Refuse documents for which the stream has too few ids left, if it can tell without minting any."""
        with self._lock:
            count = len(self._new(documents))
            if type(self._stream) is self._own_stream_type and self._stream.remaining < count:  # type: ignore[attr-defined]
                self._stream.take(count)  # type: ignore[attr-defined]  # which fails, and says why

    def reserve(self, documents: dict[Hashable, Any]) -> list[str]:
        """Mint ids for the new ones of documents."""
        with self._lock:
            return self._mint_all([], len(self._new(documents)))

    def add_all(self, documents: dict[Hashable, Any], reserved: list[str]) -> None:
        """Store documents that are the family's own, unless their ids are taken: if ids run out, none of them.

        They get reserved ids as far as there are any.
        """
        with self._lock:
            new = self._new(documents)
            # Another thread may have added a document since, or a stream that repeats ids have given it a reserved one.
            ids = [each for each in reserved if each not in self._to_data_id][: len(new)]
            id_of = dict(zip(new, self._mint_all(ids, len(new)), strict=True))
            for data_id, document in documents.items():
                if data_id in id_of:
                    self._enter(data_id, document, id_of[data_id])
                else:
                    self._documents.setdefault(data_id, document)

    def _new(self, documents: dict[Hashable, Any]) -> list[Hashable]:
        return [data_id for data_id in documents if data_id not in self._to_model_facing_id]

    def number(self, data_id: Hashable) -> int:
        """Give the number of a data id; an id without one gets the next."""
        number = self._numbers.get(data_id)
        if number is not None:
            return number
        with self._lock:
            # The list first, so that whoever finds the number finds the id. Where it comes to nothing a hole is left,
            # since hashing a foreign id may have given the next number to another.
            self._data_ids.append(data_id)
            new = len(self._data_ids) - 1
            try:
                number = self._numbers.setdefault(data_id, new)
            finally:
                if number != new:
                    self._data_ids[new] = None
            return number

    def settle(self) -> None:
        """Wait until what other threads are about to add is added."""
        with self._lock:
            pass

    def tables(self) -> tuple[dict[Hashable, Any], dict[Hashable, str], dict[str, Hashable]]:
        """Give copies of the three public tables as they are between two additions."""
        with self._lock:
            return self._documents.copy(), self._to_model_facing_id.copy(), self._to_data_id.copy()

    def _store(self, data_id: Hashable, document: Any) -> str:
        """Store a document that is the family's own, unless the id is taken; give the model-facing id.

        Readers do without the lock where they find something. So the document comes last but one, and its
        model-facing id as a key last: behind both is nothing that can fail, and who misses what is still to be
        written waits.
        """
        with self._lock:
            known = self._to_model_facing_id.get(data_id)
            if known is not None:
                self._documents.setdefault(data_id, document)
                return known
            return self._enter(data_id, document, self._mint())

    def _enter(self, data_id: Hashable, document: Any, model_facing_id: str) -> str:
        """Store a document under a new id, unless it has one; give its id. The lock must be held."""
        self.number(data_id)
        # Hashing or comparing a foreign id may raise, or even add it.
        winner = self._to_model_facing_id.setdefault(data_id, model_facing_id)
        if winner is model_facing_id:
            try:
                self._documents.setdefault(data_id, document)
            except BaseException:
                if next(reversed(self._to_model_facing_id), None) is data_id:
                    self._to_model_facing_id.popitem()
                raise
            self._to_data_id[model_facing_id] = data_id
        return winner

    def _mint_all(self, ids: list[str], count: int) -> list[str]:
        """Give so many ids that are not in use and differ, ``ids`` among them. The lock must be held."""
        minted = dict.fromkeys(ids)
        while len(minted) < count:
            if type(self._stream) is self._own_stream_type:
                # Ids of a stream before it may be in use.
                some = self._stream.take(count - len(minted))  # type: ignore[attr-defined]
                minted |= dict.fromkeys(each for each in some if each not in self._to_data_id)
            else:
                minted[self._mint(minted)] = None
        return list(minted)

    def _mint(self, minted: Collection[str] = ()) -> str:
        in_use = len(self._to_data_id)
        # A stream put in place later may repeat ids of the one before it; one more id than are in use or minted, all
        # different, hold a new one.
        for _ in range(in_use + len(minted) + 1):
            try:
                model_facing_id = next(self._stream)
            except StopIteration:
                raise self._exhausted(f"model_facing_id_stream has no id left after {in_use}") from None
            if model_facing_id not in self._to_data_id and model_facing_id not in minted:
                return model_facing_id
        raise self._exhausted(f"model_facing_id_stream only repeats ids that are in use, such as {model_facing_id!r}")
