"""Documents from what a command line names, a JSON Lines file or a folder of texts, and how far reading them is."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..backends.documents import CONTENT, ID
from ._files import opened, shown_name

if TYPE_CHECKING:
    from ..backends.ingest import Ingested
    from ..backends.sources import SourceFault

__all__ = ["Progress", "is_source", "source_documents"]

LINES_SUFFIXES = (".jsonl", ".ndjson")

_DATABASE = b"SQLite format 3\0"


def is_source(path: str) -> bool:
    """Say whether a path is of documents rather than an index: a folder, or a file named as JSON Lines are."""
    if os.path.isdir(path):
        return True
    if not path.lower().endswith(LINES_SUFFIXES) or not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as file:
            return file.read(len(_DATABASE)) != _DATABASE
    except OSError:
        return True  # whoever reads it will say why it cannot be read


def source_documents(
    source: str, *, on_fault: Callable[[SourceFault], None], id_field: str = ID, content_field: str = CONTENT
) -> Iterator[dict[str, Any]]:
    """Give the documents of a JSON Lines file, of a folder of texts, or of standard input (``-``).

    Raises
    ------
    Unreadable
        If it cannot be read.
    """
    from ..backends.sources import folder_documents, jsonl_documents

    if source != "-" and os.path.isdir(source):
        yield from folder_documents(source, on_fault=on_fault)
        return
    with opened(source) as lines:
        yield from jsonl_documents(
            lines, id_field=id_field, content_field=content_field, name=shown_name(source), on_fault=on_fault
        )


class Progress:
    """A line on standard error that tells how far the work is, if someone is there to see it."""

    def __init__(self) -> None:
        self.visible = sys.stderr is not None and sys.stderr.isatty()
        self.started = time.monotonic()
        self.shown = False

    def show(self, done: Ingested) -> None:
        """Show how many documents are done."""
        if self.visible:
            rate = done.total / max(time.monotonic() - self.started, 1e-3)
            sys.stderr.write(f"\r\033[K{done.total:,} documents, {rate:,.0f} a second")
            sys.stderr.flush()
            self.shown = True

    def clear(self) -> None:
        """Take the line away."""
        if self.shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
            self.shown = False
