"""A version of a document: its text, and the authoritative metadata that decide who may see it, and when it applies."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date
from functools import cached_property, lru_cache
from typing import Any, Final, Literal, TypeAlias, cast, get_args

from .days import as_day
from .locators import VersionKey, checked_version
from .names import checked_collection, checked_name, checked_names
from .packing import packed, sha256, unpacked

__all__ = ["EVERYONE", "STATUSES", "TEXT_MAX", "TITLE_MAX", "Described", "DocumentVersion", "Metadata", "Status"]

Status: TypeAlias = Literal["draft", "active", "withdrawn"]
STATUSES: Final = cast("tuple[Status, ...]", get_args(Status))

EVERYONE: Final = "everyone"
"""The audience that every organization is in. A set that holds this word is of an organization of that name."""

TITLE_MAX = 500
TEXT_MAX = 1_000_000
"""Code points of a title and of a text at most."""

# They would be carried out, not shown, by the terminal of whoever looks at a text.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


@dataclass(frozen=True, kw_only=True)
class Described:
    """What is said of a version, without its text; see `DocumentVersion`."""

    document_id: str
    version: int
    title: str
    scope: str
    effective_from: date
    effective_until: date | None = None
    audience: Literal["everyone"] | frozenset[str]
    required_entitlements: frozenset[str] = frozenset()
    status: Status = "active"
    supersedes: tuple[VersionKey, ...] = ()

    def __post_init__(self) -> None:
        checked_name("document_id", self.document_id)
        checked_version(self.version)
        checked_name("title", self.title, TITLE_MAX)
        checked_name("scope", self.scope)
        self._set("effective_from", as_day("effective_from", self.effective_from))
        if self.effective_until is not None:
            self._set("effective_until", as_day("effective_until", self.effective_until))
            if self.effective_until <= self.effective_from:
                raise ValueError(
                    f"effective_until of {self.key} is the first day that it is not in force, after effective_from "
                    f"{self.effective_from}; got {self.effective_until}"
                )
        if self.audience != EVERYONE:
            self._set("audience", checked_names("audience", self.audience))
            if not self.audience:
                raise ValueError(f'audience of {self.key} must be "{EVERYONE}" or organization ids, got none')
        self._set("required_entitlements", checked_names("required_entitlements", self.required_entitlements))
        if self.status not in STATUSES:
            raise ValueError(f"status must be one of {', '.join(STATUSES)}; got {self.status!r:.60}")
        self._set("supersedes", self._superseded())

    def _superseded(self) -> tuple[VersionKey, ...]:
        keys = set()
        for key in checked_collection("supersedes", "document_id@version", self.supersedes):
            if isinstance(key, VersionKey):
                key = str(key)
            if not isinstance(key, str):
                raise TypeError(f"each of supersedes must be a VersionKey or document_id@version, got {key!r:.80}")
            keys.add(VersionKey.parse(key))
        if self.key in keys:
            raise ValueError(f"{self.key} cannot supersede itself")
        return tuple(sorted(keys))

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    @property
    def key(self) -> VersionKey:
        """What names it."""
        return VersionKey(self.document_id, self.version)

    def plain(self) -> dict[str, Any]:
        """Give all of it as JSON has it."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: _plain(value) for name, value in values.items()}


@dataclass(frozen=True, kw_only=True)
class DocumentVersion(Described):
    """One version of a document. Once written it stays as it is; only its status may change.

    Parameters
    ----------
    document_id, version
        What names it for ever; ``version`` is a whole number from 1.
    title, text
        What is searched and shown. The title has at most 500 characters, the text 1,000,000, none of them a control
        character but tabs and line ends.
    scope
        What it is about, such as an equipment family. A question is asked within one scope.
    effective_from, effective_until
        Its days, those of UTC; the last is not one of them, and ``None`` is no end. See `sid.governed.days`.
    audience
        `EVERYONE`, or the ids of the organizations that may see it.
    required_entitlements
        All of these a principal needs to see it.
    status
        ``"draft"`` (nobody sees it, it supersedes nothing), ``"active"``, or ``"withdrawn"`` (nobody sees it; if it
        was active ever, what it supersedes stays superseded).
    supersedes
        The versions in whose place it is from ``effective_from`` on, as ``VersionKey`` or ``"document_id@version"``.
        Who may see it makes no difference to that.

    Raises
    ------
    TypeError, ValueError
        If one of them is none that can be.

    Examples
    --------
    >>> version = DocumentVersion(
    ...     document_id="NS-1", version=2, title="Bleed the pump", text="Open the valve.", scope="pumps",
    ...     effective_from=date(2026, 3, 1), audience={"acme"}, supersedes={"NS-1@1"},
    ... )
    >>> version.supersedes, version.digest[:8]
    ((VersionKey(document_id='NS-1', version=1),), 'd1b0cbeb')
    """

    text: str

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.text, str):
            raise TypeError(f"text of {self.key} must be a str, got {self.text!r:.80}")
        if not 0 < len(self.text) <= TEXT_MAX or self.text.isspace():
            raise ValueError(f"text of {self.key} must have 1 to {TEXT_MAX} characters and not be blank")
        if control := _CONTROL.search(self.text):
            raise ValueError(
                f"text of {self.key} has the control character {control[0]!a} at {control.start()}; tabs and line ends "
                "alone are text"
            )
        try:
            self.text.encode()
        except UnicodeEncodeError as error:
            raise ValueError(
                f"text of {self.key} has a lone surrogate at {error.start}, which UTF-8 cannot hold"
            ) from None

    @classmethod
    def from_plain(cls, record: Mapping[str, Any]) -> DocumentVersion:
        """Make it from a JSON object with its fields by name; lists are sets, days are texts.

        Raises
        ------
        TypeError, ValueError
            If a field is missing, unknown or wrong.
        """
        if not isinstance(record, Mapping):
            raise TypeError(f"a version must be an object, got {record!r:.80}")
        known = {field.name for field in fields(cls)}
        if unknown := [name for name in record if name not in known]:
            raise ValueError(f"unknown field {unknown[0]!r:.80}; the fields are {', '.join(sorted(known))}")
        required = ("document_id", "version", "title", "text", "scope", "effective_from", "audience")
        if missing := [name for name in required if name not in record]:
            raise ValueError(f"the field {missing[0]!r} is missing")
        return cls(**record)

    @cached_property
    def metadata(self) -> Metadata:
        """All but its text, with that text's digest."""
        said = {field.name: getattr(self, field.name) for field in fields(Described)}
        return Metadata(**said, text_sha256=sha256(self.text.encode()), text_length=len(self.text))

    @property
    def digest(self) -> str:
        """The SHA-256 of its metadata, of which the text's is one: 64 hexadecimal digits; see `Metadata.packed`."""
        return self.metadata.digest


@dataclass(frozen=True, kw_only=True)
class Metadata(Described):
    """What is authoritative about a version: all but its text, with the digest and the length of that.

    The length counts code points, the digest is of UTF-8.
    """

    text_sha256: str
    text_length: int

    @cached_property
    def packed(self) -> bytes:
        """Its bytes: JSON of all its fields, keys sorted, no spaces, ASCII."""
        return packed(self.plain())

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of `packed`, in hexadecimal."""
        return sha256(self.packed)

    @classmethod
    def from_packed(cls, raw: bytes, digest: str) -> Metadata:
        """Make it from its bytes.

        Raises
        ------
        ValueError, TypeError
            If they are not those that the digest was made of.
        """
        if not isinstance(raw, bytes) or not isinstance(digest, str):
            raise TypeError("metadata are not as they were written")
        return _checked_metadata(raw, digest)


@lru_cache(maxsize=1 << 13)
def _checked_metadata(raw: bytes, digest: str) -> Metadata:
    """Check bytes and make metadata of them: by nothing but them, so that what was found once may be remembered."""
    if sha256(raw) != digest:
        raise ValueError("metadata are not as they were written")
    return Metadata(**unpacked(raw))


def _plain(value: object) -> object:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return [str(key) for key in value]
    return value
