"""Filters as SQL. Names and values are parameters; no text of a filter is ever part of a statement."""

from __future__ import annotations

from collections.abc import Sequence

from .documents import encoded
from .filters import AnyOf, Between

__all__ = ["allowed"]


def allowed(conditions: Sequence[AnyOf | Between], column: str) -> tuple[str, list[bytes | int]]:
    """Give what to append to a ``WHERE`` clause so that ``column``, a document's number, meets the conditions.

    Parameters
    ----------
    conditions
        All of which must hold.
    column
        The column's name, which is ours.

    Returns
    -------
    tuple[str, list[bytes | int]]
        The SQL, empty or beginning with ``AND``, and the values of its parameters.

    Examples
    --------
    >>> allowed([AnyOf("author", (b"sAda",))], "number")
    (' AND number IN (SELECT document FROM field WHERE name = ? AND key IN (?))', [b'author', b'sAda'])
    """
    sql, values = "", list[bytes | int]()
    for condition in conditions:
        values.append(encoded(condition.name))
        if isinstance(condition, AnyOf):
            places = ", ".join("?" * len(condition.keys))
            sql += f" AND {column} IN (SELECT document FROM field WHERE name = ? AND key IN ({places}))"  # noqa: S608
            values += condition.keys
            continue
        sql += f" AND {column} IN (SELECT document FROM instant WHERE name = ?"  # noqa: S608
        for comparison, bound in ((">=", condition.after), ("<", condition.before)):
            if bound is not None:
                sql += f" AND instant {comparison} ?"
                values.append(bound)
        sql += ")"
    return sql, values
