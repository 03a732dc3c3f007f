"""What an index in SQLite notes about itself, read and checked."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .._options import validate_language
from .documents import decoded
from .sqlite_files import settings

__all__ = [
    "DIMENSION",
    "EMBEDDER",
    "GENERATION",
    "HEADING_FIELD",
    "LANGUAGE",
    "SCHEME",
    "UNFINISHED",
    "IndexSettings",
    "index_settings",
]

LANGUAGE, HEADING_FIELD = "language", "heading_field"

GENERATION = "generation"
"""The setting that counts the changes."""

EMBEDDER, DIMENSION, SCHEME = "embedder", "dimension", "vector_scheme"
"""The settings that say how an index got its vectors; it has none without them."""

UNFINISHED = "unfinished:"
"""Begins the name of a setting that stands while a source's documents are being added."""

_GENERATION_END = 1 << 62
"""Never reached by counting, and far from where SQLite's integers end."""


@dataclass(frozen=True)
class IndexSettings:
    """The settings of an index; ``vectors`` are its embedder's name, their dimension and scheme."""

    language: str
    heading_field: str
    generation: int
    vectors: tuple[str, int, str] | None
    unfinished: tuple[str, ...]


def index_settings(connection: sqlite3.Connection) -> IndexSettings:
    """Give the settings of an index.

    Raises
    ------
    sqlite3.DatabaseError
        As SQLite does for a damaged file, if one lacks, is of another type or cannot be, or is none of ours.
    """
    found = settings(connection)
    unfinished = sorted(name for name in found if name.startswith(UNFINISHED))
    values = {name: read(_required(found, name)) for name, read in _READ.items() if name in found or name in _NEEDED}
    if odd := sorted(found.keys() - values.keys() - set(unfinished)):
        raise sqlite3.DatabaseError(f"it has an unknown setting {odd[0]!r:.80}")
    vectors = [values[name] for name in (EMBEDDER, DIMENSION, SCHEME) if name in values]
    if len(vectors) not in (0, 3):
        raise sqlite3.DatabaseError("it lacks a setting of its vectors")
    return IndexSettings(
        values[LANGUAGE],
        values[HEADING_FIELD],
        values[GENERATION],
        (vectors[0], vectors[1], vectors[2]) if vectors else None,
        tuple(name.removeprefix(UNFINISHED) for name in unfinished),
    )


def _required(found: dict[str, Any], name: str) -> tuple[str, Any]:
    if name not in found:
        raise sqlite3.DatabaseError(f"it lacks the setting {name!r}")
    return name, found[name]


def _wrong(name: str, value: object) -> sqlite3.DatabaseError:
    return sqlite3.DatabaseError(f"its setting {name!r} is {value!r:.80}")


def _text(setting: tuple[str, Any]) -> str:
    name, value = setting
    if not isinstance(value, str):
        raise _wrong(name, value)
    return value


def _language(setting: tuple[str, Any]) -> str:
    name, value = setting
    try:
        validate_language(_text(setting))
    except (TypeError, ValueError):
        raise _wrong(name, value) from None
    return str(value)


def _packed(setting: tuple[str, Any]) -> str:
    name, value = setting
    if not isinstance(value, bytes):
        raise _wrong(name, value)
    try:
        return decoded(value)
    except UnicodeDecodeError:
        raise _wrong(name, value) from None


def _count(setting: tuple[str, Any]) -> int:
    name, value = setting
    if not isinstance(value, int) or not 0 <= value < _GENERATION_END:
        raise _wrong(name, value)
    return value


_READ: dict[str, Callable[[tuple[str, Any]], Any]] = {
    LANGUAGE: _language,
    HEADING_FIELD: _packed,
    GENERATION: _count,
    EMBEDDER: _packed,
    DIMENSION: _count,
    SCHEME: _text,
}
_NEEDED = (LANGUAGE, HEADING_FIELD, GENERATION)
