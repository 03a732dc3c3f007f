"""Deep copies mean what `copy.deepcopy` means: the same graph of objects, the same memo, the same errors."""

from __future__ import annotations

import collections
import copy
import datetime
import decimal
import gc
import sys
import threading
import uuid
import weakref
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sid import DocumentCache, _kernels
from strategies import texts

deep_copy = _kernels.deep_copy


def assert_same_graph(mine: object, theirs: object, my_origin: dict[int, Any], their_origin: dict[int, Any]) -> None:
    """Walk two values side by side: the same kinds, atoms and sharing, and the same objects kept from the originals."""
    to_their: dict[int, int] = {}
    to_mine: dict[int, int] = {}
    alive, todo = [], [(mine, theirs)]
    while todo:
        one, other = todo.pop()
        alive += [one, other]
        assert type(one) is type(other)
        assert my_origin.get(id(one)) == their_origin.get(id(other))
        parts = inside(one), inside(other)
        if parts == (None, None):
            assert repr(one) == repr(other)
            continue
        if id(one) in to_their or id(other) in to_mine:
            assert to_their.get(id(one)) == id(other)
            assert to_mine.get(id(other)) == id(one)
            continue
        to_their[id(one)], to_mine[id(other)] = id(other), id(one)
        assert len(parts[0]) == len(parts[1])
        todo += zip(*parts, strict=True)


def inside(value: Any) -> list[Any] | None:
    """Give what an object holds, in order, or `None` if it is an atom."""
    if isinstance(value, dict):
        held = [part for item in value.items() for part in item]
    elif isinstance(value, (list, tuple)):
        held = list(value)
    elif not hasattr(value, "__dict__") or isinstance(value, type):
        return None
    else:
        held = []
    return [*held, *vars(value).values()] if hasattr(value, "__dict__") else held


def outcome(function: Callable[[Any], Any], value: Any) -> tuple[str, Any]:
    try:
        return "gave", function(value)
    except Exception as error:
        return type(error).__name__, str(error)


# --- plain values -----------------------------------------------------------------------------------------------------

atoms = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.complex_numbers(), st.binary(max_size=3), texts
)
plain_keys = st.recursive(atoms, lambda inner: st.lists(inner, max_size=2).map(tuple), max_leaves=3)
plain_values = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(plain_keys, inner, max_size=4),
    ),
    max_leaves=30,
)


@given(plain_values)
@example({float("nan"): float("nan"), (): (), ((), ("a",)): [()]})
def test_trees_of_plain_values(value):
    assert_same_graph(deep_copy(value), copy.deepcopy(value), {}, {})


@pytest.mark.parametrize(
    "atom",
    ["text", "", 5, 10**50, 2.5, float("nan"), 1j, True, None, b"bytes", (), ("a", (1, None)), ..., range(3), int, len],
)
def test_what_cannot_be_changed_is_its_own_copy(atom):
    assert deep_copy(atom) is atom
    [copied] = deep_copy([atom])
    assert copied is atom


def test_a_copy_shares_no_container():
    value = {"list": [1, [2]], "dict": {"key": {}}, "tuple": (1, [2])}
    copied = deep_copy(value)
    copied["list"][1].append(3)
    copied["dict"]["key"]["more"] = 1
    copied["tuple"][1].clear()
    copied["new"] = copied["list"].append(4)
    assert value == {"list": [1, [2]], "dict": {"key": {}}, "tuple": (1, [2])}


def test_wide_values():
    shared = [[number] for number in range(500)]
    value = {"all": shared, "again": shared[::-1], "pairs": [(inner, "x") for inner in shared], "numbers": [0.5] * 5000}
    copied = deep_copy(value)
    assert copied == value
    assert all(one is other for one, other in zip(copied["all"], copied["again"][::-1], strict=True))
    assert all(one is pair[0] for one, pair in zip(copied["all"], copied["pairs"], strict=True))


def test_tuples_that_hold_each_other_twice_take_no_longer():
    # copy.deepcopy walks such a tuple anew each time that it meets it.
    depth = 50 if _kernels.BACKEND == "native" else 12
    value: Any = ("end", 1)
    for _ in range(depth):
        value = (value, value)
    assert deep_copy({"tuple": value})["tuple"] is value
    changed: Any = ["end"]
    for _ in range(50):
        changed = (changed, changed)
    copied = deep_copy(changed)
    assert copied is not changed
    assert copied[0] is copied[1]


def test_every_kind_of_cycle():
    in_list: list[Any] = []
    in_list.append(in_list)
    in_dict: dict[str, Any] = {}
    in_dict["self"] = in_dict
    held: list[Any] = []
    in_tuple = (held, "x")
    held.append(in_tuple)
    for value in (in_list, in_dict, in_tuple, held, [in_tuple, held, in_dict], {"a": in_tuple, "b": (in_tuple,)}):
        assert_same_graph(deep_copy(value), copy.deepcopy(value), {}, {})


# --- values of all sorts ----------------------------------------------------------------------------------------------


class Plain:
    """An object that Python knows how to copy."""


class Slotted:
    __slots__ = ("__dict__", "held")

    def __init__(self) -> None:
        self.held = ["held"]


class SubDict(dict):
    pass


class SubList(list):
    pass


class SubTuple(tuple):
    pass


class SubText(str):
    __slots__ = ()


class Itself:
    def __deepcopy__(self, memo: dict[int, Any]) -> Itself:
        return self


class Watcher:
    """Notes what the memo holds when it is copied."""

    def __init__(self) -> None:
        self.noted: list[Any] = []

    def __deepcopy__(self, memo: dict[int, Any]) -> Watcher:
        kept = memo.get(id(memo), ())
        held = [(type(value).__name__, len(inside(value) or ())) for key, value in memo.items() if key != id(memo)]
        copied = Watcher()
        copied.noted = [f"{len(memo)} {held} kept {[type(value).__name__ for value in kept]}"]
        memo[id(self)] = copied
        copied.__dict__["others"] = [copy.deepcopy(v, memo) for k, v in vars(self).items() if k != "noted"]
        return copied


class Writer:
    """Says in the memo what the copies of others are."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        for number, other in enumerate(vars(self).values()):
            memo[id(other)] = ["instead", number]
        return "written"


class NoneWriter(Writer):
    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        for other in vars(self).values():
            memo[id(other)] = None
        return ["none"]


class Emptier(Writer):
    """Takes everything out of the memo."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        memo.clear()
        return ["emptied"]


class Spoiler(Writer):
    """Leaves in the memo what no original can be appended to."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        memo[id(memo)] = ("spoiled",)
        return ["spoiled"]


class Changer(Writer):
    """Changes the containers that it knows while they are being copied."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        for other in vars(self).values():
            if isinstance(other, dict):
                other[f"added {len(other)}"] = "added"
            elif isinstance(other, list) and len(other) < 20:
                other.append("added")
        return ["changed"]


class Shrinker(Writer):
    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        for other in vars(self).values():
            if isinstance(other, (dict, list)):
                other.clear()
        return ["shrunk"]


class Toucher(Writer):
    """Changes the copies that are being made."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        for made in list(memo.values()):
            if isinstance(made, list) and len(made) < 20 and made is not memo.get(id(memo)):
                made.insert(0, "touched")
            elif isinstance(made, dict):
                made["touched"] = len(made)
        return ["touched"]


class Failing(Writer):
    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        raise LookupError("cannot be copied")


class Reduced:
    def __init__(self, held: object = None) -> None:
        self.held = held

    def __reduce__(self) -> Any:
        return Reduced, (["argument"],), vars(self)


class Hashed:
    """A key whose copy is another key."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __hash__(self) -> int:
        return hash(self.number)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hashed) and self.number == other.number


FOREIGN = [
    Plain, Slotted, Itself, Watcher, Writer, NoneWriter, Emptier, Spoiler, Changer, Shrinker, Toucher, Failing, Reduced,
]  # fmt: skip
MUTABLE = [dict, list, SubDict, SubList, *FOREIGN]


@st.composite
def programs(draw: st.DrawFn, kinds: list[type] = MUTABLE) -> list[tuple[Any, list[Any], list[int]]]:
    """Give how to build a graph: for each node its kind, its atoms, and the nodes that it holds."""
    count = draw(st.integers(1, 8))
    nodes = []
    for number in range(count):
        kind = draw(st.sampled_from([*kinds[:2] * (1 + len(kinds) // 4), *kinds, tuple]))
        below = number if kind is tuple else count
        held = draw(st.lists(st.integers(0, below - 1), max_size=4)) if below else []
        nodes.append((kind, draw(st.lists(atoms, max_size=2)), held))
    return nodes


def build(program: list[tuple[Any, list[Any], list[int]]]) -> list[Any]:
    nodes: list[Any] = []
    for kind, own, held in program:
        nodes.append((*own, *(nodes[number] for number in held)) if kind is tuple else kind())
    for node, (_, own, held) in zip(nodes, program, strict=True):
        parts = [*own, *(nodes[number] for number in held)]
        if isinstance(node, dict):
            node |= {f"key {place}": part for place, part in enumerate(parts)}
            node |= {("key", place): part for place, part in enumerate(parts[:1])}
            node |= {Hashed(place): part for place, part in enumerate(parts[:-2])}
        elif isinstance(node, list):
            node += parts
        elif not isinstance(node, tuple):
            vars(node).update({f"part{place}": part for place, part in enumerate(parts)})
    return nodes


def assert_copied_alike(program: list[tuple[Any, list[Any], list[int]]]) -> None:
    """Build the same graph for each way of copying, as some graphs are changed by it."""
    mine, theirs = build(program), build(program)
    origins = [{id(node): number for number, node in enumerate(nodes)} for nodes in (mine, theirs)]
    results = outcome(deep_copy, mine[-1]), outcome(copy.deepcopy, theirs[-1])
    assert results[0][0] == results[1][0]
    assert_same_graph(results[0][1], results[1][1], *origins)
    # What was done to the originals is alike too.
    assert_same_graph(mine, theirs, *origins)


@given(programs([dict, list]))
def test_graphs_of_plain_values(program):
    assert_copied_alike(program)


@given(programs([dict, list, SubDict, SubList, Plain, Watcher, Reduced]))
def test_graphs_with_well_behaved_objects(program):
    assert_copied_alike(program)


@given(programs())
@example([(Changer, [], [1]), (dict, ["x"], [0, 0, 1])])
@example([(Changer, [], [1]), (list, ["x"], [0, 0, 1])])
@example([(Shrinker, [], [1]), (list, ["x"], [0, 0, 1])])
@example([(Shrinker, [], [1]), (dict, ["x"], [0, 0, 1])])
@example([(Writer, ["an atom"], []), (list, ["an atom"], [0, 0])])
@example([(list, [], []), (NoneWriter, [], [0]), (list, [], [1, 0, 0])])
@example([(Spoiler, [], []), (list, [], [0])])
@example([(Emptier, [], []), (dict, [], [2, 0, 2]), (list, ["x"], [1, 0, 1])])
def test_graphs_of_everything(program):
    assert_copied_alike(program)


@given(programs(), st.lists(atoms, min_size=1, max_size=2))
def test_atoms_that_a_foreign_copy_put_into_the_memo(program, shared):
    # The very same atoms in all nodes.
    assert_copied_alike([(kind, shared, held) for kind, _, held in program])


VALUES = [
    datetime.datetime(2024, 1, 1), decimal.Decimal("1.5"), uuid.UUID(int=5), {1, 2}, frozenset({1}), bytearray(b"x"),
    np.arange(3), np.float64(2.5), collections.OrderedDict(a=[1]), collections.defaultdict(list, a=[1]),
    collections.Counter("aab"), collections.deque([[1]]), SubText("text"), SubTuple(([1], 2)), Ellipsis,
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_values_of_other_types(value):
    held = {"a": value, "list": ["x", value], "tuple": (value, [value])}
    copied = deep_copy(held)
    assert repr(copied) == repr(held)
    assert type(copied["a"]) is type(value)
    assert copied["a"] is copied["list"][1] is copied["tuple"][0] is copied["tuple"][1][0]
    assert (copied["a"] is value) == (copy.deepcopy(value) is value)


@pytest.mark.parametrize("value", [threading.Lock(), (part for part in "ab"), sys, MappingProxyType({"a": 1})])
def test_what_cannot_be_copied(value):
    for held in (value, [value], {"a": (1, value)}):
        assert outcome(deep_copy, held) == outcome(copy.deepcopy, held)
        assert outcome(deep_copy, held)[0] == "TypeError"


def test_a_method_is_bound_to_the_copy():
    owner = Plain()
    owner.method = Watcher().__deepcopy__
    copied = deep_copy({"owner": owner, "call": owner.method})
    assert copied["call"] is copied["owner"].method


@pytest.mark.parametrize("foreign", [[], [Plain()], [Watcher()]], ids=["plain", "object", "watcher"])
@pytest.mark.parametrize("shape", [list, tuple, dict])
@pytest.mark.parametrize("depth", [10, 60, 63, 64, 65, 66, 130, 200])
def test_nested_values(shape, depth, foreign):
    value: Any = [*foreign, "end"]
    for _ in range(depth):
        value = {"in": value} if shape is dict else shape([value])
    assert_same_graph(deep_copy(value), copy.deepcopy(value), {}, {})


@pytest.mark.parametrize("foreign", [[], [Plain()]], ids=["plain", "object"])
@pytest.mark.parametrize("shape", [list, tuple, dict])
def test_values_nested_too_deep(shape, foreign):
    value: Any = [*foreign, "end"]
    for _ in range(100_000):
        value = {"in": value} if shape is dict else shape([value])
    with pytest.raises(RecursionError):
        deep_copy([value])
    cache = DocumentCache()
    with pytest.raises(RecursionError):
        cache.add_document("d", {"content": "text", "deep": value})
    assert cache.documents == {}


class Nester:
    """Its copy is made by copying it again, a few containers further in."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        value: Any = Nester()
        for _ in range(60):
            value = [value]
        return deep_copy(value)


def test_copies_that_never_end_stop_at_the_limit_of_recursion():
    with pytest.raises(RecursionError):
        deep_copy([Nester()])


def test_nothing_is_kept():
    class Held:
        pass

    held = Held()
    value = {"a": [held], "cycle": []}
    value["cycle"].append(value)
    copied = deep_copy(value)
    alive = weakref.ref(held), weakref.ref(copied["a"][0])
    del held, value, copied
    gc.collect()
    assert [reference() for reference in alive] == [None, None]


def test_copies_in_many_threads():
    shared = {"list": [[number] for number in range(50)], "object": Plain()}
    results: list[Any] = []

    def work() -> None:
        results.extend(deep_copy(shared)["list"] == shared["list"] for _ in range(200))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 800


def test_a_stored_document_is_the_caches_own():
    tags = ["a"]
    document = {"content": "text", "tags": tags, "again": tags, "object": Plain()}
    cache = DocumentCache()
    cache.add_document("d", document)
    cache.add_document("proxy", MappingProxyType({"content": "text", "tags": tags}))
    tags.append("b")
    stored = cache.documents["d"]
    assert stored["tags"] == ["a"]
    assert stored["tags"] is stored["again"]
    assert stored["object"] is not document["object"]
    assert cache.documents["proxy"] == {"content": "text", "tags": ["a"]}
