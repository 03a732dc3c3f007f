"""Files that a command reads, standard input among them."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import BinaryIO

__all__ = ["Unreadable", "opened", "shown_name"]


class Unreadable(Exception):
    """The file, or the rest of it, cannot be read."""


def shown_name(name: str) -> str:
    """Give what errors call the file."""
    return "standard input" if name == "-" else name


@contextlib.contextmanager
def opened(name: str) -> Iterator[Iterator[bytes]]:
    """Give the lines of a file; ``-`` is standard input.

    Raises
    ------
    Unreadable
        If it cannot be opened; while it is read, if reading fails.
    """
    if name == "-":
        if not hasattr(sys.stdin, "buffer"):
            raise Unreadable("it is closed, or holds no bytes")
        yield _lines(sys.stdin.buffer)
        return
    try:
        file = open(name, "rb")  # noqa: SIM115
    except OSError as error:
        raise Unreadable(error.strerror) from None
    with file:
        yield _lines(file)


def _lines(file: BinaryIO) -> Iterator[bytes]:
    try:
        yield from file
    except OSError as error:
        raise Unreadable(error.strerror) from None
