"""Search results to text, all of them or none."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar

from .intervals import Span
from .ledger import Ledger
from .registry import Registry
from .render import snippet_element, snippet_table

Value = TypeVar("Value")


class Request(Protocol):
    """What is asked for, its options checked.

    Attributes
    ----------
    registry, ledger, to_model_facing_id
        Where documents go, what was shown of them, and the registry's table of ids.
    new
        Copies of documents to store, by their data ids: one dict for all requests with the same registry.
    results, id_field
        The search results, and where each has its data id.
    query, snippet_field, window_size, stride, language, min_seen_overlap
        How snippets are chosen and masked.
    fields
        The fields to display, or ``None`` for all.
    markdown, separator
        The form of the text.
    """

    registry: Registry
    ledger: Ledger
    to_model_facing_id: dict[Hashable, str]
    new: dict[Hashable, Mapping[Any, Any]]
    results: list[Any]
    id_field: Any
    query: str
    snippet_field: Any
    window_size: int
    stride: int
    language: str
    min_seen_overlap: int
    fields: list[Any] | None
    markdown: bool
    separator: str

    def check(self, place: int) -> Hashable:
        """Check a result, and put a copy of its document into ``new`` if that is needed; give its data id."""

    def stored(self, place: int, data_id: Hashable) -> tuple[Mapping[Any, Any], str]:
        """Give the document of a result, which is in store by now, and its text."""

    def note(self, error: BaseException, place: int | None) -> None:
        """Note on an error with which result it came up, or that it came up with the request."""


class Rendered:
    """The texts of requests, and what they display, which does not count as seen yet."""

    def __init__(self, texts: list[str], displayed: list[tuple[Ledger, int, list[Span]]]) -> None:
        self.texts = texts
        self._displayed = displayed

    def record(self) -> None:
        """Record in the ledgers what is displayed."""
        for ledger, number, spans in self._displayed:
            ledger.record(number, spans)


def render_results(requests: Sequence[Request], threads: int | None) -> Rendered:
    """Store the documents of all requests and render views of them, if all results are in order.

    A view masks what the ledger holds and what views before it display. At most ``threads`` threads choose snippets;
    here it is always one.
    """
    data_ids = [[request.check(place) for place in range(len(request.results))] for request in requests]
    _store(requests)
    # Views are recorded in forks first: those that follow mask what they display.
    forks = {id(request.ledger): request.ledger.fork() for request in requests}
    texts = []
    displayed: list[tuple[Ledger, int, list[Span]]] = []
    for request, own_ids in zip(requests, data_ids, strict=True):
        text, of_request = _rendered(request, own_ids, forks[id(request.ledger)])
        texts.append(text)
        displayed += [(request.ledger, number, spans) for number, spans in of_request]
    return Rendered(texts, displayed)


def _store(requests: Sequence[Request]) -> None:
    """Store the new documents of each fork family: if ids run out in any, none at all."""
    families = list({id(request.new): request for request in requests}.values())
    reserved: list[list[str]] = [[] for _ in families]
    if len(families) > 1:
        for family in families:
            _noting(requests, family, family.registry.require_ids)
        reserved = [_noting(requests, family, family.registry.reserve) for family in families]
    for family, ids in zip(families, reserved, strict=True):
        _noting(requests, family, partial(family.registry.add_all, reserved=ids))


def _noting(requests: Sequence[Request], family: Request, work: Callable[[dict[Hashable, Any]], Value]) -> Value:
    """Do something with the new documents of a fork family; note on an error with which requests it came up."""
    try:
        return work(family.new)
    except Exception as error:
        for request in requests:
            if request.new is family.new:
                request.note(error, None)
        raise


def _rendered(request: Request, data_ids: Sequence[Hashable], fork: Ledger) -> tuple[str, list[tuple[int, list[Span]]]]:
    """Render a request's views; give the text, and what each displays."""
    from .snippet import snippet_span

    views, elements, displayed = [], [], []
    for place, data_id in enumerate(data_ids):
        try:
            document, content = request.stored(place, data_id)
            span = snippet_span(request.query, content, request.window_size, request.stride, request.language)
            number = request.registry.number(data_id)
            shown, seen = fork.mask(number, span, request.min_seen_overlap)
            view = (request.to_model_facing_id[data_id], document, content, shown, seen)
            if request.markdown:
                views.append(view)
            else:
                elements.append(snippet_element(view, request.fields, request.snippet_field))
            fork.record(number, shown)
            displayed.append((number, shown))
        except Exception as error:
            request.note(error, place)
            raise
    if request.markdown:
        try:
            return snippet_table(views, request.fields, request.snippet_field), displayed
        except Exception as error:
            request.note(error, None)
            raise
    return request.separator.join(elements), displayed
