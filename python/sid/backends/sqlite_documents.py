"""Documents as the rows of an index in SQLite."""

from __future__ import annotations

import sqlite3
from typing import Any

from .documents import Document

__all__ = ["COLUMNS", "document_of", "numbered"]

COLUMNS = "document.id, document.digest, document.content, document.fields"
"""What `document_of` needs of a row."""


def document_of(row: tuple[Any, ...]) -> Document:
    """Give the document of a row of `COLUMNS`.

    Raises
    ------
    sqlite3.DatabaseError
        As SQLite does for a damaged file, if it is not what was written.
    """
    try:
        return Document.from_packed(*row)
    except (TypeError, ValueError) as error:
        raise sqlite3.DatabaseError(str(error)) from None


def numbered(connection: sqlite3.Connection, number: int) -> Document:
    """Give the document of a number that is there."""
    row = connection.execute(f"SELECT {COLUMNS} FROM document WHERE number = ?", (number,)).fetchone()  # noqa: S608
    return document_of(row)
