"""``sid render``: documents from JSON Lines, shown for a query as a model would see them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

from ..backends.jsonl import JsonlFault, json_object
from ..document_cache import DocumentCache
from ..document_rendering import DocumentViewWithSnippet, render_markdown_table
from ..id_stream import IdSpaceExhausted
from ._files import Unreadable, opened, shown_name

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> int:
    """Render every document; give 0, or 1 if a line had a fault, or 2 if something could not be read."""
    if arguments.id_field == arguments.field:
        print(f"sid render: --field and --id-field both name {arguments.field!r}; name two fields", file=sys.stderr)
        return 2
    try:
        rendering = _Rendering(DocumentCache(arguments.language), arguments)
    except ValueError as error:
        print(f"sid render: {error}", file=sys.stderr)
        return 2
    try:
        with opened(arguments.file) as lines:
            return rendering.render(lines)
    except Unreadable as error:
        print(f"sid render: cannot read {rendering.name}: {error}", file=sys.stderr)
        return 2


@dataclass
class _Rendering:
    """One run over a file."""

    cache: DocumentCache
    arguments: argparse.Namespace
    views: list[DocumentViewWithSnippet] = field(default_factory=list)

    @property
    def name(self) -> str:
        """What errors call the file."""
        return shown_name(self.arguments.file)

    def render(self, lines: Iterator[bytes]) -> int:
        failed = False
        for line, raw in enumerate(lines, start=1):
            try:
                document = json_object(line, raw)
                if document is not None:
                    self.show(self.view(line, document))
            except JsonlFault as fault:
                failed = True
                print(f"sid render: {self.name}:{fault.line}:{fault.column}: {fault}", file=sys.stderr)
                if self.arguments.strict:
                    break
        if self.views:
            sys.stdout.write(_table(self.views) + "\n")
        return 1 if failed else 0

    def view(self, line: int, document: dict[str, Any]) -> DocumentViewWithSnippet:
        """Add a document without its id field, view its snippet and record it."""
        id_field, text_field = self.arguments.id_field, self.arguments.field
        data_id, content = document.pop(id_field, None), document.get(text_field)
        if not isinstance(data_id, str | int) or isinstance(data_id, bool):
            self.refuse(line, f"needs a string or a whole number in field {id_field!r}", data_id)
        if not isinstance(content, str) or not content:
            self.refuse(line, f"needs a non-empty string in field {text_field!r}", content)
        try:
            if data_id in self.cache and self.cache.get_document(data_id) != document:
                raise JsonlFault(line, 1, f"the id {data_id!r:.60} was given to another document on an earlier line")
            self.cache.add_document(data_id, document)
        except RecursionError:
            raise JsonlFault(line, 1, "the document is nested too deeply") from None
        except IdSpaceExhausted as error:
            raise JsonlFault(line, 1, str(error)) from None
        view = self.cache.apply_snippet(data_id, text_field, self.arguments.query, self.arguments.snippet_size)
        self.cache.update_seen(view)
        return view

    def refuse(self, line: int, need: str, got: object) -> NoReturn:
        shown = "nothing" if got is None else f"{got!r:.60}"
        raise JsonlFault(line, 1, f"the document {need}, got {shown}")

    def show(self, view: DocumentViewWithSnippet) -> None:
        """Write a view in one piece; the rows of a table wait for its end."""
        markdown = self.arguments.format == "markdown"
        if self.arguments.json:
            record = {
                "data_id": view.data_id,
                "model_facing_id": view.model_facing_id,
                "displayed": view.snippet_display_spans,
                "seen": view.snippet_seen_spans,
                "rendered": render_markdown_table([view]) if markdown else view.render_xml(),
            }
            sys.stdout.write(json.dumps(record) + "\n")
        elif markdown:
            self.views.append(view)
        else:
            sys.stdout.write(view.render_xml() + "\n")


def _table(views: list[DocumentViewWithSnippet]) -> str:
    """Give a table with a column for every field of any document."""
    fields = list(dict.fromkeys(name for view in views for name in view.display_fields))
    for view in views:
        view.document = {**dict.fromkeys(fields, ""), **view.document}
    return render_markdown_table(views, fields)
