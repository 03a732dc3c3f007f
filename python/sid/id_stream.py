"""Streams of short, unique, unguessable-looking ids."""

from __future__ import annotations

import operator
import random

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
        if isinstance(seed, str):
            # What random.Random does with a str, but for lone surrogates, which it cannot take.
            seed = seed.encode("utf-8", "surrogatepass")
        key = random.Random(seed).getrandbits(64)  # type: ignore[arg-type]  # noqa: S311
        self._ids = _kernels.ids("".join(symbols), self.length, self.space, key)

    def __iter__(self) -> IdStream:
        return self

    def __next__(self) -> str:
        """Mint the next id.

        Raises
        ------
        IdSpaceExhausted
            If there is none.
        """
        minted = self._ids.mint()
        if minted is None:
            raise IdSpaceExhausted(
                f"all {_written(self.space)} ids of length {self.length} over an alphabet of {len(self.alphabet)} "
                "are minted; make the stream with a greater length or alphabet"
            )
        return minted

    def take(self, n: int) -> list[str]:
        """Mint the next ``n`` ids at once.

        Returns
        -------
        list[str]
            What ``n`` calls of ``next`` would give.

        Raises
        ------
        IdSpaceExhausted
            If there are not so many left; none is minted then.
        ValueError
            If ``n`` is negative.

        Examples
        --------
        >>> stream = IdStream("ab", length=2, seed=1)
        >>> stream.take(3), stream.remaining
        (['ba', 'ab', 'bb'], 1)
        """
        number = operator.index(n)
        if number < 0:
            raise ValueError(f"n must not be negative, got {n!r}")
        start = self._ids.reserve(number) if number <= self.space else None
        if start is None:
            raise IdSpaceExhausted(
                f"{_written(number)} ids were asked for, and {_written(self.remaining)} are left; make the stream "
                "with a greater length or alphabet"
            )
        return self._ids.between(start, start + number)

    def __getitem__(self, index: int) -> str:
        """Give the id at ``index`` without minting it.

        Raises
        ------
        IndexError
            If ``index`` is not in ``range(space)``.
        """
        return self._ids.at(index)

    @property
    def minted(self) -> int:
        """How many ids have been minted."""
        return self._ids.minted

    @property
    def remaining(self) -> int:
        """How many ids are left to mint."""
        return self.space - self._ids.minted

    def __copy__(self) -> IdStream:
        """Give a stream that goes on from here on its own, with the ids that this one goes on with."""
        copied = type(self).__new__(type(self))
        vars(copied).update(vars(self))
        copied._ids = self._ids.fork()
        return copied

    def __repr__(self) -> str:
        return f"IdStream(length={self.length}, space={_written(self.space)}, minted={self.minted})"


def _written(number: int) -> str:
    # Python refuses to write integers of thousands of digits.
    return f"{number:,}" if number.bit_length() <= 1024 else f"2**{number.bit_length() - 1} or more"
