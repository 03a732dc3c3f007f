"""Small corpora for episodes, in real backends."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sid.backends import Corpus, SqliteBackend

BIRDS = [
    {"id": "owl", "title": "Owls", "content": "Owls hunt at night. They hear a mouse under the snow. " * 30},
    {"id": "kite", "title": "Kites", "content": "Kites hunt by day. They see the heat of a mouse. " * 30},
    {"id": "wren", "title": "Wrens", "content": "Wrens sing in hedges, and hide from owls."},
    {"id": "a:b#1", "title": "Odd", "content": "An id with marks: owls & <kites>."},
]


class WordBackend:
    """Counts the words of a query in each document. Remembers what it was asked."""

    def __init__(self, documents: Sequence[Mapping[str, Any]] = BIRDS) -> None:
        self.documents = list(documents)
        self.asked: list[tuple[str, int, object]] = []

    def search(self, query: str, *, limit: int, filters: Mapping[str, Any] | None = None) -> list[Mapping[str, Any]]:
        self.asked.append((query, limit, filters))
        words = set(re.findall(r"\w+", query.lower()))

        def score(document: Mapping[str, Any]) -> int:
            return sum(1 for word in re.findall(r"\w+", document["content"].lower()) if word in words)

        wanted = [d for d in self.documents if all(d.get(name) == value for name, value in (filters or {}).items())]
        return sorted(filter(score, wanted), key=score, reverse=True)[:limit]


OPEN: list[SqliteBackend] = []
"""Indexes that are closed when the test ends."""


def sqlite(documents: Sequence[Mapping[str, Any]] = BIRDS) -> SqliteBackend:
    backend = SqliteBackend()
    OPEN.append(backend)
    backend.add(documents)
    return backend


def birds() -> Corpus:
    return Corpus(text_search=sqlite())
