"""Documents under ids for a model, snippets of them, and what of each the model has already been shown.

Offsets are half-open ranges of Unicode code points of the Python string. Sizes count tokens: UAX #29 word segments
that are word-like.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from . import _kernels
from ._family import Family
from ._languages import SUPPORTED_LANGUAGES
from ._options import stride_size, validate_language, whole_code_points
from ._results import Request, render
from .document_rendering import DocumentView, DocumentViewWithSnippet
from .ranges import RangeMode, resolve_char_range, validate_range_mode
from .seen_ledger import SeenLedger, ledger_of

__all__ = [
    "MIN_SEEN_OVERLAP_DEFAULT",
    "SNIPPET_SIZE_DEFAULT",
    "SUPPORTED_LANGUAGES",
    "DocumentCache",
    "append_coalescing",
    "bm25_snippet_with_stride",
    "insert_interval",
    "overlap",
    "overlap_list",
    "plan_segments",
    "stride_size",
]

Interval = tuple[int, int]

SNIPPET_SIZE_DEFAULT = 50
"""Tokens per snippet unless the caller says otherwise."""

MIN_SEEN_OVERLAP_DEFAULT = 100
"""A seen stretch shorter than this, in code points, is shown again rather than masked."""

_STEPS = frozenset(
    ("add_document", "apply_snippet", "fork", "get_document", "snippet_fn", "to_model_facing_id", "update_seen")
)
"""Methods that the loop of `DocumentCache.render_results` calls, which an object may have in a way of its own."""

_new = object.__new__


def overlap(span: Interval, interval: Interval) -> Interval | None:
    """Give what both spans cover, or ``None`` if that is nothing.

    Examples
    --------
    >>> overlap((0, 5), (3, 8)), overlap((0, 5), (5, 8))
    ((3, 5), None)
    """
    return _kernels.overlap(span, interval)


def overlap_list(span: Interval, intervals: Sequence[Interval]) -> list[Interval]:
    """Give the parts of ``intervals`` inside ``span``, in their order.

    Examples
    --------
    >>> overlap_list((0, 10), [(1, 2), (9, 12), (20, 30)])
    [(1, 2), (9, 10)]
    """
    return _kernels.overlap_list(span, intervals)


def insert_interval(intervals: Sequence[Interval], new: Interval) -> list[Interval]:
    """Merge ``new`` into sorted, disjoint intervals; touching ones become one.

    Returns
    -------
    list[tuple[int, int]]
        A new list, sorted, disjoint and coalesced.

    Raises
    ------
    AssertionError
        If ``new`` is empty or inverted.

    Examples
    --------
    >>> insert_interval([(0, 5), (8, 9)], (5, 7))
    [(0, 7), (8, 9)]
    """
    if _kernels.overlap(new, new) is None:
        raise AssertionError(f"the interval {new!r} is empty: only a start below its end can be recorded")
    return _kernels.insert_interval(intervals, new)


def append_coalescing(spans: list[Interval], new: Interval) -> None:
    """Append ``new`` to ``spans``, or lengthen the last span if ``new`` starts where that one ends.

    Examples
    --------
    >>> spans = [(0, 2)]
    >>> append_coalescing(spans, (2, 4)); append_coalescing(spans, (6, 7)); spans
    [(0, 4), (6, 7)]
    """
    if not isinstance(spans, list):
        raise TypeError(f"spans must be a list, which is changed in place, got {spans!r}")
    _kernels.append_coalescing(spans, new)


def plan_segments(
    span: Interval, seen: Sequence[Interval], min_seen_overlap: float
) -> tuple[list[Interval], list[Interval]]:
    """Tile ``span`` into stretches to display and stretches to mask.

    Parameters
    ----------
    span
        What is to be shown.
    seen
        What was shown before: sorted and disjoint.
    min_seen_overlap
        Seen stretches shorter than this, in code points, are displayed again.

    Returns
    -------
    tuple[list[tuple[int, int]], list[tuple[int, int]]]
        ``(displayed, masked)``; displayed neighbours are coalesced.

    Examples
    --------
    >>> plan_segments((0, 100), [(0, 20), (30, 50), (55, 56)], 10)
    ([(20, 30), (50, 100)], [(0, 20), (30, 50)])
    """
    return _kernels.plan_segments(span, seen, whole_code_points(min_seen_overlap))


def bm25_snippet_with_stride(
    query: str, content: str, window_size: int = 50, stride: int = 10, language: str = "english"
) -> Interval:
    """Choose the window of ``content`` that best answers ``query``.

    Windows of ``window_size`` tokens start every ``stride`` tokens. Each is scored by BM25 as a document of its own,
    over the query's distinct terms and its distinct pairs of neighbouring terms; the earliest of the best wins.

    Parameters
    ----------
    query
        Free text. A query without a kept term chooses the first window.
    content
        The text to choose from.
    window_size, stride
        In tokens, at least 1.
    language
        Which stopwords to drop: one of `SUPPORTED_LANGUAGES`.

    Returns
    -------
    tuple[int, int]
        ``(start, end)`` in code points of ``content``: all of it if it has no more than ``window_size`` tokens.

    Raises
    ------
    ValueError
        If a size is below 1, or the language is not supported.
    TypeError
        If a text is not a ``str`` or a size not an integer.

    Examples
    --------
    >>> text = "alpha beta gamma delta epsilon zeta"
    >>> bm25_snippet_with_stride("delta", text, window_size=2, stride=1)
    (11, 22)
    >>> text[11:22]
    'gamma delta'
    """
    try:
        return _kernels.snippet_span(query, content, window_size, stride, language)
    except (TypeError, ValueError, OverflowError):
        pass  # what was wrong is found out here, as no kernel checks as closely
    for name, text in (("query", query), ("content", content)):
        if not isinstance(text, str):
            raise TypeError(f"{name} must be a str, got {text!r}")
    for name, size in (("window_size", window_size), ("stride", stride)):
        if operator.index(size) < 1:
            raise ValueError(f"{name} must be greater than zero, got {size!r}")
    # No text has more tokens than sys.maxsize.
    window, step = min(operator.index(window_size), sys.maxsize), min(operator.index(stride), sys.maxsize)
    return _kernels.snippet_span(query, content, window, step, validate_language(language))


class DocumentCache:
    """Documents under ids for a model, and the ledger of what the model was shown of each.

    Parameters
    ----------
    language
        Whose stopwords to drop when snippets are chosen: one of `SUPPORTED_LANGUAGES`.
    range_mode
        What to do with a character range that only partly lies in a document: ``"lenient"`` takes that part,
        ``"strict"`` refuses.

    Attributes
    ----------
    language, range_mode
        As given.
    documents : dict
        Every document by its data id; the same object in all forks. Treat documents as read-only.
    seen_ledger : SeenLedger
        For each data id the sorted, disjoint and coalesced ``(start, end)`` spans that were recorded in this fork: a
        mapping that reads as a dict of lists. Another mapping may be assigned, whose entries are copied.
    model_facing_id_stream : Iterator[str]
        Where ids come from. Another iterator of strings may be assigned before the first document is added; it
        serves all forks.

    Raises
    ------
    ValueError
        If the language or the range mode is not a supported one.

    Notes
    -----
    Documents may be added from several threads, in one fork or in several, and views recorded likewise: no id is
    given twice and no span is lost. Choosing a snippet and recording its view are two steps, so threads that act as
    one agent must do the pair in turn.

    Examples
    --------
    >>> cache = DocumentCache()
    >>> model_id = cache.add_document("db-1", {"content": "one two three four five six"})
    >>> view = cache.apply_snippet("db-1", "content", "five", snippet_size=2)
    >>> view.snippet_display_spans
    [(14, 23)]
    >>> cache.update_seen(view)
    >>> cache.seen_ledger["db-1"]
    [(14, 23)]
    """

    def __init__(self, language: str = "english", range_mode: RangeMode = "lenient") -> None:
        self.language = validate_language(language)
        self.range_mode = validate_range_mode(range_mode)
        self._family = Family()
        self._ledger = _kernels.Ledger()

    @property
    def documents(self) -> dict[Hashable, Mapping[Any, Any]]:
        """Every document by its data id; the same object in all forks."""
        return self._family.documents

    @property
    def seen_ledger(self) -> SeenLedger:
        """What was recorded in this fork, as a mapping from data id to a list of spans."""
        return SeenLedger(self._family, self._ledger)

    @seen_ledger.setter
    def seen_ledger(self, entries: Mapping[Hashable, Iterable[Interval]]) -> None:
        self._ledger = ledger_of(self._family, entries)

    @property
    def model_facing_id_stream(self) -> Iterator[str]:
        """Where model-facing ids come from, in all forks."""
        return self._family.registry.stream

    @model_facing_id_stream.setter
    def model_facing_id_stream(self, stream: Iterator[str]) -> None:
        self._family.registry.stream = stream

    def add_document(self, data_id: Hashable, document: Mapping[Any, Any]) -> str:
        """Store a deep copy of a document under a new model-facing id.

        If the data id is known, in this fork or another, its id is returned and ``document`` is not looked at.

        Parameters
        ----------
        data_id
            The document's id in the application.
        document
            Its fields.

        Returns
        -------
        str
            The model-facing id.

        Raises
        ------
        IdSpaceExhausted
            If the id stream has no id left.
        TypeError
            If the data id is not hashable or the document not a mapping. In each case nothing is stored.

        Examples
        --------
        >>> cache = DocumentCache()
        >>> model_id = cache.add_document("db-1", {"content": "Hello, world."})
        >>> cache.add_document("db-1", {"content": "not looked at"}) == model_id
        True
        """
        return self._family.registry.add(self._ledger, data_id, document)

    def apply_snippet(
        self,
        data_id: Hashable,
        snippet_field: Any,
        query: str,
        snippet_size: int = SNIPPET_SIZE_DEFAULT,
        min_seen_overlap: float = MIN_SEEN_OVERLAP_DEFAULT,
        display_fields: Iterable[Any] | None = None,
        language: str | None = None,
    ) -> DocumentViewWithSnippet:
        """View the stretch of a document that best answers a query, what was seen of it masked.

        The ledger is read, not changed: record the view with `update_seen` once it was shown.

        Parameters
        ----------
        data_id
            The document.
        snippet_field
            The field that holds its text.
        query
            What the model asked for.
        snippet_size
            Tokens to show, at least 1.
        min_seen_overlap
            Seen stretches shorter than this, in code points, are shown again; a snippet seen whole is masked
            however short it is.
        display_fields
            The fields to display, the snippet field among them; by default all, in the document's order.
        language
            Whose stopwords to drop, by default the cache's.

        Raises
        ------
        KeyError
            If there is no such document or it has no such field.
        TypeError
            If the field is not a non-empty ``str``.
        ValueError
            If the snippet field is not among the display fields, the size is below 1 or the language is not
            supported.
        InvalidCharacterRange
            If a `snippet_fn` of a subclass gives a span that the document does not have.

        Examples
        --------
        >>> cache = DocumentCache()
        >>> _ = cache.add_document("db-1", {"content": "one two three four five six"})
        >>> view = cache.apply_snippet("db-1", "content", "five", snippet_size=2)
        >>> view.snippet_display_spans
        [(14, 23)]
        >>> cache.update_seen(view)
        >>> cache.apply_snippet("db-1", "content", "four", snippet_size=4, min_seen_overlap=4).snippet_seen_spans
        [(14, 18)]
        """
        document = self.get_document(data_id)
        try:
            content = document[snippet_field]
        except KeyError:
            content = _field(data_id, document, snippet_field)
        if display_fields is None:
            fields: Collection[Any] = [*document]
        else:
            fields = _display_fields(data_id, document, snippet_field, display_fields)
        if not isinstance(content, str) or not content:
            _require_text(data_id, snippet_field, content)
        language = self.language if language is None else validate_language(language)
        number = self._family.numbers.get(data_id)
        choose, plan = self.snippet_fn, None
        if choose is _own_snippet_fn:
            try:
                stride = stride_size(snippet_size)
                plan = self._ledger.snippet(number, query, content, snippet_size, stride, language, min_seen_overlap)
            except (TypeError, ValueError, OverflowError):
                pass  # what was wrong is found out below, as is what a minimum means that is no whole number
        if plan is None:
            minimum = whole_code_points(min_seen_overlap)
            span = choose(query, content, snippet_size, language)
            if choose is not _own_snippet_fn:
                span = resolve_char_range(span, len(content), mode="strict", document_id=data_id)
            plan = self._ledger.mask(number, span, minimum)
        displayed, masked = plan
        return DocumentViewWithSnippet(
            data_id, self.to_model_facing_id(data_id), document, snippet_field, masked, displayed, fields
        )

    @staticmethod
    def snippet_fn(query: str, content: str, snippet_size: int, language: str = "english") -> Interval:
        """Choose the span to show; a subclass may choose otherwise.

        Returns
        -------
        tuple[int, int]
            ``(start, end)`` in code points, inside ``content``.

        Examples
        --------
        >>> DocumentCache.snippet_fn("three", "one two three four", 1)
        (8, 13)
        """
        return bm25_snippet_with_stride(query, content, snippet_size, stride_size(snippet_size), language)

    def get_single_span_document_view(
        self,
        data_id: Hashable,
        snippet_field: Any = None,
        snippet_display_span: Interval | None = None,
        display_fields: Iterable[Any] | None = None,
    ) -> DocumentView:
        """View an exact range of a document, or all of its text, whatever was seen of it.

        Parameters
        ----------
        data_id
            The document.
        snippet_field
            The field that holds its text; without one, the view displays only attributes.
        snippet_display_span
            The range to show, in code points, resolved as `resolve_char_range` does; by default all of the text.
        display_fields
            The fields to display; by default all, in the document's order. Required without a snippet field.

        Raises
        ------
        KeyError
            If there is no such document or it has no such field.
        TypeError
            If the field is not a non-empty ``str``, or there are neither a snippet field nor display fields.
        InvalidCharacterRange
            If the document does not have the range.

        Examples
        --------
        >>> cache = DocumentCache()
        >>> _ = cache.add_document("db-1", {"title": "Numbers", "content": "one two three"})
        >>> cache.get_single_span_document_view("db-1", "content", (4, 99), ["title"]).snippet_display_spans
        [(4, 13)]
        """
        document = self.get_document(data_id)
        if snippet_field is None:
            if display_fields is None:
                raise TypeError(
                    f"a view of document {data_id!r} without snippet_field needs display_fields: by default every "
                    "field would be an attribute, its whole text included; name the fields to list"
                )
            fields = _fields(document, display_fields)
            return DocumentView(data_id, self.to_model_facing_id(data_id), document, fields)
        content = _content(data_id, document, snippet_field)
        span = (0, len(content))
        if snippet_display_span is not None:
            span = self.resolve_char_range(data_id, snippet_field, snippet_display_span)
        fields = _fields(document, display_fields)
        return DocumentViewWithSnippet(
            data_id, self.to_model_facing_id(data_id), document, snippet_field, [], [span], fields
        )

    def resolve_char_range(self, data_id: Hashable, snippet_field: Any, char_range: Interval) -> Interval:
        """Resolve a requested range against a document's text, as the cache's range mode says.

        Returns
        -------
        tuple[int, int]
            ``(start, end)`` in code points, inside the text.

        Raises
        ------
        InvalidCharacterRange
            If the range is malformed or the document does not have it.
        KeyError
            If there is no such document or it has no such field.
        TypeError
            If the field is not a non-empty ``str``.

        Examples
        --------
        >>> cache = DocumentCache()
        >>> _ = cache.add_document("db-1", {"content": "one two three"})
        >>> cache.resolve_char_range("db-1", "content", (-5, 3))
        (0, 3)
        """
        content = _content(data_id, self.get_document(data_id), snippet_field)
        return resolve_char_range(char_range, len(content), mode=self.range_mode, document_id=data_id)

    def update_seen(self, document_view: DocumentView) -> None:
        """Record what a view displays as seen in this fork: all of it or, on an error, none.

        A view that displays no text records no span, but its document is in the ledger then.

        Raises
        ------
        KeyError
            If the view's document is not in the cache.
        AssertionError
            If the view displays an empty span.

        Examples
        --------
        >>> cache = DocumentCache()
        >>> _ = cache.add_document("db-1", {"content": "one two three"})
        >>> cache.update_seen(cache.get_single_span_document_view("db-1", "content", (0, 3)))
        >>> cache.update_seen(cache.get_single_span_document_view("db-1", "content", (3, 7)))
        >>> cache.seen_ledger
        {'db-1': [(0, 7)]}
        """
        data_id = document_view.data_id
        self.get_document(data_id)
        self._ledger.record(self._family.registry.number(data_id), document_view.snippet_display_spans)

    def render_results(
        self,
        results: Iterable[Mapping[Any, Any]],
        query: str,
        *,
        id_field: Any = "id",
        snippet_field: Any = "content",
        snippet_size: int = SNIPPET_SIZE_DEFAULT,
        min_seen_overlap: float = MIN_SEEN_OVERLAP_DEFAULT,
        display_fields: Iterable[Any] | None = None,
        language: str | None = None,
        format: Literal["xml", "markdown"] = "xml",  # noqa: A002
        separator: str = "\n",
    ) -> str:
        r"""Show search results: add, view, render and record each, in one call.

        The text is that of this loop, and afterwards the cache is as after it::

            for result in results:
                document = {field: value for field, value in result.items() if field != id_field}
                cache.add_document(result[id_field], document)
                view = cache.apply_snippet(
                    result[id_field], snippet_field, query, snippet_size, min_seen_overlap, display_fields, language
                )
                rendered.append(view.render_xml())
                cache.update_seen(view)
            return separator.join(rendered)

        With ``format="markdown"`` the views are kept instead of their elements, and the text is
        ``render_markdown_table(views, display_fields)``.

        All results are checked before anything is stored. So, on an error in any of them, no document is in store
        that was not before, no id of an `IdStream` is used up, and nothing counts as seen. Should a value's own
        ``str()`` fail, which only rendering can show, documents may be in store, but still nothing counts as seen. A
        subclass or an object with a step of the loop of its own has its results checked as well, and then goes through
        the loop itself.

        Parameters
        ----------
        results
            The results, best first: mappings from field to value. They are read once. Where an id is known, or stands
            here for the second time, the document in store is shown.
        query
            What the model asked for.
        id_field
            The field that holds a result's data id: any hashable value. It is not part of the document.
        snippet_field
            The field that holds its text: a non-empty ``str``.
        snippet_size
            Tokens to show of each, at least 1.
        min_seen_overlap
            Seen stretches shorter than this, in code points, are shown again.
        display_fields
            The fields to display, the snippet field among them and the id field not; by default all of each document,
            in its order, or, in a table, those of the first.
        language
            Whose stopwords to drop, by default the cache's.
        format
            ``"xml"``: ``<doc>`` elements; ``"markdown"``: one table.
        separator
            What stands between elements.

        Returns
        -------
        str
            The text for the model; ``""`` if there are no results.

        Raises
        ------
        TypeError
            If a result is not a mapping, its id not hashable or its text not a non-empty ``str``, or if an option is
            of the wrong type.
        KeyError
            If a result lacks the id field, the snippet field or one that is to be displayed.
        ValueError
            If the snippet field is not among the display fields, the size is below 1, or the language or the format
            is not supported.
        IdSpaceExhausted
            If the id stream has not as many ids left as there are new documents.

        Examples
        --------
        >>> cache = DocumentCache()
        >>> hits = [{"id": "db-1", "title": "A", "content": "one two three"}, {"id": "db-2", "content": "four five"}]
        >>> shown = cache.render_results(hits, "two")
        >>> print(shown.replace(cache.to_model_facing_id("db-1"), "123456").split("</doc>")[0])
        <doc id="123456" doc_length=13 title="A">
        one two three
        <BLANKLINE>
        >>> cache.seen_ledger
        {'db-1': [(0, 13)], 'db-2': [(0, 9)]}
        """
        request = Request(
            "",
            self,
            results,
            query,
            id_field=id_field,
            snippet_field=snippet_field,
            snippet_size=snippet_size,
            min_seen_overlap=min_seen_overlap,
            display_fields=display_fields,
            language=language,
            format=format,
            separator=separator,
        )
        return render([request], None)[0]

    @property
    def _is_plain(self) -> bool:
        """Whether every step of the loop is done as here."""
        return type(self) is DocumentCache and _STEPS.isdisjoint(vars(self))

    def fork(self, n_forks: int) -> list[DocumentCache]:
        """Make caches that share documents, ids and id stream with this one.

        Each starts with a copy of this one's ledger and then keeps its own. As in the reference SDK, forks of a
        subclass are plain `DocumentCache` objects.

        Parameters
        ----------
        n_forks
            How many.

        Examples
        --------
        >>> cache = DocumentCache()
        >>> one, two = cache.fork(2)
        >>> _ = one.add_document("db-1", {"content": "one two three"})
        >>> "db-1" in two, two.seen_ledger
        (True, {})
        """
        language, range_mode, family = self.language, self.range_mode, self._family
        forks = []
        for _ in range(n_forks):
            # Not by calling the class, which would make a family, and seed an id stream, for nothing.
            fork = _new(DocumentCache)
            fork.language = language
            fork.range_mode = range_mode
            fork._family = family
            fork._ledger = self._ledger.fork()
            forks.append(fork)
        return forks

    def __contains__(self, data_id: Hashable) -> bool:
        return self._family.holds(self._family.documents, data_id)

    def contains_model_facing_id(self, model_facing_id: str) -> bool:
        """Say whether a document has this model-facing id."""
        return self._family.holds(self._family.to_data_id, model_facing_id)

    def to_data_id(self, model_facing_id: str) -> Hashable:
        """Translate an id of the model's.

        Raises
        ------
        KeyError
            If no document has it.
        """
        table = self._family.to_data_id
        try:
            return table[model_facing_id]
        except KeyError:
            return self._family.look_again(table, model_facing_id, "model_facing_id")

    def to_model_facing_id(self, data_id: Hashable) -> str:
        """Translate an id of the application's.

        Raises
        ------
        KeyError
            If no document has it.
        """
        table = self._family.to_model_facing_id
        try:
            return table[data_id]
        except KeyError:
            return self._family.look_again(table, data_id, "data_id")

    def get_document(self, data_id: Hashable) -> Mapping[Any, Any]:
        """Give a document by its data id; treat it as read-only.

        Raises
        ------
        KeyError
            If there is none.
        """
        table = self._family.documents
        try:
            return table[data_id]
        except KeyError:
            return self._family.look_again(table, data_id, "data_id")

    def get_document_from_model_facing_id(self, model_facing_id: str) -> Mapping[Any, Any]:
        """Give a document by its model-facing id; treat it as read-only.

        Raises
        ------
        KeyError
            If there is none.
        """
        return self.get_document(self.to_data_id(model_facing_id))

    def _validate_mapping(self) -> None:
        """Check that the two directions of the id mapping agree.

        Raises
        ------
        ValueError
            If they do not.
        """
        _, to_model_facing_id, to_data_id = self._family.registry.tables()
        _validate_mapping(to_model_facing_id, to_data_id)

    def _validate_store(self) -> None:
        """Check the id mapping, and that just the documents in store are mapped.

        Raises
        ------
        ValueError
            If not.
        """
        documents, to_model_facing_id, to_data_id = self._family.registry.tables()
        _validate_mapping(to_model_facing_id, to_data_id)
        unmapped = [data_id for data_id in documents if data_id not in to_model_facing_id]
        missing = [data_id for data_id in to_model_facing_id if data_id not in documents]
        if unmapped or missing:
            raise ValueError(f"documents without an id: {unmapped!r}; ids without a document: {missing!r}")


_own_snippet_fn = DocumentCache.snippet_fn  # Its spans, unlike those of a subclass, need no check.


def _validate_mapping(to_model_facing_id: Mapping[Hashable, str], to_data_id: Mapping[str, Hashable]) -> None:
    absent = object()
    for data_id, model_facing_id in to_model_facing_id.items():
        back = to_data_id.get(model_facing_id, absent)
        if back is not data_id and back != data_id:
            raise ValueError(f"data_id {data_id!r} maps to {model_facing_id!r}, which does not map back")
    for model_facing_id, data_id in to_data_id.items():
        if to_model_facing_id.get(data_id) != model_facing_id:
            raise ValueError(f"model_facing_id {model_facing_id!r} maps to {data_id!r}, which does not map back")


def _field(data_id: Hashable, document: Mapping[Any, Any], name: Any) -> Any:
    """Give the value of a document's field."""
    try:
        return document[name]
    except KeyError:
        fields = ", ".join(map(repr, document))
        raise KeyError(f"document {data_id!r} has no field {name!r}; it has {fields}") from None


def _require_text(data_id: Hashable, snippet_field: Any, content: Any) -> str:
    """Give the value of a snippet field if there is text in it."""
    if not isinstance(content, str) or not content:
        raise TypeError(
            f"field {snippet_field!r} of document {data_id!r} must be a non-empty str to take a snippet from, "
            f"got {content!r}"
        )
    return content


def _content(data_id: Hashable, document: Mapping[Any, Any], snippet_field: Any) -> str:
    """Give the text of a document's snippet field."""
    return _require_text(data_id, snippet_field, _field(data_id, document, snippet_field))


def _display_fields(
    data_id: Hashable, document: Mapping[Any, Any], snippet_field: Any, display_fields: Iterable[Any]
) -> Collection[Any]:
    """Give the fields that a snippet's view is to display, which must hold that of the text."""
    fields = _fields(document, display_fields)
    if snippet_field not in fields:
        raise ValueError(
            f"display_fields of document {data_id!r} must hold the snippet field {snippet_field!r}, got {fields!r}"
        )
    return fields


def _fields(document: Mapping[Any, Any], display_fields: Iterable[Any] | None) -> Collection[Any]:
    """Give the fields to display as what can be read more than once."""
    if display_fields is None:
        return list(document)
    return display_fields if isinstance(display_fields, Sequence) else list(display_fields)
