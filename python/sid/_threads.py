"""How many threads a call uses."""

from __future__ import annotations

import operator
import os
from typing import Final

MAX_THREADS: Final = 256
"""Threads that a caller may ask for at most; the native backend has the same bound."""

_DEFAULT_AT_MOST: Final = 8
"""Rollouts often run in many processes on one machine: none takes all of a large one unasked."""


def thread_count(threads: int | None) -> int:
    """Give the number of threads that were asked for, or, if none was, what this process can well use."""
    if threads is None:
        available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return min(available, _DEFAULT_AT_MOST)
    try:
        count = operator.index(threads)
    except TypeError:
        raise TypeError(f"threads must be an integer or None, got {threads!r}") from None
    if not 1 <= count <= MAX_THREADS:
        raise ValueError(f"threads must be at least 1 and at most {MAX_THREADS}, got {threads!r}")
    return count
