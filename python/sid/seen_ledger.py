"""The ledger of a fork as a mapping from data ids to lists of spans.

Spans are half-open ranges of Unicode code points of the Python string.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any

from . import _kernels

if TYPE_CHECKING:
    from ._family import Family

__all__ = ["SeenLedger", "SeenSpans"]

Span = tuple[int, int]


class SeenSpans(list[Span]):
    """What was shown of a document, as a list that was made when the ledger was asked.

    Reading and comparing are those of any list, and copies are plain lists. While the ledger still holds what the list
    holds, changing the list changes the ledger, which takes only what it can hold: sorted and disjoint spans, of which
    those that touch become one. Once the ledger has moved on, the list is one like any other.

    Raises
    ------
    ValueError
        If a change would leave spans that overlap, are not sorted or are empty. The list is as before then.

    Examples
    --------
    >>> from sid import DocumentCache
    >>> cache = DocumentCache()
    >>> _ = cache.add_document("db-1", {"content": "one two three"})
    >>> cache.seen_ledger["db-1"].append((0, 3))
    >>> cache.seen_ledger["db-1"]
    [(0, 3)]
    """

    __slots__ = ("_ledger", "_number")

    def __init__(self, ledger: _kernels.Ledger, number: int, spans: Iterable[Span]) -> None:
        super().__init__(spans)
        self._ledger: _kernels.Ledger | None = ledger
        self._number = number

    def __reduce_ex__(self, protocol: Any) -> tuple[type[list[Any]], tuple[list[Span]]]:
        return list, (list(self),)


def _changing(name: str) -> Callable[..., Any]:
    """Make the method of a list that changes it into one that changes the ledger too."""
    method = getattr(list, name)

    def change(self: SeenSpans, *arguments: Any, **options: Any) -> Any:
        if self._ledger is not None and self._ledger.spans(self._number) != self:
            self._ledger = None
        after = list(self)
        result = method(after, *arguments, **options)
        result = self if result is after else result
        if self._ledger is not None:
            held = self._ledger.exchange(self._number, self, after)
            if held is None:
                self._ledger = None  # Another thread was faster.
            else:
                after = held
        list.__setitem__(self, slice(None), after)
        return result

    change.__name__, change.__doc__ = name, method.__doc__
    return change


for _name in (
    *("append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"),
    *("__delitem__", "__iadd__", "__imul__", "__setitem__"),
):
    setattr(SeenSpans, _name, _changing(_name))


class SeenLedger(MutableMapping[Hashable, list[Span]]):
    """The ledger of one fork: for each data id the sorted, disjoint and coalesced spans that were recorded.

    It reads, compares and prints as a dict does whose entries are in the order in which this fork got them, and follows
    the fork. Copies of it are plain dicts. Every list is made anew (see `SeenSpans`).

    Entries may be set and deleted: spans must be sorted and disjoint ``(start, end)`` pairs, each with its start below
    its end; those that touch become one.

    Raises
    ------
    KeyError
        If there is no entry.
    ValueError
        If the spans to set overlap, are not sorted, or if one is empty.
    TypeError
        If what is to be set is not an iterable of pairs of integers.

    Examples
    --------
    >>> from sid import DocumentCache
    >>> cache = DocumentCache()
    >>> _ = cache.add_document("db-1", {"content": "one two three"})
    >>> cache.seen_ledger
    {'db-1': []}
    >>> cache.seen_ledger["db-1"] = [(0, 3), (3, 7)]
    >>> dict(cache.seen_ledger)
    {'db-1': [(0, 7)]}
    """

    __slots__ = ("_family", "_ledger")

    def __init__(self, family: Family, ledger: _kernels.Ledger) -> None:
        self._family = family
        self._ledger = ledger

    def __getitem__(self, data_id: Hashable) -> list[Span]:
        number = self._family.numbers.get(data_id)
        spans = None if number is None else self._ledger.spans(number)
        if number is None or spans is None:
            raise KeyError(data_id)
        return SeenSpans(self._ledger, number, spans)

    def __setitem__(self, data_id: Hashable, spans: Iterable[Span]) -> None:
        _assign(self._family, self._ledger, data_id, spans)

    def __delitem__(self, data_id: Hashable) -> None:
        number = self._family.numbers.get(data_id)
        if number is None or self._ledger.remove(number) is None:
            raise KeyError(data_id)

    def __contains__(self, data_id: object) -> bool:
        number = self._family.numbers.get(data_id)
        return number is not None and number in self._ledger

    def __len__(self) -> int:
        return len(self._ledger)

    def __iter__(self) -> Iterator[Hashable]:
        return iter([self._family.data_ids[number] for number in self._ledger.numbers()])

    def __reversed__(self) -> Iterator[Hashable]:
        return reversed(list(self))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, SeenLedger):
            return self.copy() == other.copy()
        return self.copy() == other

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self.copy())

    def __reduce_ex__(self, protocol: Any) -> tuple[type[dict[Any, Any]], tuple[dict[Hashable, list[Span]]]]:
        return dict, (self.copy(),)

    def copy(self) -> dict[Hashable, list[Span]]:
        """Give what the ledger holds now, as a dict of lists that are nobody else's."""
        return {self._family.data_ids[number]: spans for number, spans in self._ledger.items()}

    def setdefault(self, data_id: Hashable, default: Any = None) -> list[Span]:
        """Give the spans of a data id that has an entry; others get the default, which must be spans."""
        number = self._family.registry.number(data_id)
        while (spans := self._ledger.spans(number)) is None:
            self._ledger.exchange(number, None, default)
        return SeenSpans(self._ledger, number, spans)

    def pop(self, data_id: Hashable, *default: Any) -> Any:
        """Remove an entry and give its spans; if there is none, give the default, if there is one."""
        if len(default) > 1:
            raise TypeError(f"pop takes a data id and a default, got {1 + len(default)} arguments")
        number = self._family.numbers.get(data_id)
        spans = None if number is None else self._ledger.remove(number)
        if spans is not None:
            return spans
        if not default:
            raise KeyError(data_id)
        return default[0]

    def popitem(self) -> tuple[Hashable, list[Span]]:
        """Remove the entry that was made last, and give its data id and spans."""
        while numbers := self._ledger.numbers():
            spans = self._ledger.remove(numbers[-1])
            if spans is not None:
                return self._family.data_ids[numbers[-1]], spans
        raise KeyError("the ledger has no entry")

    def clear(self) -> None:
        """Remove all entries."""
        self._ledger.clear()


def ledger_of(family: Family, entries: Mapping[Hashable, Iterable[Span]]) -> _kernels.Ledger:
    """Make a ledger with the entries of a mapping, in its order."""
    ledger = _kernels.Ledger()
    if not isinstance(entries, Mapping):
        raise TypeError(f"seen_ledger must be a mapping from data id to a list of (start, end) spans, got {entries!r}")
    for data_id, spans in entries.items():
        _assign(family, ledger, data_id, spans)
    return ledger


def _assign(family: Family, ledger: _kernels.Ledger, data_id: Hashable, spans: Iterable[Span]) -> None:
    try:
        ledger.assign(family.registry.number(data_id), spans)
    except ValueError as error:
        raise ValueError(f"seen_ledger[{data_id!r}]: {error}") from None
