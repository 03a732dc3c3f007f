"""What the forks of a cache share: documents, the mapping between their ids, and where ids come from."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from . import _kernels
from .id_stream import IdSpaceExhausted, IdStream

Value = TypeVar("Value")


class Family:
    """What forks share.

    The tables are plain dicts, since the documents are public as one. They are read here without a lock and written
    to by the registry under one. Where a reader finds nothing, another thread may be about to write there what that
    thread has already written elsewhere: so the reader waits for it, and looks again.

    Attributes
    ----------
    documents, to_model_facing_id, to_data_id
        The tables.
    numbers
        For each data id that any fork's ledger may name, a number of its own. Numbers are given one after the other,
        so that ledgers, which know documents by them, are flat and never hash or compare a foreign id.
    data_ids
        The data ids by their numbers.
    registry
        What adds to them.
    """

    __slots__ = ("data_ids", "documents", "numbers", "registry", "to_data_id", "to_model_facing_id")

    def __init__(self) -> None:
        self.documents: dict[Hashable, Mapping[Any, Any]] = {}
        self.to_model_facing_id: dict[Hashable, str] = {}
        self.to_data_id: dict[str, Hashable] = {}
        self.numbers: dict[Hashable, int] = {}
        self.data_ids: list[Hashable] = []
        self.registry = _kernels.Registry(
            self.documents,
            self.to_model_facing_id,
            self.to_data_id,
            self.numbers,
            self.data_ids,
            IdStream(),
            own_copy,
            IdSpaceExhausted,
        )

    def look_again(self, table: Mapping[Any, Value], key: Any, kind: str) -> Value:
        """Give the entry of one of the tables in which a first look found nothing."""
        self.registry.settle()
        try:
            return table[key]
        except KeyError:
            raise KeyError(f"no document has the {kind} {key!r}") from None

    def holds(self, table: Mapping[Any, Any], key: Any) -> bool:
        """Say whether one of the tables has an entry."""
        if key in table:
            return True
        self.registry.settle()
        return key in table


def own_copy(data_id: Hashable, document: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Copy a document so that nothing the caller does later reaches it."""
    if not isinstance(document, Mapping):
        raise TypeError(f"document {data_id!r} must be a mapping from field to value, got {document!r}")
    if isinstance(document, MappingProxyType):
        document = dict(document)  # copy.deepcopy does not know this view of a dict
    return _kernels.deep_copy(document)
