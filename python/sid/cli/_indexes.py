"""An index that a command opens, and its results as a model would see them."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..backends.errors import MissingExtra, UnusableIndex
from ..document_cache import DocumentCache
from ..document_rendering import DocumentViewWithSnippet
from ._files import Unreadable, opened
from ._sources import Progress, is_source, source_documents

if TYPE_CHECKING:
    from ..backends.embedder import Embedder
    from ..backends.sources import SourceFault
    from ..backends.sqlite import SqliteBackend

__all__ = ["CannotStart", "cached", "mended", "open_index", "print_view", "queries"]


class CannotStart(Exception):
    """What the command was given cannot be used; the message says what to do."""


@contextlib.contextmanager
def open_index(path: str, *, vectors: bool = False) -> Iterator[SqliteBackend]:
    """Open an index for reading, with the embedder of its vectors if that is asked for.

    A folder of texts or a JSON Lines file is indexed in memory first.

    Raises
    ------
    CannotStart
        If it is none, or its vectors need what is not installed.
    """
    from ..backends.sqlite import SqliteBackend

    with mended():
        embedder = word_llama() if vectors else None
        index = (
            _in_memory(path, embedder) if is_source(path) else SqliteBackend(path, read_only=True, embedder=embedder)
        )
    with index:
        if sources := index.unfinished:
            names = ", ".join(sources)
            print(f"sid: {path} lacks documents of {names}: index that again to finish it", file=sys.stderr)
        with mended():
            yield index


def _in_memory(source: str, embedder: Embedder | None) -> SqliteBackend:
    """Index documents in memory; what of them has a fault is named and left out."""
    from ..backends.sqlite import SqliteBackend

    progress = Progress()

    def fault(found: SourceFault) -> None:
        progress.clear()
        print(f"sid: {found}", file=sys.stderr)

    index = SqliteBackend(embedder=embedder)
    try:
        index.add(source_documents(source, on_fault=fault), progress=progress.show)
        if len(index) == 0:
            raise CannotStart(
                f"there is no document in {source!r}: name a folder of .txt and .md, a JSON Lines file, or an index"
            )
    except Unreadable as error:
        index.close()
        raise CannotStart(f"cannot read {source}: {error}") from None
    except BaseException:
        index.close()
        raise
    finally:
        progress.clear()
    return index


@contextlib.contextmanager
def mended() -> Iterator[None]:
    """Turn what is wrong with an index or the installation into `CannotStart`."""
    import sqlite3

    try:
        yield
    except (UnusableIndex, MissingExtra) as error:
        raise CannotStart(str(error)) from None
    except sqlite3.Error as error:
        raise CannotStart(f"the index cannot be used: {error}; build it again with sid index") from None


def word_llama() -> Embedder:
    """Give the embedder that commands use."""
    from ..backends.embedder import WordLlamaEmbedder

    return WordLlamaEmbedder()


def queries(argument: str) -> Iterator[str]:
    """Give what a positional argument stands for: itself, or for ``-`` the lines of standard input.

    Raises
    ------
    CannotStart
        If standard input cannot be read, or is not UTF-8.
    """
    if argument != "-":
        yield argument
        return
    try:
        with opened("-") as lines:
            for number, raw in enumerate(lines, start=1):
                try:
                    line = raw.decode().rstrip("\r\n")
                except UnicodeDecodeError:
                    raise CannotStart(f"line {number} of standard input is not UTF-8") from None
                if line:
                    yield line
    except Unreadable as error:
        raise CannotStart(f"cannot read standard input: {error}") from None


def cached(cache: DocumentCache, hit: Mapping[str, Any]) -> str:
    """Put a result into the cache, under its own id, and give that."""
    data_id: str = hit["id"]
    cache.add_document(data_id, {name: value for name, value in hit.items() if name != "id"})
    return data_id


def print_view(view: DocumentViewWithSnippet, *, as_json: bool, **context: object) -> None:
    """Write a view, as JSON with what it answers."""
    if as_json:
        record = {
            **context,
            "data_id": view.data_id,
            "model_facing_id": view.model_facing_id,
            "displayed": view.snippet_display_spans,
            "seen": view.snippet_seen_spans,
            "rendered": view.render_xml(),
        }
        sys.stdout.write(json.dumps(record) + "\n")
    else:
        sys.stdout.write(view.render_xml() + "\n")
