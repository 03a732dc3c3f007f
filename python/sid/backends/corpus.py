"""A corpus: what can be searched, and what a model is told about it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .protocol import SearchBackend

__all__ = ["RETRIEVAL_MODES", "Corpus"]

RETRIEVAL_MODES = ("search", "text_search")
"""Semantic (vector) search, and keyword search by BM25: the names of the tools."""

OWN_PARAMETERS = frozenset({"query", "limit", "snippet_size"})
"""What every search tool takes already."""

NAME_MAX = 64 - len("_text_search")
"""A tool's name has at most 64 characters."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Corpus:
    """One searchable collection of documents.

    Parameters
    ----------
    name
        The prefix of its tools' names: an ASCII identifier. ``None`` only where it is the single corpus, whose tools
        keep their plain names.
    contents
        What it holds, in words for a model.
    search, text_search
        The backends of the two retrieval modes, semantic and by keywords; at least one.
    filters
        Further parameters of its search tools: name to JSON schema. The backends get them as ``filters``.
    display_fields
        The fields shown as attributes, in order; by default all.

    Raises
    ------
    TypeError
        If the contents are no ``str``, a backend has no method ``search``, or the filters are no mapping.
    ValueError
        If the name is not usable, there is no backend, or a filter has the name of a parameter that tools have.

    Examples
    --------
    >>> from sid.backends import SqliteBackend
    >>> with SqliteBackend() as backend:
    ...     Corpus("email", "Mail of the last ten years.", text_search=backend).modes()
    ('text_search',)
    """

    name: str | None = None
    contents: str = ""
    search: SearchBackend | None = None
    text_search: SearchBackend | None = None
    filters: Mapping[str, Any] = field(default_factory=dict)
    display_fields: Sequence[str] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.contents, str):
            raise TypeError(f"contents must be a str that says what a corpus holds, got {self.contents!r:.80}")
        for mode in RETRIEVAL_MODES:
            backend = self.backend(mode)
            if backend is not None and not callable(getattr(backend, "search", None)):
                raise TypeError(f"{mode} must be a backend, which has a method search, got {backend!r:.80}")
        if not isinstance(self.filters, Mapping):
            raise TypeError(f"filters must be a mapping from names to JSON schemas, got {self.filters!r:.80}")
        if self.name is not None and not _is_name(self.name):
            raise ValueError(
                f"a corpus name is made of letters, digits and _, begins with no digit and has at most {NAME_MAX} "
                f"characters; got {self.name!r:.80}"
            )
        if not self.modes():
            raise ValueError(f"corpus {self.name!r} has no backend: give it search, text_search or both")
        if taken := sorted(OWN_PARAMETERS.intersection(self.filters)):
            raise ValueError(
                f"corpus {self.name!r} cannot have a filter {taken[0]!r}: every search tool has that already"
            )
        if isinstance(self.display_fields, str):
            raise ValueError(f"display_fields must be a sequence of names, got the string {self.display_fields!r:.80}")

    def modes(self) -> tuple[str, ...]:
        """Give the retrieval modes that it has."""
        return tuple(mode for mode in RETRIEVAL_MODES if self.backend(mode) is not None)

    def backend(self, mode: str) -> SearchBackend | None:
        """Give the backend of a retrieval mode, if it has one.

        Raises
        ------
        ValueError
            If there is no such mode.
        """
        if mode not in RETRIEVAL_MODES:
            raise ValueError(f"unknown retrieval mode {mode!r:.80}; supported values: {', '.join(RETRIEVAL_MODES)}")
        return self.search if mode == "search" else self.text_search


def _is_name(name: object) -> bool:
    return isinstance(name, str) and _NAME.fullmatch(name) is not None and len(name) <= NAME_MAX
