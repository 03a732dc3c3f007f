"""The id permutation: a Feistel network with cycle-walking over a space of any size."""

from __future__ import annotations

_WORD = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15  # 2**64 divided by the golden ratio, the increment of splitmix64
_ROUNDS = 4


def id_at(index: int, space: int, key: int, alphabet: tuple[str, ...], length: int) -> str:
    """Give the id at ``index`` of the stream with ``key``; ``space`` is ``len(alphabet) ** length``."""
    if not 0 <= index < space:
        raise IndexError(f"index {index} is outside the space of {space} ids")
    half = max(1, ((space - 1).bit_length() + 1) // 2)
    value = _permute(index, half, key)
    while value >= space:  # walk the cycle back into the space
        value = _permute(value, half, key)
    symbols = []
    for _ in range(length):
        value, digit = divmod(value, len(alphabet))
        symbols.append(alphabet[digit])
    return "".join(reversed(symbols))


def _permute(value: int, half: int, key: int) -> int:
    mask = (1 << half) - 1
    left, right = value >> half, value & mask
    for number in range(_ROUNDS):
        left, right = right, left ^ (_mix(right, number, key) & mask)
    return left << half | right


def _mix(value: int, number: int, key: int) -> int:
    """Give splitmix64's finalizer over the value, the key and the round number."""
    mixed = (value + key + number * _GOLDEN) & _WORD
    mixed = ((mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9) & _WORD
    mixed = ((mixed ^ mixed >> 27) * 0x94D049BB133111EB) & _WORD
    return mixed ^ mixed >> 31
