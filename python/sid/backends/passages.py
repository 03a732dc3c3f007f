"""A document's vector: the mean direction of its passages, each short enough for any model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..analysis import token_spans
from .documents import Document
from .embedder import Embedder, to_unit_length, unit_vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["VECTOR_SCHEME", "document_vectors", "passages"]

PASSAGE_TOKENS = 128
PASSAGES_MAX = 1000
"""A longer document's passages are longer, so that no document has more than this many."""

PASSAGE_CHARACTERS = 4096
"""What a passage gives an embedder at most, in code points: tokens may be of any length."""

VECTOR_SCHEME = f"mean of passages {PASSAGE_TOKENS}/{PASSAGES_MAX}/{PASSAGE_CHARACTERS}"
"""How a document gets its vector; vectors of another scheme do not go together."""


def passages(content: str) -> list[str]:
    """Cut a text into passages of 128 tokens; a shorter text is one.

    Examples
    --------
    >>> [len(passage.split()) for passage in passages("word " * 200)]
    [128, 72]
    """
    spans = token_spans(content)
    length = max(PASSAGE_TOKENS, -(-len(spans) // PASSAGES_MAX))
    if len(spans) <= length:
        return [content[:PASSAGE_CHARACTERS]]
    return [
        content[spans[start][0] : spans[min(start + length, len(spans)) - 1][1]][:PASSAGE_CHARACTERS]
        for start in range(0, len(spans), length)
    ]


def document_vectors(embedder: Embedder, documents: Sequence[Document], heading_field: str) -> NDArray[np.float32]:
    """Give each document the mean of its passages' vectors, the heading before each passage.

    Returns
    -------
    numpy.ndarray
        float32 of shape ``(len(documents), dimension)``, each row of length 1, or 0 where the embedder has nothing to
        say.
    """
    import numpy as np

    texts: list[str] = []
    firsts: list[int] = []
    for document in documents:
        heading = " ".join(document.texts_of(heading_field))[:PASSAGE_CHARACTERS]
        firsts.append(len(texts))
        texts += [f"{heading}\n{passage}" if heading else passage for passage in passages(document.content)]
    vectors = unit_vectors(embedder, texts, "document")
    if not documents:
        return vectors
    return to_unit_length(np.add.reduceat(vectors, firsts, axis=0))
