"""A document cut into passages, each short enough that one vector can say what it is about."""

from __future__ import annotations

from ..analysis import token_spans

__all__ = ["PASSAGE_SCHEME", "passages"]

PASSAGE_TOKENS = 128
PASSAGE_STRIDE = 64
PASSAGES_MAX = 1000
"""A longer document's passages are longer, so that no document has more than this many."""

PASSAGE_CHARACTERS = 4096
"""What a passage gives an embedder at most, in code points: tokens may be of any length."""

PASSAGE_SCHEME = f"{PASSAGE_TOKENS}/{PASSAGE_STRIDE}/{PASSAGES_MAX}/{PASSAGE_CHARACTERS}"
"""How texts are cut; vectors of another scheme do not go together."""


def passages(content: str) -> list[str]:
    """Cut a text into overlapping passages; a short text is one.

    Examples
    --------
    >>> [len(passage.split()) for passage in passages("word " * 200)]
    [128, 128, 72]
    """
    spans = token_spans(content)
    stride = max(PASSAGE_STRIDE, -(-len(spans) // PASSAGES_MAX))
    length = stride * PASSAGE_TOKENS // PASSAGE_STRIDE
    if len(spans) <= length:
        return [content[:PASSAGE_CHARACTERS]]
    # The last start is the first one whose passage reaches the end.
    starts = range(0, len(spans) - length + stride, stride)
    return [
        content[spans[start][0] : spans[min(start + length, len(spans)) - 1][1]][:PASSAGE_CHARACTERS]
        for start in starts
    ]
