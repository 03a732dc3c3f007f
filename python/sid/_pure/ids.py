"""The id permutation: a Feistel network with cycle-walking over a space of any size."""

from __future__ import annotations

import operator
import threading

_WORD = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15  # 2**64 divided by the golden ratio, the increment of splitmix64
_ROUNDS = 4


class Ids:
    """The ids of a stream: all strings of ``length`` characters of ``alphabet``, in the order that ``key`` gives them.

    ``space`` is how many there are, ``len(alphabet) ** length``, of any size.
    """

    def __init__(self, alphabet: str, length: int, space: int, key: int) -> None:
        self._alphabet = alphabet
        self._length = length
        self._space = space
        self._key = key
        self._half = max(1, ((space - 1).bit_length() + 1) // 2)
        self._minted = 0
        self._lock = threading.Lock()

    @property
    def minted(self) -> int:
        """How many ids have been minted."""
        return self._minted

    def mint(self) -> str | None:
        """Give the next id, or ``None`` if there is none left."""
        position = self.reserve(1)
        return None if position is None else self.at(position)

    def reserve(self, count: int) -> int | None:
        """Give the position of the first of the next ``count`` ids, which count as minted from now on.

        ``None`` if there are not so many left.
        """
        with self._lock:
            first = self._minted
            if count > self._space - first:
                return None
            self._minted = first + count
            return first

    def fork(self) -> Ids:
        """Give the same ids of which as many have been minted, and then others."""
        fork = Ids(self._alphabet, self._length, self._space, self._key)
        fork._minted = self._minted
        return fork

    def at(self, index: int) -> str:
        """Give the id at ``index``; `IndexError` if there is none."""
        position = operator.index(index)
        if not 0 <= position < self._space:
            raise IndexError("index is outside the space of ids")
        value = self._permuted(position)
        while value >= self._space:  # walk the cycle back into the space
            value = self._permuted(value)
        characters = []
        for _ in range(self._length):
            value, digit = divmod(value, len(self._alphabet))
            characters.append(self._alphabet[digit])
        return "".join(reversed(characters))

    def between(self, start: int, stop: int) -> list[str]:
        """Give the ids from ``start`` to ``stop``, which must be in the space."""
        return [self.at(position) for position in range(start, min(stop, self._space))]

    def _permuted(self, value: int) -> int:
        mask = (1 << self._half) - 1
        left, right = value >> self._half, value & mask
        for number in range(_ROUNDS):
            left, right = right, left ^ (_mix(right, number, self._key) & mask)
        return left << self._half | right


def _mix(value: int, number: int, key: int) -> int:
    """Give splitmix64's finalizer over the value, the key and the round number."""
    mixed = (value + key + number * _GOLDEN) & _WORD
    mixed = ((mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9) & _WORD
    mixed = ((mixed ^ mixed >> 27) * 0x94D049BB133111EB) & _WORD
    return mixed ^ mixed >> 31
