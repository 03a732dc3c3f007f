"""A backend of one's own: anything with ``search(query, *, limit, filters=None)`` will do.

Run it with ``python examples/own_backend.py``. It needs nothing but sid-native.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from sid.analysis import kept_terms
from sid.backends import Corpus, CorpusRouter, FusedBackend, SearchBackend, SqliteBackend, asearch, search_many

BIRDS = [
    {"id": "owl", "family": "Strigidae", "content": "An owl hunts at night and hears a mouse under snow."},
    {"id": "kite", "family": "Accipitridae", "content": "A kite hunts by day and sees heat."},
    {"id": "kingfisher", "family": "Alcedinidae", "content": "A kingfisher dives for fish by day."},
]


class SharedTerms:
    """Ranks documents by how many of the query's terms they hold. Put a call to your own service here."""

    def search(
        self, query: str, *, limit: int, filters: Mapping[str, Any] | None = None
    ) -> Sequence[Mapping[str, Any]]:
        """Give the best results, best first."""
        wanted = set(kept_terms(query))
        scored = [
            (len(wanted & set(kept_terms(bird["content"]))), bird)
            for bird in BIRDS
            if all(bird.get(name) == value for name, value in (filters or {}).items())
        ]
        scored.sort(key=lambda pair: -pair[0])
        return [bird for score, bird in scored if score][:limit]


def main() -> None:
    """Use it alone, in batches, without blocking, and fused with another."""
    own = SharedTerms()
    assert isinstance(own, SearchBackend)
    print([hit["id"] for hit in own.search("what hunts by day", limit=2)])

    # It has neither form of its own, and gets the defaults.
    print([[hit["id"] for hit in hits] for hits in search_many(own, ["mouse", "fish"], limit=1)])
    print([hit["id"] for hit in asyncio.run(asearch(own, "hunts", limit=3, filters={"family": "Strigidae"}))])

    with SqliteBackend() as index:
        index.add(BIRDS)
        router = CorpusRouter([Corpus(contents="Birds.", text_search=FusedBackend([own, index]))])
        for tool, (corpus, mode) in router.tool_names().items():
            backend = corpus.backend(mode)
            assert backend is not None
            print(tool, [hit["id"] for hit in backend.search("dives by day", limit=2)])


if __name__ == "__main__":
    main()
