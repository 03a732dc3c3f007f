"""Names: ids of documents, people and organizations, entitlements, scopes and titles."""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set

__all__ = ["NAME_MAX", "checked_collection", "checked_name", "checked_names"]

NAME_MAX = 200
"""Characters of a name at most, in code points."""


def checked_name(what: str, value: object, longest: int = NAME_MAX) -> str:
    """Give a name if it is one: printable, on one line, and without ``"``.

    Names are shown between quotation marks, which the rendering does not escape, to people and to models: one that
    could end its quotation, or hide characters that cannot be seen, is none.

    Raises
    ------
    TypeError, ValueError
        If it is not a ``str``, or is none.

    Examples
    --------
    >>> checked_name("document_id", "NS-1@acme#2:3")
    'NS-1@acme#2:3'
    """
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a str, got {value!r:.80}")
    if not 0 < len(value) <= longest:
        raise ValueError(f"{what} must have 1 to {longest} characters, got {len(value)}")
    if not value.isprintable() or '"' in value or value != value.strip():
        raise ValueError(f'{what} must be printable, without " and without spaces around it, got {value!a:.120}')
    return value


def checked_names(what: str, values: object) -> frozenset[str]:
    """Give a set of names.

    Raises
    ------
    TypeError, ValueError
        If it is not a list or set of names; a single string is none, nor is a mapping.
    """
    return frozenset(checked_name(f"each of {what}", value) for value in checked_collection(what, "names", values))


def checked_collection(what: str, kind: str, values: object) -> Collection[object]:
    """Give a list or set of things of a kind.

    Raises
    ------
    TypeError
        If it is none. A mapping is none: its values could say no where its keys are taken for yes.
    """
    if not isinstance(values, Sequence | Set) or isinstance(values, str | bytes | bytearray | memoryview):
        raise TypeError(f"{what} must be a collection of {kind}, a list or a set, got {values!r:.80}")
    return values
