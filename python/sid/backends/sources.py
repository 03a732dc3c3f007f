"""Documents from files: JSON Lines, and folders of texts."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from .documents import CONTENT, ID, Document
from .jsonl import JsonlFault, json_object

__all__ = ["TEXT_SUFFIXES", "SourceFault", "folder_documents", "jsonl_documents"]

TEXT_SUFFIXES = (".md", ".txt")
"""The files of a folder that are taken, whatever the case of their letters."""

TITLE = "title"


class SourceFault(ValueError):
    """Something in a source that is no document. The message begins with where it is."""


def jsonl_documents(
    source: str | os.PathLike[str] | Iterable[bytes],
    *,
    id_field: str = ID,
    content_field: str = CONTENT,
    name: str | None = None,
    on_fault: Callable[[SourceFault], None] | None = None,
) -> Iterator[dict[str, Any]]:
    """Give the documents of a JSON Lines file: an object a line, blank lines left out.

    Parameters
    ----------
    source
        The file's path, or its lines.
    id_field, content_field
        The fields that become ``"id"`` and ``"content"``. An id that is an integer becomes a string of its digits.
    name
        What faults call the source; by default its path.
    on_fault
        Called for a line that cannot be used, which is then left out. By default the fault is raised.

    Raises
    ------
    SourceFault
        If a line is no JSON object, or none that an index can keep.
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> list(jsonl_documents([b'{"key": 7, "text": "owls"}'], id_field="key", content_field="text"))
    [{'id': '7', 'content': 'owls'}]
    """
    if isinstance(source, str | os.PathLike):
        with open(source, "rb") as file:
            yield from jsonl_documents(
                file, id_field=id_field, content_field=content_field, name=name or os.fspath(source), on_fault=on_fault
            )
        return
    for line, raw in enumerate(source, start=1):
        try:
            found = json_object(line, raw)
            document = None if found is None else _renamed(line, found, id_field, content_field)
        except JsonlFault as error:
            _report(SourceFault(f"{name or 'line'}:{error.line}:{error.column}: {error}"), on_fault)
            continue
        if document is not None:
            yield document


def folder_documents(
    folder: str | os.PathLike[str], *, on_fault: Callable[[SourceFault], None] | None = None
) -> Iterator[dict[str, Any]]:
    """Give the ``.txt`` and ``.md`` files of a folder and the folders in it, in the order of their ids.

    A file's id is its path in the folder, parted by ``/``; its title is its name without the suffix. Files with no
    text are left out, as are links to files outside of the folder and to other folders, and everything whose name
    begins with a dot.

    Parameters
    ----------
    folder
        Its path.
    on_fault
        Called for a file that cannot be read as UTF-8, which is then left out. By default the fault is raised.

    Raises
    ------
    SourceFault
        If a file is not a regular one, cannot be read or is not UTF-8.
    NotADirectoryError
        If there is no such folder.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "owls.md").write_text("They hunt at night.")
    ...     list(folder_documents(folder))
    [{'id': 'owls.md', 'title': 'owls', 'content': 'They hunt at night.'}]
    """
    root = Path(folder)
    if not root.is_dir():
        raise NotADirectoryError(f"{os.fspath(folder)!r} is not a folder")
    inside = root.resolve()
    for document_id, path in sorted(_text_files(root, on_fault)):
        try:
            if not path.resolve().is_relative_to(inside):
                continue
            if not stat.S_ISREG(path.stat().st_mode):  # to open a FIFO would wait for whoever writes to it
                _report(SourceFault(f"{path}: is not a regular file; put its text in one"), on_fault)
                continue
            content = path.read_bytes().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            _report(SourceFault(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8"), on_fault)
            continue
        except (OSError, RuntimeError) as error:  # a circle of links is a RuntimeError
            _report(SourceFault(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}"), on_fault)
            continue
        if content:
            yield {ID: document_id, TITLE: path.stem, CONTENT: content}


def _text_files(root: Path, on_fault: Callable[[SourceFault], None] | None) -> Iterator[tuple[str, Path]]:
    def skip(error: OSError) -> None:
        _report(SourceFault(f"{error.filename}: cannot be read: {error.strerror}"), on_fault)

    for folder, folders, names in os.walk(root, onerror=skip):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = Path(folder, name)
            if not name.startswith(".") and path.suffix.lower() in TEXT_SUFFIXES:
                yield path.relative_to(root).as_posix(), path


def _renamed(line: int, found: dict[str, Any], id_field: str, content_field: str) -> dict[str, Any]:
    original_id, content = found.pop(id_field, None), found.pop(content_field, None)
    if isinstance(original_id, int) and not isinstance(original_id, bool):
        with contextlib.suppress(ValueError):  # too many digits: not a str then, and refused
            original_id = str(original_id)
    for field, value in ((id_field, original_id), (content_field, content)):
        if not isinstance(value, str) or not value:
            shown = "nothing" if value is None else f"{value!r:.60}"
            raise JsonlFault(line, 1, f"the document needs a non-empty string in field {field!r}, got {shown}")
    if taken := [field for field in (ID, CONTENT) if field in found]:
        raise JsonlFault(
            line, 1, f"the field {taken[0]!r} would stand twice; it is the name of {id_field!r} or {content_field!r}"
        )
    document = {ID: original_id, **found, CONTENT: content}
    try:
        Document.of(document)
    except (TypeError, ValueError) as error:
        raise JsonlFault(line, 1, str(error)) from None
    return document


def _report(fault: SourceFault, on_fault: Callable[[SourceFault], None] | None) -> None:
    if on_fault is None:
        raise fault
    on_fault(fault)
