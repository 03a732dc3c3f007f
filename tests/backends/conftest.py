"""Backends to test: every index there is, empty, and the real embedder."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from qdrant_client import QdrantClient

from sid.backends import QdrantBackend, SqliteBackend, WordLlamaEmbedder

INDEXES = ("sqlite in memory", "sqlite in a file", "qdrant in memory")


@pytest.fixture(scope="session")
def embedder() -> WordLlamaEmbedder:
    root = logging.getLogger()
    before = list(root.handlers), root.level
    made = WordLlamaEmbedder()
    assert (list(root.handlers), root.level) == before
    return made


@pytest.fixture(params=INDEXES)
def make_index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Give what makes an empty index, of each kind in turn."""
    close: list[Callable[[], None]] = []

    def make(**options: Any) -> Any:
        name = f"index-{len(close)}"
        if request.param.startswith("sqlite"):
            index = SqliteBackend(None if "memory" in request.param else tmp_path / f"{name}.sqlite", **options)
            close.append(index.close)
            return index
        client = QdrantClient(":memory:")
        close.append(client.close)
        return QdrantBackend(client, "c", **options)

    yield make
    for one in close:
        one()
