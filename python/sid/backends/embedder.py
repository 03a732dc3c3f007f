"""From texts to vectors."""

from __future__ import annotations

import importlib
import logging
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, runtime_checkable

from .errors import MissingExtra

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]

__all__ = ["Embedder", "WordLlamaEmbedder", "to_unit_length", "unit_vectors"]

Purpose: TypeAlias = Literal["document", "query"]
"""What a text is embedded for; some models treat the two differently."""


@runtime_checkable
class Embedder(Protocol):
    """What gives texts vectors whose directions say what they are about."""

    @property
    def name(self) -> str:
        """The model and its version. An index keeps it, and takes no embedder of another name."""
        ...

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        ...

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Vectors:
        """Give a vector a text: float32 of shape ``(len(texts), dimension)``, finite, of any length.

        It must be safe to call from several threads.
        """
        ...


class WordLlamaEmbedder:
    """The model that ships inside the package ``wordllama``: small, quick on a CPU, and nothing to download.

    Needs the extra ``vector``: ``pip install 'sid-native[vector]'``.

    Raises
    ------
    MissingExtra
        If ``wordllama`` is not installed.

    Examples
    --------
    >>> WordLlamaEmbedder().embed(["owls hunt at night"], purpose="query").shape
    (1, 256)
    """

    dimension = 256

    _CHARACTERS = 16384
    """Of a longer text only the start is embedded."""

    _BATCH = 16
    """Texts at a time: they are padded to the longest, a token a character at worst and 1 KB a token."""

    def __init__(self) -> None:
        package = _quietly_imported("wordllama")
        # Both of its data folders lie in the package, but it looks for one of them only in the cache.
        folder = Path(package.__file__).parent
        self._model = package.WordLlama.load(dim=self.dimension, cache_dir=folder, disable_download=True)
        self.name = f"wordllama/l2_supercat_{self.dimension}"

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Vectors:
        """Give a vector a text; ``purpose`` makes no difference to this model."""
        # Its tokenizer takes no lone surrogates.
        clean = [text[: self._CHARACTERS].encode("utf-8", "replace").decode() for text in texts]
        vectors: Vectors = self._model.embed(clean, batch_size=self._BATCH)
        return vectors


_import_lock = threading.Lock()


def _quietly_imported(name: str) -> Any:
    """Import a package that sets up logging for the whole process, and undo that."""
    root = logging.getLogger()
    with _import_lock:
        handlers, level = list(root.handlers), root.level
        try:
            return importlib.import_module(name)
        except ImportError as error:
            raise MissingExtra("the vector mode", "vector", error) from error
        finally:
            root.handlers[:] = handlers
            root.setLevel(level)


def unit_vectors(embedder: Embedder, texts: Sequence[str], purpose: Purpose) -> Vectors:
    """Give the vectors of texts with length 1, or 0 for a text that the embedder has nothing to say of.

    Raises
    ------
    ValueError
        If the embedder gives another shape than it should, or a number that is not finite.
    """
    import numpy as np

    if not texts:
        return np.zeros((0, embedder.dimension), dtype=np.float32)
    vectors = np.asarray(embedder.embed(texts, purpose=purpose), dtype=np.float32)
    if vectors.shape != (len(texts), embedder.dimension):
        raise ValueError(
            f"embedder {embedder.name!r} gave an array of shape {vectors.shape} for {len(texts)} texts; "
            f"it must be {(len(texts), embedder.dimension)}"
        )
    if not np.isfinite(vectors).all():
        raise ValueError(f"embedder {embedder.name!r} gave a number that is not finite")
    return to_unit_length(vectors)


def to_unit_length(vectors: Vectors) -> Vectors:
    """Give vectors of the same directions with length 1, the zero vector excepted."""
    import numpy as np

    # In float64: the square of a float32 may be beyond its range.
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)
