"""Processes that kill themselves with `kill -9` as they begin their n-th SQL statement: at an aimed moment, every time.

A script calls `watch` before any connection is opened, then `after`. `begun` counts, so that a run that is let live
tells how many moments there are.
"""

from __future__ import annotations

import os
import signal
import sqlite3
from typing import Any

begun = 0
_last: int | None = None


def watch() -> None:
    """Count the statements of every connection that is opened from now on."""
    connect = sqlite3.connect

    def watched(*arguments: Any, **settings: Any) -> sqlite3.Connection:
        connection = connect(*arguments, **settings)
        connection.set_trace_callback(_count)
        return connection

    sqlite3.connect = watched


def after(statements: int) -> None:
    """Die when that many more statements would begin and one more does; a run with fewer lives."""
    global _last
    _last = begun + statements


def _count(_: str) -> None:
    global begun
    if begun == _last:
        os.kill(os.getpid(), signal.SIGKILL)
    begun += 1
