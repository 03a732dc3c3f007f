"""Search results to text: the loop of `DocumentCache.render_results`, done whole or not at all."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

from . import _kernels
from ._family import own_copy
from ._options import has_hash, stride_size, token_count, validate_language, whole_code_points
from .document_rendering import render_markdown_table, shortened

if TYPE_CHECKING:
    from .document_cache import DocumentCache

Format = Literal["xml", "markdown"]
FORMATS: Final = ("xml", "markdown")

Documents = dict[Hashable, Mapping[Any, Any]]


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
        if not isinstance(query, str):
            raise TypeError(f"{where}query must be a str, got {shortened(query)}")
        if not isinstance(separator, str):
            raise TypeError(f"{where}separator must be a str, got {shortened(separator)}")
        if not has_hash(id_field):
            raise _no_field(f"{where}id_field", id_field)
        if not has_hash(snippet_field):
            raise _no_field(f"{where}snippet_field", snippet_field)
        if format not in FORMATS:
            raise ValueError(f"{where}format must be {' or '.join(map(repr, FORMATS))}, got {shortened(format)}")
        self.window_size = token_count(where, "snippet_size", snippet_size)
        try:
            self.min_seen_overlap = whole_code_points(min_seen_overlap)
            self.language = validate_language(cache.language if language is None else language)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{where}{error}") from None
        self.fields: list[Any] | None = None
        if display_fields is not None:
            self.fields = list(_iterator(where, "display_fields", "fields", display_fields))
            if snippet_field not in self.fields:
                raise ValueError(
                    f"{where}display_fields must hold the snippet field {snippet_field!r}, got {shortened(self.fields)}"
                )
        self.results = list(_iterator(where, "results", "mappings", results))
        self.name = name
        self.where = where
        self.cache = cache
        family = cache._family
        self.family = family
        self.registry = family.registry
        self.to_model_facing_id = family.to_model_facing_id
        self.ledger = cache._ledger
        self.new: Documents = {}
        self.id_field = id_field
        self.query = query
        self.snippet_field = snippet_field
        self.stride = stride_size(self.window_size)
        self.asked = (snippet_size, min_seen_overlap, self.fields, language)
        self.markdown = format == "markdown"
        self.separator = separator
        # Of a table without fields, the first document's are the columns.
        self.columns = self.fields

    def check(self, place: int) -> Hashable:
        """Check a result, and put a copy of its document into ``new`` if that is needed; give its data id."""
        name = f"{self.where}results[{place}]"
        given = self.results[place]
        if not isinstance(given, Mapping):
            raise TypeError(f"{name} must be a mapping from field to value, got {shortened(given)}")
        try:
            document = dict(given)
            data_id = self._take_id(name, document)
            held = self._held(data_id)
            if held is None:
                held = own_copy(data_id, document)
                self._require(name, held)
                self.new[data_id] = held
            else:
                self._require(name if data_id in self.new else _in_store(name, data_id), held)
        except Exception as error:
            self.note(error, place)
            raise
        return data_id

    def _take_id(self, name: str, document: dict[Any, Any]) -> Hashable:
        try:
            data_id = document.pop(self.id_field)
        except KeyError:
            raise KeyError(
                f"{name} must have an id in field {self.id_field!r}; it has {_fields_of(document)}"
            ) from None
        if not has_hash(data_id):
            raise TypeError(f"{name} must have a hashable id in field {self.id_field!r}, got {shortened(data_id)}")
        return data_id  # type: ignore[no-any-return]

    def _held(self, data_id: Hashable) -> Mapping[Any, Any] | None:
        """Give the document that an id means, if it means one already."""
        if data_id in self.new:
            return self.new[data_id]
        # As for add_document, what was taken out of the public dict is to be added again.
        return self.family.documents.get(data_id) if data_id in self.family.to_model_facing_id else None

    def _require(self, owner: str, document: Mapping[Any, Any]) -> str:
        """Give the text of a document that must have all that is to be shown."""
        try:
            content = document[self.snippet_field]
        except KeyError:
            raise _lacking(owner, document, "a text", self.snippet_field) from None
        if not isinstance(content, str) or not content:
            raise TypeError(
                f"{owner} must have a non-empty str in field {self.snippet_field!r}, got {shortened(content)}"
            )
        if self.columns is None and self.markdown:
            self.columns = list(document)
        for field in self.columns or ():
            if field != self.snippet_field:
                try:
                    document[field]
                except KeyError:
                    raise _lacking(owner, document, "a value to display", field) from None
        return content

    def stored(self, place: int, data_id: Hashable) -> tuple[Mapping[Any, Any], str]:
        """Give the document of a result, which is in store by now, and its text.

        It may be another one than was checked, if another thread stored one in the meantime.
        """
        document = self.cache.get_document(data_id)
        return document, self._require(_in_store(f"{self.where}results[{place}]", data_id), document)

    def note(self, error: BaseException, place: int | None) -> None:
        """Say where an error came up, with a result or only with the request, unless it does so itself."""
        note(error, self.name if place is None else f"{self.where}results[{place}]")


def _iterator(where: str, name: str, of: str, values: Iterable[Any]) -> Iterator[Any]:
    try:
        return iter(values)
    except TypeError:
        raise TypeError(f"{where}{name} must be an iterable of {of}, got {shortened(values)}") from None


def _no_field(name: str, value: object) -> TypeError:
    return TypeError(f"{name} must be hashable, as the names of fields are, got {shortened(value)}")


def _in_store(name: str, data_id: Hashable) -> str:
    return f"the document in store that {name} names, {shortened(data_id)},"


def _lacking(owner: str, document: Mapping[Any, Any], what: str, field: Any) -> KeyError:
    return KeyError(f"{owner} must have {what} in field {field!r}; beside its id it has {_fields_of(document)}")


def _fields_of(document: Mapping[Any, Any]) -> str:
    return f"the fields {shortened(list(document))}" if document else "no field"


def note(error: BaseException, name: str) -> None:
    """Say with what an error came up, unless it says so itself."""
    if name and not any(isinstance(part, str) and name in part for part in error.args):
        error.add_note(f"This came up with {name}.")


def render(requests: Sequence[Request], threads: int | None) -> list[str]:
    """Give for each request what the loop would give, request after request."""
    new: dict[int, Documents] = {}
    for request in requests:
        request.new = new.setdefault(id(request.family), request.new)
    # Ids of a family are given in the order of the requests: if one cache needs the loop, all of it does.
    in_loop = {id(request.family) for request in requests if not request.cache._is_plain}
    if not in_loop:
        rendered = _kernels.render_results(requests, threads)
        rendered.record()
        return rendered.texts
    data_ids = [[request.check(place) for place in range(len(request.results))] for request in requests]
    rendered = _kernels.render_results([each for each in requests if id(each.family) not in in_loop], threads)
    texts = iter(rendered.texts)
    all_texts = [
        _looped(request, own) if id(request.family) in in_loop else next(texts)
        for request, own in zip(requests, data_ids, strict=True)
    ]
    rendered.record()
    return all_texts


def _looped(request: Request, data_ids: list[Hashable]) -> str:
    """Do the loop, with the cache's own methods."""
    cache, (size, minimum, fields, language) = request.cache, request.asked
    views, elements = [], []
    for place, data_id in enumerate(data_ids):
        try:
            document = dict(request.results[place])
            document.pop(request.id_field, None)
            cache.add_document(data_id, document)
            view = cache.apply_snippet(data_id, request.snippet_field, request.query, size, minimum, fields, language)
            if not request.markdown:
                elements.append(view.render_xml())
            cache.update_seen(view)
        except Exception as error:
            request.note(error, place)
            raise
        views.append(view)
    return render_markdown_table(views, request.fields) if request.markdown else request.separator.join(elements)
