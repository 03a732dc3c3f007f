"""Search results to text: the loop of `DocumentCache.render_results`, done whole or not at all.

Requests go through these steps together: all results are checked and copied; documents are stored; snippets are chosen,
several at a time; views are masked and rendered; views are recorded. Up to the last step no ledger is touched.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from . import _kernels
from .document_cache import DocumentCache, _own_copy, _validate_language, _whole_code_points, stride_size
from .document_rendering import DocumentViewWithSnippet, render_markdown_table, shortened

Format = Literal["xml", "markdown"]
FORMATS: Final = ("xml", "markdown")

Documents = dict[Hashable, Mapping[Any, Any]]

_STEPS: Final = frozenset(
    ("add_document", "apply_snippet", "fork", "get_document", "snippet_fn", "to_model_facing_id", "update_seen")
)
"""Methods that the loop calls, which an object may have in a way of its own."""


class Result(NamedTuple):
    """A search result that has been checked."""

    name: str
    data_id: Hashable
    document: Mapping[Any, Any]
    """Without the id field. If the id is known, the document in store counts instead."""


class Request:
    """What `DocumentCache.render_results` is asked for, with its options checked.

    Parameters
    ----------
    name
        What messages call the request; nothing if there is but one.
    """

    def __init__(
        self,
        name: str,
        cache: DocumentCache,
        results: Iterable[Mapping[Any, Any]],
        query: str,
        *,
        id_field: Any,
        snippet_field: Any,
        snippet_size: int,
        min_seen_overlap: float,
        display_fields: Iterable[Any] | None,
        language: str | None,
        format: Format,  # noqa: A002
        separator: str,
    ) -> None:
        where = f"{name}: " if name else ""
        for option, text in (("query", query), ("separator", separator)):
            if not isinstance(text, str):
                raise TypeError(f"{where}{option} must be a str, got {shortened(text)}")
        for option, field in (("id_field", id_field), ("snippet_field", snippet_field)):
            if not _has_hash(field):
                raise TypeError(f"{where}{option} must be hashable, as the names of fields are, got {shortened(field)}")
        if format not in FORMATS:
            raise ValueError(f"{where}format must be {' or '.join(map(repr, FORMATS))}, got {shortened(format)}")
        self.size = token_count(f"{where}snippet_size", snippet_size)
        try:
            self.minimum = _whole_code_points(min_seen_overlap)
            self.language = _validate_language(cache.language if language is None else language)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{where}{error}") from None
        self.fields = None
        if display_fields is not None:
            self.fields = list(_iterator(f"{where}display_fields", "fields", display_fields))
        if self.fields is not None and snippet_field not in self.fields:
            raise ValueError(
                f"{where}display_fields must hold the snippet field {snippet_field!r}, got {shortened(self.fields)}"
            )
        self.results = _iterator(f"{where}results", "mappings", results)
        self.name = name
        self.where = where
        self.cache = cache
        self.query = query
        self.id_field = id_field
        self.snippet_field = snippet_field
        self.asked = (snippet_size, min_seen_overlap, self.fields, language)
        self.markdown = format == "markdown"
        self.separator = separator

    @property
    def is_plain(self) -> bool:
        """Whether the cache does every step of the loop as `DocumentCache` does."""
        return type(self.cache) is DocumentCache and _STEPS.isdisjoint(vars(self.cache))

    def checked(self, new: Documents) -> list[Result]:
        """Check all results; put copies of the documents that the fork family does not have into ``new``."""
        family = self.cache._family
        columns = self.fields
        checked = []
        for place, given in enumerate(self.results):
            name = f"{self.where}results[{place}]"
            if not isinstance(given, Mapping):
                raise TypeError(f"{name} must be a mapping from field to value, got {shortened(given)}")
            try:
                document = dict(given)
                data_id = self._take_id(name, document)
                known = new.get(data_id)
                if known is None and data_id in family.to_model_facing_id:
                    known = family.documents.get(data_id)
                if known is None:
                    known = new[data_id] = _own_copy(data_id, document)
                result = Result(name, data_id, document)
                self.content(result, known)
                if self.markdown and columns is None:
                    columns = list(known)
                self._require(result, known, columns or ())
            except Exception as error:
                note(error, name)
                raise
            checked.append(result)
        return checked

    def _take_id(self, name: str, document: dict[Any, Any]) -> Hashable:
        try:
            data_id = document.pop(self.id_field)
        except KeyError:
            raise KeyError(
                f"{name} must have an id in field {self.id_field!r}; it has {_fields_of(document)}"
            ) from None
        if not _has_hash(data_id):
            raise TypeError(f"{name} must have a hashable id in field {self.id_field!r}, got {shortened(data_id)}")
        return data_id  # type: ignore[no-any-return]

    def content(self, result: Result, document: Mapping[Any, Any]) -> str:
        """Give the text of a result's document, which must have one."""
        try:
            content = document[self.snippet_field]
        except KeyError:
            raise self._lacks(result, document, "a text", self.snippet_field) from None
        if not isinstance(content, str) or not content:
            raise TypeError(
                f"{self._owner(result)} must have a non-empty str in field {self.snippet_field!r}, "
                f"got {shortened(content)}"
            )
        return content

    def _require(self, result: Result, document: Mapping[Any, Any], columns: Iterable[Any]) -> None:
        for field in columns:
            if field != self.snippet_field:
                try:
                    document[field]
                except KeyError:
                    raise self._lacks(result, document, "a value to display", field) from None

    def _lacks(self, result: Result, document: Mapping[Any, Any], what: str, field: Any) -> KeyError:
        return KeyError(
            f"{self._owner(result)} must have {what} in field {field!r}; beside its id it has {_fields_of(document)}"
        )

    def _owner(self, result: Result) -> str:
        if result.data_id not in self.cache._family.documents:
            return result.name
        return f"the document in store that {result.name} names, {shortened(result.data_id)},"

    def joined(self, views: Sequence[DocumentViewWithSnippet], elements: Sequence[str]) -> str:
        """Give the text of all results."""
        return render_markdown_table(views, self.fields) if self.markdown else self.separator.join(elements)


def _iterator(name: str, of: str, values: Iterable[Any]) -> Iterator[Any]:
    try:
        return iter(values)
    except TypeError:
        raise TypeError(f"{name} must be an iterable of {of}, got {shortened(values)}") from None


def token_count(name: str, size: int) -> int:
    """Check a number of tokens, of which a window or a stride needs one."""
    try:
        tokens = operator.index(size)
    except TypeError:
        raise TypeError(f"{name} must be an integer, got {shortened(size)}") from None
    if tokens < 1:
        raise ValueError(f"{name} must be greater than zero, got {shortened(size)}")
    return min(tokens, sys.maxsize)  # no text has more tokens


def _has_hash(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _fields_of(document: Mapping[Any, Any]) -> str:
    return f"the fields {shortened(list(document))}" if document else "no field"


def note(error: Exception, name: str) -> None:
    """Say where an error came up, unless it does so itself."""
    if not any(isinstance(part, str) and name in part for part in error.args):
        error.add_note(f"This came up with {name}.")


def render(requests: Sequence[Request], threads: int) -> list[str]:
    """Give for each request what the loop would give, request after request."""
    families = {id(request.cache._family): request.cache._family for request in requests}
    new: dict[int, Documents] = {key: {} for key in families}
    checked = [request.checked(new[id(request.cache._family)]) for request in requests]
    # Ids of a family are given in the order of the requests, hence all of it in the loop if one cache needs the loop.
    in_loop = {id(request.cache._family) for request in requests if not request.is_plain}
    for key, family in families.items():
        if key not in in_loop:
            try:
                family.add_all(new[key])
            except Exception as error:
                for request in requests:
                    if request.name and id(request.cache._family) == key:
                        note(error, request.name)
                raise
    together = _Together(
        [pair for pair in zip(requests, checked, strict=True) if id(pair[0].cache._family) not in in_loop], threads
    )
    texts = [
        _looped(request, results) if id(request.cache._family) in in_loop else together.next_text()
        for request, results in zip(requests, checked, strict=True)
    ]
    together.record()
    return texts


def _looped(request: Request, results: list[Result]) -> str:
    """Do the loop, with the cache's own methods."""
    cache, (size, minimum, fields, language) = request.cache, request.asked
    views, elements = [], []
    for name, data_id, document in results:
        try:
            cache.add_document(data_id, document)
            view = cache.apply_snippet(data_id, request.snippet_field, request.query, size, minimum, fields, language)
            if not request.markdown:
                elements.append(view.render_xml())
            cache.update_seen(view)
        except Exception as error:
            note(error, name)
            raise
        views.append(view)
    return request.joined(views, elements)


class _Together:
    """Requests whose documents are in store and whose snippets are chosen together."""

    def __init__(self, requests: list[tuple[Request, list[Result]]], threads: int) -> None:
        self.requests = iter(requests)
        self.spans = _spans(requests, threads)
        self.forks: dict[int, DocumentCache] = {}
        self.views: list[tuple[DocumentCache, DocumentViewWithSnippet]] = []

    def next_text(self) -> str:
        """Give the text of the next request."""
        request, results = next(self.requests)
        cache = request.cache
        # Views are recorded in a fork first: those that follow mask what they show.
        if id(cache) not in self.forks:
            [self.forks[id(cache)]] = cache.fork(1)
        fork = self.forks[id(cache)]
        views, elements = [], []
        for name, data_id, _ in results:
            try:
                document = fork.get_document(data_id)
                fields = list(document) if request.fields is None else request.fields
                view = fork._masked_view(
                    data_id, document, request.snippet_field, next(self.spans), request.minimum, fields
                )
                if not request.markdown:
                    elements.append(view.render_xml())
                fork.update_seen(view)
            except Exception as error:
                note(error, name)
                raise
            views.append(view)
        self.views += [(cache, view) for view in views]
        return request.joined(views, elements)

    def record(self) -> None:
        """Record all views in the ledgers of their caches."""
        for cache, view in self.views:
            cache.update_seen(view)


def _spans(requests: list[tuple[Request, list[Result]]], threads: int) -> Iterator[tuple[int, int]]:
    """Choose the snippets of all results, and give their spans in order. Requests that ask alike go in one call."""
    alike: dict[tuple[int, str], list[tuple[int, str, str]]] = {}
    count = 0
    for request, results in requests:
        found = alike.setdefault((request.size, request.language), [])
        for result in results:
            # Read anew, as another thread may have stored another document before this one.
            content = request.content(result, request.cache.get_document(result.data_id))
            found.append((count, request.query, content))
            count += 1
    spans = [(0, 0)] * count
    for (size, language), pairs in alike.items():
        queries, contents = [query for _, query, _ in pairs], [content for _, _, content in pairs]
        chosen = _kernels.snippet_spans(queries, contents, size, stride_size(size), language, threads)
        for (place, _, _), span in zip(pairs, chosen, strict=True):
            spans[place] = span
    return iter(spans)
