"""A corpus: what can be searched, and what a model is told about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..tools.adapt import validate_corpus_name
from ..tools.schemas import SEARCH_NAMES as RETRIEVAL_MODES
from .protocol import SearchBackend

__all__ = ["RETRIEVAL_MODES", "Corpus"]

OWN_PARAMETERS = frozenset({"query", "limit", "snippet_size"})
"""What every search tool takes already."""


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
        if self.name is not None:
            validate_corpus_name(self.name)
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
