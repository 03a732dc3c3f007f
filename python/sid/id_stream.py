"""Streams of short, unique, unguessable-looking ids."""

from __future__ import annotations

import operator
import random
import threading

from . import _kernels

__all__ = ["DEFAULT_ALPHABET", "DEFAULT_LENGTH", "FORBIDDEN_CHARS", "MAX_LENGTH", "IdSpaceExhausted", "IdStream"]

DEFAULT_ALPHABET = "0123456789"
DEFAULT_LENGTH = 6
MAX_LENGTH = 10_000
"""Characters that an id may have at most."""

FORBIDDEN_CHARS = "#:"
"""Characters that separate an id from a range in references, so that no id may hold them."""


class IdSpaceExhausted(RuntimeError):
    """Every id of a stream has been minted."""


class IdStream:
    """All strings of a length over an alphabet, each once, in an order that looks random.

    The order is a keyed permutation of the space, so that minting needs no memory of what was minted. Streams with
    the same seed give the same ids.

    Parameters
    ----------
    alphabet
        The characters of the ids, each once.
    length
        Characters per id.
    seed
        Anything that ``random.Random`` takes; ``None`` gives a stream that cannot be repeated.

    Attributes
    ----------
    alphabet, length
        As given.
    space : int
        How many ids there are: ``len(alphabet) ** length``, of any size.

    Raises
    ------
    ValueError
        If ``length`` is below 1 or above `MAX_LENGTH`, or the alphabet repeats a character or holds ``#`` or ``:``.
    TypeError
        If ``length`` is not an integer, the alphabet not a ``str``, or ``seed`` is of an unsupported type.

    Notes
    -----
    Minting is safe from several threads at once.

    Examples
    --------
    >>> stream = IdStream("ab", length=2, seed=1)
    >>> [next(stream) for _ in range(3)], stream.minted, stream.remaining
    (['ba', 'ab', 'bb'], 3, 1)
    >>> stream[0]
    'ba'
    """

    def __init__(self, alphabet: str = DEFAULT_ALPHABET, length: int = DEFAULT_LENGTH, seed: object = None) -> None:
        symbols = tuple(alphabet)
        if not all(isinstance(symbol, str) for symbol in symbols):
            raise TypeError(f"alphabet must be a str, got {alphabet!r}")
        if not all(len(symbol) == 1 for symbol in symbols):
            raise ValueError(f"alphabet {alphabet!r} must consist of single characters, so that no two ids are equal")
        if len(set(symbols)) != len(symbols):
            raise ValueError(f"alphabet {alphabet!r} repeats a character; each may occur once")
        forbidden = [character for character in FORBIDDEN_CHARS if character in symbols]
        if forbidden:
            raise ValueError(
                f"alphabet {alphabet!r} holds {' and '.join(map(repr, forbidden))}, which separate an id from a range "
                "in references; any other character is accepted"
            )
        self.alphabet = alphabet
        self.length = operator.index(length)
        if not 1 <= self.length <= MAX_LENGTH:
            raise ValueError(f"length must be at least 1 and at most {MAX_LENGTH}, got {length!r}")
        self.space: int = len(symbols) ** self.length
        self._symbols = symbols
        if isinstance(seed, str):
            # What random.Random does with a str, but for lone surrogates, which it cannot take.
            seed = seed.encode("utf-8", "surrogatepass")
        self._key = random.Random(seed).getrandbits(64)  # type: ignore[arg-type]  # noqa: S311
        self._lock = threading.Lock()
        self._minted = 0

    def __iter__(self) -> IdStream:
        return self

    def __next__(self) -> str:
        """Mint the next id.

        Raises
        ------
        IdSpaceExhausted
            If there is none.
        """
        with self._lock:
            index = self._minted
            if index >= self.space:
                raise IdSpaceExhausted(
                    f"all {self._space_text()} ids of length {self.length} over an alphabet of {len(self._symbols)} "
                    "are minted; make the stream with a greater length or alphabet"
                )
            self._minted = index + 1
        return self._at(index)

    def __getitem__(self, index: int) -> str:
        """Give the id at ``index`` without minting it.

        Raises
        ------
        IndexError
            If ``index`` is not in ``range(space)``.
        """
        position = operator.index(index)
        if not 0 <= position < self.space:
            raise IndexError(f"index is outside the space of {self._space_text()} ids")
        return self._at(position)

    def _at(self, index: int) -> str:
        return _kernels.id_at(index, self.space, self._key, self._symbols, self.length)

    @property
    def minted(self) -> int:
        """How many ids have been minted."""
        return self._minted

    @property
    def remaining(self) -> int:
        """How many ids are left to mint."""
        return self.space - self._minted

    def _space_text(self) -> str:
        # Python refuses to write integers of thousands of digits.
        if self.space.bit_length() > 1024:
            return f"{len(self._symbols)}**{self.length}"
        return f"{self.space:,}"

    def __repr__(self) -> str:
        return f"IdStream(length={self.length}, space={self._space_text()}, minted={self._minted})"
