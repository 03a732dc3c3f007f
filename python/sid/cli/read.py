"""``sid read``: a document of an index, or a range of it, shown as a model would see it."""

from __future__ import annotations

import argparse
import re
import sys
from typing import TYPE_CHECKING

from ..document_cache import DocumentCache
from ..document_rendering import DocumentViewWithSnippet
from ..episode.observations import READ_CHARACTERS
from ..ranges import InvalidCharacterRange
from ._indexes import CannotStart, cached, open_index, print_view, queries

if TYPE_CHECKING:
    from ..backends.sqlite import SqliteBackend

__all__ = ["run"]

_RANGE = re.compile(r"(\d{1,18}):(\d{1,18})", re.ASCII)
_ID_AND_RANGE = re.compile(r"(.+)#(\d{1,18}:\d{1,18})", re.ASCII | re.DOTALL)


def run(arguments: argparse.Namespace) -> int:
    """Show what was asked for; give 0, or 1 if a document or its range is not there, or 2 if nothing can be read."""
    failed = False
    try:
        asked = None if arguments.range is None else _range(arguments.range)
        with open_index(arguments.index) as index:
            cache = DocumentCache(index.language)
            for text in queries(arguments.id):
                document_id, span = _located(index, text, asked)
                try:
                    data_id = cached(cache, index.get(document_id))
                    view = cache.get_single_span_document_view(data_id, "content", span)
                except KeyError:
                    failed = True
                    print(f"sid read: {arguments.index} has no document {document_id!r:.200}", file=sys.stderr)
                except InvalidCharacterRange as error:
                    failed = True
                    print(f"sid read: {error}", file=sys.stderr)
                else:
                    if isinstance(view, DocumentViewWithSnippet):
                        print_view(view, as_json=arguments.json)
    except CannotStart as error:
        print(f"sid read: {error}", file=sys.stderr)
        return 2
    return 1 if failed else 0


def _located(index: SqliteBackend, text: str, asked: tuple[int, int] | None) -> tuple[str, tuple[int, int]]:
    """Give the id and the range of ``ID`` or ``ID#START:END``, which may be an id itself."""
    if asked is not None:
        return text, asked
    match = _ID_AND_RANGE.fullmatch(text)
    if match is None or text in index:
        return text, (0, READ_CHARACTERS)
    return match[1], _range(match[2])


def _range(text: str) -> tuple[int, int]:
    match = _RANGE.fullmatch(text)
    if match is None:
        raise CannotStart(f"--range {text!r:.80} is not START:END, whole numbers of characters from 0")
    return int(match[1]), int(match[2])
