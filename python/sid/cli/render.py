"""``sid render``: documents from JSON Lines, shown for a query as a model would see them."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO, NoReturn

from ..document_cache import DocumentCache
from ..document_rendering import DocumentViewWithSnippet, render_markdown_table
from ..id_stream import IdSpaceExhausted

__all__ = ["run"]


class Fault(Exception):
    """A line that cannot be rendered."""

    def __init__(self, line: int, column: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


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
        with _opened(arguments.file) as file:
            return rendering.render(_lines(file))
    except _Unreadable as error:
        print(f"sid render: cannot read {rendering.name}: {error}", file=sys.stderr)
        return 2


class _Unreadable(Exception):
    """The file, or the rest of it, cannot be read."""


@contextlib.contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    if name == "-":
        if not hasattr(sys.stdin, "buffer"):
            raise _Unreadable("it is closed, or holds no bytes")
        yield sys.stdin.buffer
        return
    try:
        file = open(name, "rb")  # noqa: SIM115
    except OSError as error:
        raise _Unreadable(error.strerror) from None
    with file:
        yield file


def _lines(file: BinaryIO) -> Iterator[bytes]:
    try:
        yield from file
    except OSError as error:
        raise _Unreadable(error.strerror) from None


@dataclass
class _Rendering:
    """One run over a file."""

    cache: DocumentCache
    arguments: argparse.Namespace
    views: list[DocumentViewWithSnippet] = field(default_factory=list)

    @property
    def name(self) -> str:
        """What errors call the file."""
        return "standard input" if self.arguments.file == "-" else str(self.arguments.file)

    def render(self, lines: Iterator[bytes]) -> int:
        failed = False
        for line, raw in enumerate(lines, start=1):
            try:
                for document in _documents(line, raw):
                    self.show(self.view(line, document))
            except Fault as fault:
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
                raise Fault(line, 1, f"the id {data_id!r:.60} was given to another document on an earlier line")
            self.cache.add_document(data_id, document)
        except RecursionError:
            raise Fault(line, 1, "the document is nested too deeply") from None
        except IdSpaceExhausted as error:
            raise Fault(line, 1, str(error)) from None
        view = self.cache.apply_snippet(data_id, text_field, self.arguments.query, self.arguments.snippet_size)
        self.cache.update_seen(view)
        return view

    def refuse(self, line: int, need: str, got: object) -> NoReturn:
        shown = "nothing" if got is None else f"{got!r:.60}"
        raise Fault(line, 1, f"the document {need}, got {shown}")

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


def _documents(line: int, raw: bytes) -> Iterator[dict[str, Any]]:
    """Give the document of a line, or nothing if the line is blank."""
    if line == 1:
        raw = raw.removeprefix(b"\xef\xbb\xbf")  # a byte order mark
    raw = raw.rstrip(b"\r\n")  # so that an error at the end of the line is on it
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        column = len(raw[: error.start].decode()) + 1
        raise Fault(line, column, f"byte {raw[error.start]:#04x} is not UTF-8; save the file as UTF-8") from None
    if not text.strip():
        return
    try:
        document = json.loads(
            text, parse_constant=_finite, parse_float=_finite, parse_int=int, object_pairs_hook=_object
        )
    except json.JSONDecodeError as error:
        raise Fault(line, error.colno, f"not JSON: {error.msg}; write one JSON object a line") from None
    except _TwiceNamed as error:
        raise Fault(line, 1, str(error)) from None
    except ValueError as error:
        raise Fault(line, _column_of_bad_number(text), f"not JSON that can be read: {error}") from None
    except RecursionError as error:
        raise Fault(line, 1, f"not JSON that can be read: {error}") from None
    if not isinstance(document, dict):
        raise Fault(line, 1, f"a document must be a JSON object, got {text.strip()!r:.60}")
    yield document


class _TwiceNamed(Exception):
    """An object names a key twice."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _TwiceNamed(f"the key {twice!r:.60} stands twice in one object")
    return found


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(f"{number:.60} is not a finite number")
    return value


# A string, which is passed over, or a number or what some take for one.
_NUMBERS = re.compile(r'"(?:[^"\\]|\\.)*"|(-?[\dIN][\w.+-]*)')


def _column_of_bad_number(text: str) -> int:
    """Find the first number in a JSON text that cannot be read."""
    for match in _NUMBERS.finditer(text):
        number = match[1]
        try:
            if number is not None:
                int(number) if number.lstrip("-").isdigit() else _finite(number)
        except ValueError:
            return match.start() + 1
    return 1
