"""Views of documents, and how a language model is shown them.

A view says which fields of a document to display and, for its snippet field, which stretches to display and which to
mask as seen. It holds the document itself: rendering reads the fields anew.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any

from . import _kernels

__all__ = [
    "ID_SEPARATOR",
    "SPAN_SEPARATOR",
    "DocumentView",
    "DocumentViewWithSnippet",
    "parse_rendered_model_facing_id",
    "render_markdown_table",
]

Span = tuple[int, int]

ID_SEPARATOR = "#"
SPAN_SEPARATOR = ":"

# White space is what str.strip() takes; \d is a decimal digit of any script.
_OFFSET = re.compile(r"-?\d+")
_QUOTED_CHARACTERS = 200


def parse_rendered_model_facing_id(model_id_with_char_span: str) -> tuple[str, Span | None]:
    """Take a reference apart: ``id`` or ``id#start:end``.

    Parameters
    ----------
    model_id_with_char_span
        The reference, as a model wrote it. White space may stand around each offset; an offset is an optional ``-``
        and decimal digits of any script.

    Returns
    -------
    tuple[str, tuple[int, int] | None]
        The id, and the range in code points if there is one. The range is not checked against any document.

    Raises
    ------
    ValueError
        If it is anything else. The message is meant for the model: it quotes the reference and shows the right form.

    Examples
    --------
    >>> parse_rendered_model_facing_id("004218")
    ('004218', None)
    >>> parse_rendered_model_facing_id("004218#10:70")
    ('004218', (10, 70))
    """
    reference = model_id_with_char_span
    quoted = f"document reference {shortened(reference)}"
    if not isinstance(reference, str) or not reference:
        raise ValueError(f"{quoted} is not usable: it must be a non-empty string such as '123456' or '123456#10:70'")
    model_id, separator, span = reference.partition(ID_SEPARATOR)
    if not model_id:
        raise ValueError(f"{quoted} has no id before '#': write it as '123456' or '123456#10:70'")
    if not separator:
        return model_id, None
    form = f"write it as {shortened(model_id + '#10:70')}, with whole numbers as character offsets"
    offsets = [offset.strip() for offset in span.split(SPAN_SEPARATOR)]
    if len(offsets) != 2:
        raise ValueError(f"{quoted} does not have exactly two offsets after '#': {form}")
    if not all(map(_OFFSET.fullmatch, offsets)):
        raise ValueError(f"{quoted} has an offset that is not an integer: {form}")
    try:
        start, end = map(int, offsets)
    except ValueError:  # Python converts only so many digits
        raise ValueError(f"{quoted} has an offset of too many digits: {form}") from None
    if start >= end:
        raise ValueError(f"{quoted} names an empty range: start must be < end; {form}")
    return model_id, (start, end)


def shortened(value: object) -> str:
    """Write a value for a message, but not all of a long one."""
    try:
        text = repr(value)
    except ValueError:  # Python writes no integer of thousands of digits
        text = f"of type {type(value).__name__}"
    return text if len(text) <= _QUOTED_CHARACTERS else f"{text[:_QUOTED_CHARACTERS]}…"


class DocumentView:
    """A view that displays fields of a document as attributes, and no text.

    Parameters
    ----------
    data_id
        The document's id in the application.
    model_facing_id
        The document's id for the model.
    document
        The document: a mapping from field to value.
    display_fields
        The fields to display, in order.

    Attributes
    ----------
    data_id, model_facing_id, document, display_fields
        As given.
    snippet_display_spans : list[tuple[int, int]]
        Always empty: such a view displays no text.

    Examples
    --------
    >>> document = {"title": "A < B", "year": 1999, "tags": ["x", "y"]}
    >>> DocumentView("db-1", "123456", document, ["title", "year", "tags"]).render_xml()
    '<doc id="123456" title="A &lt; B" year=1999 tags="x, y"></doc>'
    """

    def __init__(
        self, data_id: Hashable, model_facing_id: str, document: Mapping[Any, Any], display_fields: Collection[Any]
    ) -> None:
        self.data_id = data_id
        self.model_facing_id = model_facing_id
        self.document = document
        self.display_fields = display_fields
        self.snippet_display_spans: list[Span] = []

    def _render_parts(self, display_fields: Iterable[Any] | None = None) -> tuple[str, dict[Any, Any], str | None]:
        """Give what a rendering is made from: the reference, the attributes by name, and the body if there is one.

        Subclasses may override it; both renderings follow.

        Raises
        ------
        KeyError
            If the document lacks a field.
        """
        fields = self.display_fields if display_fields is None else display_fields
        return self.model_facing_id, {field: self.document[field] for field in fields}, None

    def render_xml(self) -> str:
        """Render the view as a ``<doc>`` element, the format that SID-2 is trained on.

        Attributes whose value is falsy are left out. ``&``, ``<`` and ``>`` are escaped in the id, in values and in
        the body; quotes and attribute names are written as they are.

        Raises
        ------
        KeyError
            If the document lacks a display field.
        """
        doc_id, attributes, body = self._render_parts()
        if body is not None and not isinstance(body, str):
            raise TypeError(f"the body of document {self.data_id!r} must be a str or None, got {body!r}")
        return _kernels.xml_element(doc_id, dict(attributes), body)


class DocumentViewWithSnippet(DocumentView):
    """A view that displays stretches of one field's text, and the other fields as attributes.

    Parameters
    ----------
    data_id, model_facing_id, document, display_fields
        As of `DocumentView`.
    snippet_field
        The field that holds the text.
    snippet_seen_spans
        Stretches to mask, as ``(start, end)`` in code points.
    snippet_display_spans
        Stretches to display, as ``(start, end)`` in code points.

    Attributes
    ----------
    data_id, model_facing_id, document, display_fields, snippet_field, snippet_seen_spans, snippet_display_spans
        As given.

    Examples
    --------
    >>> document = {"title": "T", "text": "one two three four"}
    >>> view = DocumentViewWithSnippet("d", "123456", document, "text", [(4, 7)], [(7, 13)], ["title", "text"])
    >>> print(view.render_xml())
    <doc id="123456#4:13" doc_length=18 title="T">
    ... [seen: "#4:7"] three ...
    </doc>
    """

    def __init__(
        self,
        data_id: Hashable,
        model_facing_id: str,
        document: Mapping[Any, Any],
        snippet_field: Any,
        snippet_seen_spans: list[Span],
        snippet_display_spans: list[Span],
        display_fields: Collection[Any],
    ) -> None:
        # Not by way of DocumentView, which takes a third of the time.
        self.data_id = data_id
        self.model_facing_id = model_facing_id
        self.document = document
        self.display_fields = display_fields
        self.snippet_field = snippet_field
        self.snippet_seen_spans = snippet_seen_spans
        self.snippet_display_spans = snippet_display_spans

    def _render_parts(self, display_fields: Iterable[Any] | None = None) -> tuple[str, dict[Any, Any], str | None]:
        """Give what a rendering is made from, as of `DocumentView`, with ``doc_length`` before the display fields.

        Raises
        ------
        KeyError
            If the document lacks a field.
        ValueError
            If the view has no span at all.
        """
        self._require_spans()
        content = self.document[self.snippet_field]
        if not isinstance(content, str):
            raise TypeError(
                f"field {self.snippet_field!r} of document {self.data_id!r} must be a str to be displayed, "
                f"got {content!r}"
            )
        start, end, body = _kernels.view_body(content, self.snippet_display_spans, self.snippet_seen_spans)
        length = len(content)
        reference = str(self.model_facing_id)
        if self.snippet_display_spans and (start, end) != (0, length):
            reference = f"{reference}{ID_SEPARATOR}{start}{SPAN_SEPARATOR}{end}"
        fields = self.display_fields if display_fields is None else display_fields
        attributes: dict[Any, Any] = {"doc_length": length}
        for field in fields:
            if field != self.snippet_field:
                attributes[field] = self.document[field]
        return reference, attributes, body

    def _require_spans(self) -> None:
        if not self.snippet_display_spans and not self.snippet_seen_spans:
            raise ValueError(
                f"the view of document {self.data_id!r} has neither a span to display nor a seen one; "
                "a view of no text is a DocumentView"
            )

    def render_xml(self) -> str:
        """Render the view as a ``<doc>`` element, the format that SID-2 is trained on.

        Attributes whose value is falsy are left out. ``&``, ``<`` and ``>`` are escaped in the id, in values and in
        the body; quotes and attribute names are written as they are. A stretch that is masked is
        ``[seen: "#start:end"]``.

        Raises
        ------
        KeyError
            If the document lacks a display field or the snippet field.
        TypeError
            If the snippet field does not hold a ``str``.
        ValueError
            If the view has no span at all.
        """
        # What `_render_parts` gives, in one call; a subclass may give something else.
        if type(self)._render_parts is _own_parts:
            rendered = _kernels.snippet_xml(
                self.model_facing_id,
                self.document,
                self.display_fields,
                self.snippet_field,
                self.snippet_display_spans,
                self.snippet_seen_spans,
            )
            if rendered is not None:
                return rendered
        return super().render_xml()


_own_parts = DocumentViewWithSnippet._render_parts


def render_markdown_table(document_views: Sequence[DocumentView], display_fields: Iterable[Any] | None = None) -> str:
    r"""Render views as one Markdown table, a row a view.

    Parameters
    ----------
    document_views
        The views. The first one's attributes decide the columns.
    display_fields
        The fields to display, in order; by default the first view's.

    Returns
    -------
    str
        The table without a line feed at its end, or ``""`` if there are no views. In cells ``|`` becomes ``\|`` and
        a line feed becomes a space; nothing else is escaped.

    Raises
    ------
    KeyError
        If a document lacks a field.

    Examples
    --------
    >>> views = [DocumentView("d", "123456", {"title": "A|B", "year": 0}, ["title", "year"])]
    >>> print(render_markdown_table(views))
    | id | title | year |
    |----|-------|------|
    | 123456 | A\|B | 0 |
    """
    if not document_views:
        return ""
    fields = list(document_views[0].display_fields if display_fields is None else display_fields)
    rows: list[dict[Any, Any]] = []
    for view in document_views:
        doc_id, attributes, body = view._render_parts(fields)
        row = {"id": doc_id, **attributes}
        if isinstance(view, DocumentViewWithSnippet):
            row[view.snippet_field] = body
        rows.append(row)
    columns = ["id", *(name for name in rows[0] if name != "id" and name not in fields), *fields]
    return _kernels.markdown_table(columns, rows)
