"""Search beyond one machine: documents in a Qdrant collection, by words or by meaning."""

from __future__ import annotations

import base64
import hashlib
import importlib
import json
import uuid
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .._options import validate_language
from ..analysis import ALL_TOKENS, query_terms, term_frequencies
from .corpus import RETRIEVAL_MODES
from .documents import CONTENT, ID, Document, decoded, encoded
from .embedder import Embedder, unit_vectors
from .errors import MissingExtra, UnusableIndex
from .filters import AnyOf, Between, conditions, field_instants, field_keys
from .ingest import Ingested, batches
from .passages import VECTOR_SCHEME, document_vectors
from .protocol import Asked, Filters, checked_limit, checked_query

if TYPE_CHECKING:
    from qdrant_client import QdrantClient
    from qdrant_client.models import Condition, Filter, PointStruct, QueryRequest, SparseVector

__all__ = ["QdrantBackend"]

FORMAT = 1
"""Of payloads and vectors, and of the analysis behind them: to be raised when one changes."""

DENSE, SPARSE = "dense", "bm25"
DOCUMENT, DIGEST, EQUAL, TIMES = "document", "digest", "equal", "times"
"""The keys of a payload: the packed document, its digest, the digests of what filters may ask for, and its times."""

HEADING_WEIGHT = 2
K1, B = 1.2, 0.75
AVERAGE_TOKENS = 256
"""Stands for the average length of the documents, which no single document's vector can know."""

_QUERIES_MAX = 100
"""Queries in one request."""


class QdrantBackend:
    """Documents in a Qdrant collection, searched for words or by meaning.

    The same code serves Qdrant's embedded local mode, one server and a cluster; only the client differs::

        client = QdrantClient(":memory:")                      # embedded, for tests and small collections
        client = QdrantClient(path="index")                    # embedded, kept in a folder, used by one process
        client = QdrantClient(url="https://qdrant.example.org:6333", api_key=key, prefer_grpc=True, timeout=30)

    Needs the extra ``qdrant``: ``pip install 'sid-native[qdrant]'``.

    Parameters
    ----------
    client
        A ``QdrantClient``. Its time-out, and closing it, are its owner's.
    collection
        The collection's name; it is made if it is not there.
    mode
        What `search` does: ``"text_search"``, by words, or ``"search"``, by meaning; `semantic` gives the second.
    language
        Whose stopwords queries drop. By default what the collection says, and English in a new one. There is no
        stemming.
    heading_field
        The field that is searched beside the content and weighs twice as much; by default what the collection says,
        and ``"title"`` in a new one.
    embedder
        What gives documents and queries their dense vectors. Without one, a new collection has none.
    collection_options
        Passed to ``create_collection``. For a cluster: ``shard_number`` (a multiple of the nodes),
        ``replication_factor`` (2 or more, to survive the loss of a node), ``write_consistency_factor``,
        ``on_disk_payload``, ``quantization_config``, ….
    query_options
        Passed to each query, such as ``consistency="majority"``.

    Raises
    ------
    MissingExtra
        If ``qdrant-client`` is not installed.
    UnusableIndex
        If the collection is another program's, of another version, or made for other parameters.

    Notes
    -----
    Each document is a point. Its sparse vector holds, under the hash of each term, that term's tf as BM25 weighs it
    (k1 = 1.2, b = 0.75, for an average of 256 tokens); the server multiplies by the idf, which it keeps itself. Its
    dense vector is the one that `sid.backends.SqliteVectorBackend` describes. Filters are conditions on the payload,
    which Qdrant applies while it ranks and not afterwards; one keyword index on ``equal`` serves equality on every
    field. Texts, names and values can hold anything: what conditions compare are digests.

    The embedded mode is searched from several threads safely, but must not be written to meanwhile.

    Examples
    --------
    >>> from qdrant_client import QdrantClient
    >>> index = QdrantBackend(QdrantClient(":memory:"), "birds")
    >>> index.add([
    ...     {"id": "a", "title": "Owls", "content": "They hunt at night.", "published": "2023-05-01"},
    ...     {"id": "b", "title": "Kites", "content": "They hunt by day.", "published": "2024-05-01"},
    ... ])
    Ingested(added=2, replaced=0, unchanged=0)
    >>> [hit["id"] for hit in index.search("what hunts by day", limit=5)]
    ['b']
    >>> [hit["id"] for hit in index.search("hunt", limit=5, filters={"published_before": "2024"})]
    ['a']
    """

    def __init__(
        self,
        client: QdrantClient,
        collection: str,
        *,
        mode: str = "text_search",
        language: str | None = None,
        heading_field: str | None = None,
        embedder: Embedder | None = None,
        collection_options: Mapping[str, Any] | None = None,
        query_options: Mapping[str, Any] | None = None,
    ) -> None:
        self.models = _models()
        if mode not in RETRIEVAL_MODES:
            raise ValueError(f"unknown mode {mode!r:.80}; supported values: {', '.join(RETRIEVAL_MODES)}")
        if mode == "search" and embedder is None:
            raise UnusableIndex(f"to search collection {collection!r} by meaning, give the embedder of its vectors")
        if language is not None:
            validate_language(language)
        self.client = client
        self.collection = collection
        self.mode = mode
        self.embedder = embedder
        self.query_options = dict(query_options or {})
        asked = {
            "language": language,
            "heading_field": None if heading_field is None else _as_utf8(heading_field),
            "embedder": None if embedder is None else _embedder_settings(embedder),
        }
        if not client.collection_exists(collection):
            self._create(asked, dict(collection_options or {}))
        kept = self._settings()
        for name, value in asked.items():
            if value is not None and value != kept[name]:
                raise UnusableIndex(
                    f"collection {collection!r} was made with {name} {kept[name]!r}, not {value!r}; use the same, or "
                    "another collection"
                )
        self.language = str(kept["language"])
        self.heading_field = _from_utf8(kept["heading_field"])
        self._has_vectors = kept["embedder"] is not None
        self._times_indexed: set[str] = set()

    def semantic(self) -> QdrantBackend:
        """Give the backend that searches the same collection by meaning; the embedder must have been given."""
        return QdrantBackend(
            self.client, self.collection, mode="search", embedder=self.embedder, query_options=self.query_options
        )

    def __enter__(self) -> QdrantBackend:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Do nothing: the client is its owner's. It is here so that an index of either kind can be closed."""

    def __len__(self) -> int:
        return int(self.client.count(self.collection, exact=True).count)

    def get(self, document_id: str) -> dict[str, Any]:
        """Give a document as a result of a search would be.

        Raises
        ------
        KeyError
            If there is none.
        """
        if isinstance(document_id, str):
            for record in self.client.retrieve(self.collection, [_point_id(document_id)], with_payload=[DOCUMENT]):
                return _unpacked(record.payload)
        raise KeyError(f"there is no document {document_id!r:.80} in collection {self.collection!r}")

    def search(self, query: str, *, limit: int, filters: Filters | None = None) -> list[dict[str, Any]]:
        """Give the best documents, best first: by words or by meaning, as the mode is.

        Parameters
        ----------
        query
            Any text.
        limit
            How many to give at most, from 1; no more than 1000 are.
        filters
            Conditions that every result meets; see `sid.backends.filters`.

        Raises
        ------
        InvalidFilter
            If a filter is none.
        """
        return self.search_many([query], limit=limit, filters=filters)[0]

    def search_many(
        self, queries: Sequence[str], *, limit: int, filters: Filters | None = None
    ) -> list[list[dict[str, Any]]]:
        """Give the results of each query, as `search` does, from one request for up to a hundred queries."""
        return self.search_batch([Asked(self, query, limit, filters) for query in queries])

    @property
    def batch_key(self) -> Hashable:
        """Say whose searches can be made together: those of one collection by one client, whatever their mode."""
        return "qdrant", id(self.client), self.collection, repr(sorted(self.query_options.items()))

    def search_batch(self, asked: Sequence[Asked]) -> list[list[dict[str, Any]]]:
        """Give the results of searches of this collection, whatever their mode, limit and filters.

        There is one request for up to a hundred of them. Each is of a `QdrantBackend` with the same ``batch_key``.
        """
        requests: dict[int, QueryRequest] = {}
        by_backend: dict[int, list[int]] = {}
        for place, one in enumerate(asked):
            by_backend.setdefault(id(one.backend), []).append(place)
        for places in by_backend.values():
            backend = asked[places[0]].backend
            assert isinstance(backend, QdrantBackend)  # noqa: S101  (no other has such a key)
            made = backend._requests([asked[place] for place in places])
            requests.update((place, one) for place, one in zip(places, made, strict=True) if one is not None)
        results: list[list[dict[str, Any]]] = [[] for _ in asked]
        wanted = sorted(requests)
        for start in range(0, len(wanted), _QUERIES_MAX):
            chosen = wanted[start : start + _QUERIES_MAX]
            answers = self.client.query_batch_points(
                self.collection, requests=[requests[place] for place in chosen], **self.query_options
            )
            for place, answer in zip(chosen, answers, strict=True):
                results[place] = [_unpacked(point.payload) for point in answer.points]
        return results

    def _requests(self, asked: Sequence[Asked]) -> list[QueryRequest | None]:
        """Give what to ask the server for each search of this backend; nothing where the query has no term."""
        queries = [checked_query(one.query) for one in asked]
        wanted: Sequence[SparseVector | list[float] | None]
        if self.mode == "search" and self.embedder is not None:
            wanted = unit_vectors(self.embedder, queries, "query").tolist()
        else:
            wanted = self._sparse_queries(queries)
        made: list[QueryRequest | None] = []
        for one, vector in zip(asked, wanted, strict=True):
            limit, condition = checked_limit(one.limit), self._filter(conditions(one.filters))
            request = self.models.QueryRequest(
                query=vector,
                using=DENSE if self.mode == "search" else SPARSE,
                filter=condition,
                limit=limit,
                with_payload=[DOCUMENT],
            )
            made.append(None if vector is None else request)
        return made

    def add(
        self, documents: Iterable[Mapping[str, Any]], *, progress: Callable[[Ingested], None] | None = None
    ) -> Ingested:
        """Add documents, or put them in the place of those with the same id.

        They are written in batches. If this is interrupted, add the same documents again: those that are there are
        recognised by their content and left alone.

        Parameters
        ----------
        documents
            Mappings with ``"id"`` and ``"content"``, both non-empty strings, and other fields that JSON can hold.
            Tuples become lists. Of documents with the same id the last one stays.
        progress
            Called with the sums so far after every batch.

        Raises
        ------
        TypeError, ValueError
            If a document is not one.
        UnusableIndex
            If the collection has dense vectors and there is no embedder to give them to the documents.
        """
        if self._has_vectors and self.embedder is None:
            raise UnusableIndex(f"collection {self.collection!r} has dense vectors; to add to it, give embedder")
        total = Ingested()
        for batch, _ in batches(documents):
            latest = {_point_id(document.id): document for document in batch}
            digests = {
                str(record.id): (record.payload or {}).get(DIGEST)
                for record in self.client.retrieve(self.collection, list(latest), with_payload=[DIGEST])
            }
            changed = {
                point: document for point, document in latest.items() if digests.get(point) != document.digest.hex()
            }
            if changed:
                self._index_times(changed.values())
                self.client.upsert(self.collection, self._points(changed), wait=True)
            replaced = sum(point in digests for point in changed)
            total = replace(
                total,
                added=total.added + len(changed) - replaced,
                replaced=total.replaced + replaced,
                unchanged=total.unchanged + len(batch) - len(changed),
            )
            if progress is not None:
                progress(total)
        return total

    def remove(self, ids: Iterable[str]) -> None:
        """Take documents out, those of them that are there."""
        if isinstance(ids, str):
            raise TypeError(f"ids must be an iterable of ids, got the str {ids!r:.80}; give [{ids!r:.80}]")
        points = [_point_id(document_id) for document_id in ids]
        if points:
            self.client.delete(self.collection, self.models.PointIdsList(points=points), wait=True)

    def _create(self, asked: Mapping[str, Any], options: dict[str, Any]) -> None:
        models = self.models
        vectors = {}
        if self.embedder is not None:
            vectors[DENSE] = models.VectorParams(size=self.embedder.dimension, distance=models.Distance.COSINE)
        kept = {**asked, "format": FORMAT}
        kept["language"] = asked["language"] or "english"
        kept["heading_field"] = "title" if asked["heading_field"] is None else asked["heading_field"]
        self.client.create_collection(
            self.collection,
            vectors_config=vectors,
            sparse_vectors_config={SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
            metadata={"sid": kept},
            **options,
        )
        self._index_payload(EQUAL, models.PayloadSchemaType.KEYWORD)

    def _settings(self) -> dict[str, Any]:
        metadata = self.client.get_collection(self.collection).config.metadata or {}
        kept = metadata.get("sid")
        if not isinstance(kept, dict) or "format" not in kept:
            raise UnusableIndex(f"collection {self.collection!r} was not made by sid-native; name another")
        if kept["format"] != FORMAT:
            raise UnusableIndex(
                f"collection {self.collection!r} has format {kept['format']!r:.80}, and this sid-native reads "
                f"{FORMAT}; use the sid-native that made it, or make another collection"
            )
        return kept

    def _index_payload(self, key: str, kind: Any) -> None:
        with warnings.catch_warnings():
            # The embedded mode has no payload indexes and needs none.
            warnings.filterwarnings("ignore", "Payload indexes have no effect", UserWarning)
            self.client.create_payload_index(self.collection, key, kind, wait=True)

    def _index_times(self, documents: Iterable[Document]) -> None:
        names = {key for document in documents for key in _times(document)}
        for name in sorted(names - self._times_indexed):
            self._index_payload(f"{TIMES}.{name}", self.models.PayloadSchemaType.INTEGER)
            self._times_indexed.add(name)

    def _points(self, documents: Mapping[str, Document]) -> list[PointStruct]:
        vectors: list[dict[str, Any]] = [{SPARSE: self._sparse(document)} for document in documents.values()]
        if self._has_vectors and self.embedder is not None:
            dense = document_vectors(self.embedder, list(documents.values()), self.heading_field)
            for named, row in zip(vectors, dense, strict=True):
                named[DENSE] = row.tolist()
        return [
            self.models.PointStruct(id=point, vector=named, payload=_payload(document))
            for (point, document), named in zip(documents.items(), vectors, strict=True)
        ]

    def _sparse(self, document: Document) -> SparseVector:
        content = term_frequencies(document.content, ALL_TOKENS)
        frequencies = dict(content)
        for text in document.texts_of(self.heading_field):
            for term, count in term_frequencies(text, ALL_TOKENS).items():
                frequencies[term] = frequencies.get(term, 0) + HEADING_WEIGHT * count
        length = sum(frequencies.values())
        norm = K1 * (1 - B + B * length / AVERAGE_TOKENS)
        weights: dict[int, float] = {}
        for term, tf in frequencies.items():
            index = _term_index(term)
            weights[index] = weights.get(index, 0.0) + tf * (K1 + 1) / (tf + norm)
        vector: SparseVector = self.models.SparseVector(indices=list(weights), values=list(weights.values()))
        return vector

    def _sparse_queries(self, queries: Sequence[str]) -> list[SparseVector | None]:
        found: list[SparseVector | None] = []
        for query in queries:
            indices = list({_term_index(term): None for term in query_terms(query, self.language)})
            vector = self.models.SparseVector(indices=indices, values=[1.0] * len(indices))
            found.append(vector if indices else None)
        return found

    def _filter(self, found: Sequence[AnyOf | Between]) -> Filter | None:
        models = self.models
        must: list[Condition] = []
        for condition in found:
            if isinstance(condition, AnyOf):
                digests = [_equal(condition.name, key) for key in condition.keys]
                must.append(models.FieldCondition(key=EQUAL, match=models.MatchAny(any=digests)))
            else:
                times = models.Range(gte=condition.after, lt=condition.before)
                must.append(models.FieldCondition(key=f"{TIMES}.{_time_name(condition.name)}", range=times))
        return models.Filter(must=must) if must else None


def _models() -> Any:
    try:
        return importlib.import_module("qdrant_client.models")
    except ImportError as error:
        raise MissingExtra("QdrantBackend", "qdrant", error) from error


def _embedder_settings(embedder: Embedder) -> dict[str, Any]:
    return {"name": _as_utf8(embedder.name), "dimension": embedder.dimension, "scheme": VECTOR_SCHEME}


def _point_id(document_id: str) -> str:
    return str(uuid.UUID(bytes=hashlib.blake2b(encoded(document_id), digest_size=16).digest()))


def _term_index(term: str) -> int:
    return int.from_bytes(hashlib.blake2b(encoded(term), digest_size=4).digest(), "little")


def _equal(name: str, key: bytes) -> str:
    field = encoded(name)
    return hashlib.blake2b(len(field).to_bytes(8, "little") + field + key, digest_size=16).hexdigest()


def _time_name(name: str) -> str:
    return hashlib.blake2b(encoded(name), digest_size=16).hexdigest()


def _times(document: Document) -> dict[str, list[int]]:
    found = {_time_name(name): list(field_instants(value)) for name, value in document.fields.items()}
    return {name: times for name, times in found.items() if times}


def _payload(document: Document) -> dict[str, Any]:
    text = {ID: document.id, CONTENT: document.content, "fields": document.fields}
    return {
        DOCUMENT: _as_utf8(json.dumps(text, ensure_ascii=False, separators=(",", ":"))),
        DIGEST: document.digest.hex(),
        EQUAL: sorted({_equal(name, key) for name, value in document.fields.items() for key in field_keys(value)}),
        TIMES: _times(document),
    }


def _unpacked(payload: Mapping[str, Any] | None) -> dict[str, Any]:
    found = json.loads(_from_utf8((payload or {})[DOCUMENT]))
    return Document(found[ID], found[CONTENT], found["fields"]).hit()


_BASE64 = "base64:"


def _as_utf8(text: str) -> str:
    """Give a text that UTF-8 can hold: the text itself, unless it has lone surrogates or looks like a changed one."""
    try:
        text.encode()
    except UnicodeEncodeError:
        pass
    else:
        if not text.startswith(_BASE64):
            return text
    return _BASE64 + base64.b64encode(encoded(text)).decode()


def _from_utf8(text: str) -> str:
    return decoded(base64.b64decode(text.removeprefix(_BASE64))) if text.startswith(_BASE64) else text
