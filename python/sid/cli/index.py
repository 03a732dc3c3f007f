"""``sid index``: documents from JSON Lines or folders of texts into an index in one file."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import TYPE_CHECKING

from ._files import Unreadable, shown_name
from ._indexes import CannotStart, mended, word_llama
from ._sources import Progress, source_documents

if TYPE_CHECKING:
    from ..backends.sources import SourceFault
    from ..backends.sqlite import SqliteBackend

__all__ = ["run"]

INTERRUPTED = 130


def run(arguments: argparse.Namespace) -> int:
    """Index every source; give 0, or 1 if something in one had a fault, or 2 if something cannot be used."""
    if arguments.id_field == arguments.field:
        print(f"sid index: --field and --id-field both name {arguments.field!r}; name two fields", file=sys.stderr)
        return 2
    try:
        with mended():
            return _Indexing(arguments).run()
    except CannotStart as error:
        print(f"sid index: {error}", file=sys.stderr)
        return 2


class _Stopped(Exception):
    """A fault, where the first one is to stop the command."""


class _Indexing:
    """One run over the sources."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.left_out = 0
        self.sums = dict.fromkeys(("added", "replaced", "unchanged"), 0)
        self.progress = Progress()

    def run(self) -> int:
        from ..backends.sqlite import SqliteBackend

        for source in self.arguments.source:
            if source != "-" and not os.path.exists(source):
                raise CannotStart(f"there is no file or folder {source!r:.200}")
            if source == "-" and not hasattr(sys.stdin, "buffer"):  # before an empty index is made
                raise CannotStart("cannot read standard input: it is closed, or holds no bytes; give it JSON lines")
        try:
            index = SqliteBackend(
                self.arguments.into,
                language=self.arguments.language,
                heading_field=self.arguments.title_field,
                embedder=word_llama() if self.arguments.vectors else None,
            )
        except ValueError as error:
            raise CannotStart(str(error)) from None
        with index:
            for source in self.arguments.source:
                code = self._add(index, source)
                if code:
                    return code
            self._report(len(index))
        return 1 if self.left_out else 0

    def _add(self, index: SqliteBackend, source: str) -> int:
        """Add a source's documents; give an exit code other than 0 if that was the end."""
        try:
            documents = source_documents(
                source,
                id_field=self.arguments.id_field,
                content_field=self.arguments.field,
                on_fault=self._fault,
            )
            done = index.add(documents, source=shown_name(source), progress=self.progress.show)
        except _Stopped:
            return 1
        except Unreadable as error:
            raise CannotStart(f"cannot read {shown_name(source)}: {error}") from None
        except KeyboardInterrupt:
            self.progress.clear()
            print("sid index: interrupted; run the same command again to go on", file=sys.stderr)
            return INTERRUPTED
        finally:
            self.progress.clear()
        for outcome in self.sums:
            self.sums[outcome] += getattr(done, outcome)
        return 0

    def _fault(self, fault: SourceFault) -> None:
        self.progress.clear()
        print(f"sid index: {fault}", file=sys.stderr)
        self.left_out += 1
        if self.arguments.strict:
            raise _Stopped

    def _report(self, documents: int) -> None:
        if self.arguments.json:
            record = {"index": self.arguments.into, **self.sums, "left_out": self.left_out, "documents": documents}
            print(json.dumps(record))
            return
        outcomes = ", ".join(f"{count:,} {outcome}" for outcome, count in self.sums.items())
        faults = f", {self.left_out:,} left out" if self.left_out else ""
        print(f"{self.arguments.into}: {outcomes}{faults}; {documents:,} documents in all")
