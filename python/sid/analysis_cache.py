"""What the process remembers of texts, so that a second query of one need not read it again.

The analysis of a text (its tokens and the postings of its terms) is remembered when the text is asked about for a
second time, in whichever cache, fork or call; it is found by the text itself. Results never depend on what is
remembered. All texts share one budget, the longest unused are dropped first, and texts of less than about a kilobyte
are not remembered. The budget counts what analyses take and, since they are kept alive, the texts.
"""

from __future__ import annotations

import operator
import sys
from typing import NamedTuple

from . import _kernels

__all__ = ["AnalysisCacheInfo", "clear", "info", "resize"]


class AnalysisCacheInfo(NamedTuple):
    """What is remembered, and how that fared since the start or the last `clear`.

    Attributes
    ----------
    budget
        Bytes that may be remembered.
    used
        Bytes that are, at most ``budget``.
    texts
        How many texts that is.
    hits, misses
        How often an analysis was found, and how often not.
    evictions
        How many analyses were dropped to stay within the budget.
    """

    budget: int
    used: int
    texts: int
    hits: int
    misses: int
    evictions: int


def info() -> AnalysisCacheInfo:
    """Tell what is remembered.

    Examples
    --------
    >>> import sid.analysis_cache
    >>> sid.analysis_cache.clear()
    >>> text = "Owls hunt at night, kites hunt by day. " * 50
    >>> for query in ("owls", "kites", "day"):
    ...     _ = sid.DocumentCache.snippet_fn(query, text, 8)
    >>> sid.analysis_cache.info().texts, sid.analysis_cache.info().hits
    (1, 1)
    """
    return AnalysisCacheInfo(*_kernels.analysis_cache_info())


def resize(budget: int) -> None:
    """Set how many bytes may be remembered, and drop what no longer fits.

    Parameters
    ----------
    budget
        In bytes; with 0 nothing is remembered. It is 64 MiB unless it is set.

    Raises
    ------
    TypeError
        If the budget is not an integer.
    ValueError
        If it is negative.

    Examples
    --------
    >>> import sid.analysis_cache
    >>> sid.analysis_cache.resize(1 << 20)
    >>> sid.analysis_cache.info().budget
    1048576
    >>> sid.analysis_cache.resize(64 << 20)
    """
    wanted = operator.index(budget)
    if wanted < 0:
        raise ValueError(f"the budget must be a number of bytes, 0 or more, got {budget!r}")
    _kernels.resize_analysis_cache(min(wanted, sys.maxsize))


def clear() -> None:
    """Forget all that is remembered, and start counting anew; the budget stays.

    Examples
    --------
    >>> import sid.analysis_cache
    >>> sid.analysis_cache.clear()
    >>> sid.analysis_cache.info().texts
    0
    """
    _kernels.clear_analysis_cache()
