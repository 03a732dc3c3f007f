"""Documents on their way into an index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .documents import Document

__all__ = ["Ingested", "batches"]

BATCH_DOCUMENTS = 500
BATCH_CHARACTERS = 4_000_000
"""A batch ends with this many documents, or when it has this many code points of content."""


@dataclass(frozen=True)
class Ingested:
    """What became of the documents that were added."""

    added: int = 0
    replaced: int = 0
    unchanged: int = 0

    @property
    def total(self) -> int:
        """How many documents were read."""
        return self.added + self.replaced + self.unchanged


def batches(documents: Iterable[Mapping[str, Any]]) -> Iterator[tuple[list[Document], bool]]:
    """Give the documents in batches, each with whether it is the last one; at least one, which may be empty.

    Raises
    ------
    TypeError, ValueError
        If a document is not one.
    """
    batch: list[Document] = []
    size = 0
    for document in documents:
        if len(batch) == BATCH_DOCUMENTS or size >= BATCH_CHARACTERS:
            yield batch, False
            batch, size = [], 0
        batch.append(Document.of(document))
        size += len(batch[-1].content)
    yield batch, True
