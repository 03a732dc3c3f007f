"""The observation formats: ``<doc>`` elements and Markdown tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from .intervals import checked_span

View = tuple[object, Mapping[Any, Any], str, Sequence[Sequence[int]], Sequence[Sequence[int]]]
"""A model-facing id, the document, its text, and the displayed and the seen spans of that."""


def _display(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)


def _escaped(text: str) -> str:
    # Quotes stay as they are: the format was trained so.
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def xml_element(doc_id: object, attributes: dict[object, object], body: str | None) -> str:
    """Give the ``<doc>`` element with ``doc_id``, the truthy ``attributes`` and, unless it is ``None``, ``body``."""
    parts = [f'<doc id="{_escaped(str(doc_id))}"']
    for name, value in list(attributes.items()):
        if not value:
            continue
        written, text = str(name), _escaped(_display(value))
        # Joined, not formatted: str() may give a subclass that formats itself otherwise.
        parts.extend((" ", written, "=", text) if isinstance(value, int) else (" ", written, '="', text, '"'))
    parts.append(">" if body is None else f">\n{_escaped(body)}\n")
    parts.append("</doc>")
    return "".join(parts)


def view_body(content: str, displayed: Iterable[Sequence[int]], seen: Iterable[Sequence[int]]) -> tuple[int, int, str]:
    """Give ``(start, end, body)`` of a view of ``content``.

    That is where its first piece starts and its last one ends, in code points, and its text with seen stretches
    replaced by markers. At least one span is needed. Of pieces that start together, displayed ones come first.
    """
    shown = [(*checked_span(span), False) for span in displayed]
    pieces = [*shown, *((*checked_span(span), True) for span in seen)]
    pieces.sort(key=itemgetter(0))
    start, end = pieces[0][0], pieces[-1][1]
    body = "".join(f'[seen: "#{first}:{last}"]' if is_seen else content[first:last] for first, last, is_seen in pieces)
    if shown and start > 0:
        body = f"... {body}"
    if shown and end < len(content):
        body = f"{body} ..."
    return start, end, body


def snippet_xml(
    model_facing_id: object,
    document: Mapping[Any, Any],
    display_fields: Iterable[Any],
    snippet_field: Any,
    displayed: Iterable[Sequence[int]],
    seen: Iterable[Sequence[int]],
) -> str | None:
    """Give the ``<doc>`` element of a view with a snippet.

    ``None`` if the snippet field holds no string, or there is no span.
    """
    content = document[snippet_field]
    if not issubclass(type(content), str):
        return None
    displayed, seen = list(displayed), list(seen)
    if not displayed and not seen:
        return None
    view = (model_facing_id, document, content, displayed, seen)
    return xml_element(*_snippet_parts(view, display_fields, snippet_field))


def snippet_element(view: View, display_fields: Iterable[Any] | None, snippet_field: Any) -> str:
    """Give the ``<doc>`` element of a view, with all fields unless some are named."""
    fields = list(view[1]) if display_fields is None else display_fields
    return xml_element(*_snippet_parts(view, fields, snippet_field))


def snippet_table(views: Sequence[View], display_fields: Iterable[Any] | None, snippet_field: Any) -> str:
    """Give the Markdown table of views, with the fields of the first unless some are named; nothing for no views."""
    if not views:
        return ""
    fields = list(views[0][1] if display_fields is None else display_fields)
    rows: list[dict[object, object]] = []
    for view in views:
        reference, attributes, body = _snippet_parts(view, fields, snippet_field)
        rows.append({"id": reference, **attributes, snippet_field: body})
    columns = ["id", *(name for name in rows[0] if name != "id" and name not in fields), *fields]
    return markdown_table(columns, rows)


def _snippet_parts(
    view: View, display_fields: Iterable[Any], snippet_field: Any
) -> tuple[str, dict[object, object], str]:
    """Give the reference, the attributes and the body of a view."""
    model_facing_id, document, content, displayed, seen = view
    start, end, body = view_body(content, displayed, seen)
    reference = str(model_facing_id)
    if displayed and (start, end) != (0, len(content)):
        reference = "".join((reference, f"#{start}:{end}"))
    attributes: dict[object, object] = {"doc_length": len(content)}
    for field in display_fields:
        if field != snippet_field:
            attributes[field] = document[field]
    return reference, attributes, body


def markdown_table(columns: list[object], rows: list[dict[object, object]]) -> str:
    """Give a Markdown table of ``rows``, each a dict from column to value; an absent cell is empty."""
    names = list(map(str, columns))
    lines = ["| " + " | ".join(names) + " |", "|" + "".join("-" * (len(name) + 2) + "|" for name in names)]
    for row in rows:
        cells = (_cell(_display(row[column])) if column in row else "" for column in columns)
        lines.append("|" + "".join(f" {cell} |" for cell in cells))
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
