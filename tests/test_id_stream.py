"""`IdStream`: a permutation of all ids of a length."""

from __future__ import annotations

import copy
import itertools
import random
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sid.id_stream import DEFAULT_ALPHABET, DEFAULT_LENGTH, FORBIDDEN_CHARS, MAX_LENGTH, IdSpaceExhausted, IdStream
from strategies import characters, texts

# Alphabet, length: spaces of one id, of no power of two, just below, at and above powers of two, and beyond 2**64 and
# 2**128, where the native backend ends.
SMALL = [
    ("a", 1),
    ("a", 7),
    ("ab", 1),
    ("abc", 3),
    ("0123456789", 3),
    ("ab", 10),
    ("漢\ud800🙂", 4),
    ("\ud83d\ude00x", 2),
]
LARGE = [
    (DEFAULT_ALPHABET, DEFAULT_LENGTH),
    ("ab", 64),
    ("ab", 65),
    ("abc", 41),
    (DEFAULT_ALPHABET, 20),
    ("ab", 127),
    ("ab", 128),
    ("ab", 129),
    (DEFAULT_ALPHABET, 38),
    (DEFAULT_ALPHABET, 39),
    ("".join(map(chr, range(0x4E00, 0x4E00 + 5000))), 11),
    ("ab", 700),
]

alphabets = st.text(characters.filter(lambda character: character not in FORBIDDEN_CHARS), min_size=1, max_size=6).map(
    lambda text: "".join(dict.fromkeys(text))
)


def is_id(text: str, alphabet: str, length: int) -> bool:
    return type(text) is str and len(text) == length and set(text) <= set(alphabet)


def test_defaults():
    stream = IdStream()
    assert (stream.alphabet, stream.length, stream.space) == ("0123456789", 6, 10**6)
    assert (stream.minted, stream.remaining) == (0, 10**6)
    assert is_id(next(stream), "0123456789", 6)
    assert issubclass(IdSpaceExhausted, RuntimeError)


@pytest.mark.parametrize(("alphabet", "length"), SMALL)
@pytest.mark.parametrize("seed", [0, "seed"])
def test_a_small_space_is_minted_whole_and_each_id_once(alphabet, length, seed):
    stream = IdStream(alphabet, length, seed)
    assert stream.space == len(alphabet) ** length
    minted = []
    for number in range(stream.space):
        assert (stream.minted, stream.remaining) == (number, stream.space - number)
        minted.append(next(stream))
    assert len(set(minted)) == stream.space
    assert all(is_id(text, alphabet, length) for text in minted)
    assert minted == [stream[index] for index in range(stream.space)]
    for _ in range(2):
        with pytest.raises(IdSpaceExhausted, match=f"{stream.space:,}"):
            next(stream)
    assert (stream.minted, stream.remaining) == (stream.space, 0)


@pytest.mark.parametrize(("alphabet", "length"), LARGE)
def test_a_large_space_stays_inside_and_apart(alphabet, length):
    stream = IdStream(alphabet, length, seed=7)
    space = len(alphabet) ** length
    assert (stream.space, stream.remaining) == (space, space)
    indices = {*range(200), *range(space - 200, space), *(space * part // 97 for part in range(97))}
    ids = {stream[index] for index in indices}
    assert len(ids) == len(indices)
    assert all(is_id(text, alphabet, length) for text in ids)
    assert [next(stream) for _ in range(3)] == [stream[index] for index in range(3)]
    for outside in (-1, space, space + 1, -space, 2 * space, 10 * space):
        with pytest.raises(IndexError):
            stream[outside]
    assert (stream.minted, stream.remaining) == (3, space - 3)


@given(alphabets, st.integers(1, 4), st.one_of(st.integers(), texts, st.floats(), st.binary(), st.booleans()))
def test_any_alphabet_and_seed_give_a_permutation_that_can_be_repeated(alphabet, length, seed):
    stream, again = IdStream(alphabet, length, seed), IdStream(alphabet, length, seed)
    ids = [stream[index] for index in range(stream.space)]
    assert len(set(ids)) == stream.space
    assert all(is_id(text, alphabet, length) for text in ids)
    assert [again[index] for index in range(again.space)] == ids


@given(st.integers(0, 2**64 - 1), st.sampled_from(LARGE), st.data())
@settings(max_examples=60)
def test_the_permutation_is_the_documented_one(seed, shape, data):
    alphabet, length = shape
    stream = IdStream(alphabet, length, seed)
    index = data.draw(st.integers(0, stream.space - 1))
    assert stream[index] == documented_id(index, alphabet, length, random.Random(seed).getrandbits(64))


def documented_id(index: int, alphabet: str, length: int, key: int) -> str:
    space, modulus = len(alphabet) ** length, 2**64
    half = max(1, ((space - 1).bit_length() + 1) // 2)

    def mix(value: int, number: int) -> int:
        value = (value + key + number * 0x9E3779B97F4A7C15) % modulus
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
            value = (value ^ (value >> shift)) * factor % modulus
        return value

    while True:
        left, right = divmod(index, 2**half)
        for number in range(4):
            left, right = right, left ^ (mix(right, number) % 2**half)
        index = left * 2**half + right
        if index < space:
            break
    base = len(alphabet)
    return "".join(alphabet[index // base**place % base] for place in reversed(range(length)))


def test_seeds_matter_and_no_seed_is_not_repeated():
    def first(seed: object) -> list[str]:
        stream = IdStream(length=20, seed=seed)
        return [stream[index] for index in range(5)]

    assert first(1) == first(1) == first(True)
    assert first("a") == first("a") != first(b"b")
    assert len({tuple(first(seed)) for seed in (1, 2, "a", None, None)}) == 5


@pytest.mark.parametrize("seed", ["\ud800", "a\udfffé"])
def test_a_seed_may_hold_lone_surrogates(seed):
    stream, again, other = (IdStream(length=20, seed=text) for text in (seed, seed, seed + "x"))
    assert stream[0] == again[0] != other[0]


def test_ids_are_not_in_order():
    ids = [IdStream(seed=3)[index] for index in range(100)]
    assert ids != sorted(ids)
    assert ids != sorted(ids, reverse=True)


@pytest.mark.parametrize("length", [0, -1, -(10**30)])
def test_length_is_at_least_one(length):
    with pytest.raises(ValueError, match=rf"length.*{length}"):
        IdStream(length=length)


@pytest.mark.parametrize("length", [6.0, "6", None])
def test_length_is_an_integer(length):
    with pytest.raises(TypeError):
        IdStream(length=length)


@pytest.mark.parametrize("make", [np.int64, np.uint8], ids=lambda make: make.__name__)
@pytest.mark.parametrize("length", [6, 25])
def test_length_is_any_integer(make, length):
    stream, expected = IdStream(length=make(length), seed=1), IdStream(length=length, seed=1)
    assert stream.space == stream.remaining == expected.space
    assert [next(stream), stream[5]] == [expected[0], expected[5]]


@pytest.mark.parametrize("alphabet", ["aa", "abca", "0123456789 0", "漢字漢", "\ud800a\ud800"])
def test_no_character_is_repeated(alphabet):
    with pytest.raises(ValueError, match="repeats") as caught:
        IdStream(alphabet)
    assert repr(alphabet) in str(caught.value)


@pytest.mark.parametrize("alphabet", ["#", "ab#", ":", "a:b", ":#"])
def test_separators_of_references_are_forbidden(alphabet):
    with pytest.raises(ValueError, match=r"'[#:]'") as caught:
        IdStream(alphabet)
    assert repr(alphabet) in str(caught.value)


@pytest.mark.parametrize("alphabet", [None, 5, [1, 2]])
def test_an_alphabet_holds_strings(alphabet):
    with pytest.raises(TypeError):
        IdStream(alphabet)


@pytest.mark.parametrize("alphabet", [["a", "aa"], ["ab", "a", "b"]])
def test_symbols_never_make_the_same_id_twice(alphabet):
    try:
        stream = IdStream(alphabet, length=3, seed=1)
    except (TypeError, ValueError):
        return
    assert len({stream[index] for index in range(stream.space)}) == stream.space


@pytest.mark.parametrize("alphabet", [("a", "b", "c"), ["a", "b", "c"]])
def test_a_sequence_of_characters_is_an_alphabet(alphabet):
    assert IdStream(alphabet, 2, seed=5)[7] == IdStream("abc", 2, seed=5)[7]


def test_no_characters_give_no_ids():
    stream = IdStream("")
    assert (stream.space, stream.remaining) == (0, 0)
    with pytest.raises(IndexError):
        stream[0]
    with pytest.raises(IdSpaceExhausted):
        next(stream)


@pytest.mark.parametrize("seed", [[1], {}, (1, 2), object(), np.int64(1)], ids=lambda seed: type(seed).__name__)
def test_seeds_that_random_refuses(seed):
    with pytest.raises(TypeError):
        IdStream(seed=seed)


def test_looking_at_an_id_does_not_mint_it():
    stream = IdStream(seed=1)
    assert stream[5] == stream[np.int64(5)] == stream[5]
    assert stream[True] == stream[1]
    assert stream.minted == 0
    for _ in range(5):
        next(stream)
    assert stream[5] == next(stream)


@pytest.mark.parametrize("index", ["0", 0.0, None, slice(0, 2)])
def test_an_index_is_an_integer(index):
    with pytest.raises(TypeError):
        IdStream()[index]


def test_it_is_its_own_iterator():
    stream = IdStream("ab", 2, seed=1)
    assert iter(stream) is stream
    with pytest.raises(IdSpaceExhausted):
        list(stream)
    assert stream.minted == 4


@pytest.mark.parametrize("length", [6, 300, 5_000])
def test_repr_and_errors_of_any_space_can_be_written(length):
    stream = IdStream(length=length)
    assert f"length={length}" in repr(stream)
    assert len(repr(stream)) < 1_000
    with pytest.raises(IndexError):
        stream[stream.space]


@pytest.mark.parametrize("length", [MAX_LENGTH + 1, 2**40, 2**64])
def test_no_id_is_too_long_to_be_made(length):
    with pytest.raises(ValueError, match=f"at most {MAX_LENGTH}, got {length}"):
        IdStream("a", length)


def test_space_has_no_limit():
    stream = IdStream("abc", MAX_LENGTH, seed=1)
    assert stream.space == 3**MAX_LENGTH
    assert stream.space.bit_length() > sys.int_info.default_max_str_digits
    assert len({next(stream) for _ in range(3)}) == 3


# --- take -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("alphabet", "length"), [("0123456789", 6), ("é🙂漢", 3), ("ab", 64), ("ab", 200), ("x", 1)])
def test_taking_ids_is_minting_them_one_by_one(alphabet, length):
    one_by_one, at_once = IdStream(alphabet, length, seed=5), IdStream(alphabet, length, seed=5)
    for number in (0, 1, 7, 0, 12):
        number = min(number, at_once.remaining)
        assert at_once.take(number) == [next(one_by_one) for _ in range(number)]
        assert (at_once.minted, at_once.remaining) == (one_by_one.minted, one_by_one.remaining)


def test_taking_all_of_a_space():
    stream = IdStream("abc", 4, seed=1)
    assert sorted(stream.take(stream.space)) == sorted(map("".join, itertools.product("abc", repeat=4)))
    assert stream.take(0) == []
    with pytest.raises(IdSpaceExhausted):
        stream.take(1)


@pytest.mark.parametrize("number", [4, 2**64, 10**5000], ids=["few", "many", "too many to write"])
def test_taking_too_many_takes_none(number):
    stream = IdStream("abc", 1, seed=1)
    with pytest.raises(IdSpaceExhausted, match="3 are left"):
        stream.take(number)
    assert (stream.minted, len(stream.take(3))) == (0, 3)


@pytest.mark.parametrize(("number", "error"), [(-1, ValueError), (1.0, TypeError), ("1", TypeError), (None, TypeError)])
def test_numbers_that_cannot_be_taken(number, error):
    stream = IdStream(seed=1)
    with pytest.raises(error):
        stream.take(number)
    assert stream.minted == 0


def test_threads_that_take_get_different_ids():
    stream = IdStream(seed=1)
    with ThreadPoolExecutor(8) as pool:
        taken = [model_id for ids in pool.map(stream.take, [500] * 20) for model_id in ids]
    assert len(set(taken)) == 10_000 == stream.minted


@pytest.mark.parametrize(("alphabet", "length"), [("0123456789", 6), ("ab", 200)])
def test_a_copy_goes_on_on_its_own(alphabet, length):
    stream = IdStream(alphabet, length, seed=5)
    before = [next(stream) for _ in range(3)]
    copied = copy.copy(stream)
    assert [copied.minted, next(copied), next(copied)] == [3, stream[3], stream[4]]
    assert (stream.minted, copied.minted, stream.take(3)) == (3, 5, [stream[3], stream[4], stream[5]])
    assert [copied[index] for index in range(3)] == before


def test_as_many_ids_as_are_left_and_one_more():
    stream = IdStream("ab", 3, seed=5)
    next(stream)
    for number in (8, 2**70, 2**200):
        with pytest.raises(IdSpaceExhausted, match="7 are left"):
            stream.take(number)
    assert stream.take(0) == []
    assert len({*stream.take(7)}) == 7
    with pytest.raises(IdSpaceExhausted, match="all 8 ids"):
        next(stream)
    assert (stream.minted, stream.remaining) == (8, 0)
