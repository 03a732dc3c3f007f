"""Where results come from: backends that search, corpora of them, and the router between their documents' ids.

A backend is anything with ``search(query, *, limit, filters=None)``; see `SearchBackend`. Those here:

- `SqliteBackend`: full-text search by BM25 in one SQLite file or in memory, no service needed;
- `SqliteVectorBackend`: search by meaning over vectors in the same file (extra ``vector``);
- `FusedBackend`: several backends as one;
- `QdrantBackend`: both kinds of search beyond one machine (extra ``qdrant``).

What is named here is imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .corpus import Corpus as Corpus
    from .embedder import Embedder as Embedder
    from .embedder import WordLlamaEmbedder as WordLlamaEmbedder
    from .errors import MissingExtra as MissingExtra
    from .errors import UnusableIndex as UnusableIndex
    from .fused import FusedBackend as FusedBackend
    from .ingest import Ingested as Ingested
    from .protocol import Hit as Hit
    from .protocol import InvalidFilter as InvalidFilter
    from .protocol import SearchBackend as SearchBackend
    from .protocol import asearch as asearch
    from .protocol import search_many as search_many
    from .qdrant import QdrantBackend as QdrantBackend
    from .router import CorpusRouter as CorpusRouter
    from .sources import folder_documents as folder_documents
    from .sources import jsonl_documents as jsonl_documents
    from .sqlite import SqliteBackend as SqliteBackend
    from .sqlite_vectors import SqliteVectorBackend as SqliteVectorBackend

_MODULES = {
    "Corpus": "corpus",
    "CorpusRouter": "router",
    "Embedder": "embedder",
    "FusedBackend": "fused",
    "Hit": "protocol",
    "Ingested": "ingest",
    "InvalidFilter": "protocol",
    "MissingExtra": "errors",
    "QdrantBackend": "qdrant",
    "SearchBackend": "protocol",
    "SqliteBackend": "sqlite",
    "SqliteVectorBackend": "sqlite_vectors",
    "UnusableIndex": "errors",
    "WordLlamaEmbedder": "embedder",
    "asearch": "protocol",
    "folder_documents": "sources",
    "jsonl_documents": "sources",
    "search_many": "protocol",
}

__all__ = list(_MODULES)


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_MODULES[name]}", __name__), name)
