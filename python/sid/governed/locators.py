"""Stable names of versions and of passages in them.

A version is ``document_id@version``, a passage ``document_id@version#start:end``. Both are read from their right end,
so that a document id may hold ``@``, ``#`` and ``:`` itself: what follows the last ``#`` is the range, what stands
between that and the last ``@`` before it is the version. Numbers are ASCII digits without leading zeros: nothing has
two names.
"""

import re
from typing import NamedTuple, Self

from .names import checked_name

__all__ = ["InvalidLocator", "Locator", "VersionKey", "checked_version"]

VERSION_MAX = 999_999_999

_VERSION = re.compile(r"(?P<document>.+)@(?P<version>[1-9][0-9]{0,8})", re.DOTALL)
_PASSAGE = re.compile(r"(?P<version>.+)#(?P<start>0|[1-9][0-9]{0,8}):(?P<end>[1-9][0-9]{0,8})", re.DOTALL)


class InvalidLocator(ValueError):
    """A text that names no passage, or no version."""


class VersionKey(NamedTuple):
    """What names a version for ever.

    Examples
    --------
    >>> str(VersionKey("mail:7@acme#x", 3)), VersionKey.parse("mail:7@acme#x@3").version
    ('mail:7@acme#x@3', 3)
    """

    document_id: str
    version: int

    def __str__(self) -> str:
        return f"{self.document_id}@{self.version}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``document_id@version``.

        Raises
        ------
        InvalidLocator
            If it is not that.
        """
        match = _VERSION.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            raise InvalidLocator(f"a version is written document_id@version, got {text!a:.120}")
        try:
            return cls(checked_name("document_id", match["document"]), int(match["version"]))
        except ValueError as error:
            raise InvalidLocator(str(error)) from None


class Locator(NamedTuple):
    """What names a passage for ever: characters ``start`` to ``end`` of a version's text, in code points, half open.

    Examples
    --------
    >>> Locator.parse("NS-1@3#0:120")
    Locator(key=VersionKey(document_id='NS-1', version=3), start=0, end=120)
    >>> str(Locator(VersionKey("a#1:2@3", 4), 5, 6))
    'a#1:2@3@4#5:6'
    """

    key: VersionKey
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.key}#{self.start}:{self.end}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``document_id@version#start:end``.

        Raises
        ------
        InvalidLocator
            If it is not that, or the range is empty.
        """
        match = _PASSAGE.fullmatch(text) if isinstance(text, str) else None
        if match is None or int(match["start"]) >= int(match["end"]):
            raise InvalidLocator(f"a locator is written document_id@version#start:end, got {text!a:.120}")
        return cls(VersionKey.parse(match["version"]), int(match["start"]), int(match["end"]))


def checked_version(value: object) -> int:
    """Give a version's number if it is one, from 1 to 999,999,999.

    Raises
    ------
    TypeError, ValueError
        If it is none.
    """
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"version must be an integer, got {value!r:.60}")
    if not 1 <= value <= VERSION_MAX:
        raise ValueError(f"version must be 1 to {VERSION_MAX}, got {str(value)[:60]}")
    return value
