"""The rows of the comparison: what is done, and how many times faster than sid-sdk that should be.

Sizes are in code points; K and M are powers of 1,024.
"""

from __future__ import annotations

from functools import partial

import works
from measuring import Row, ThreadsRow
from texts import QUERIES

__all__ = ["ROWS"]

ROWS = (
    Row("cold snippet, English, 200", None, partial(works.cold_english, size=200)),
    Row("cold snippet, English, 1 K", 10, partial(works.cold_english, size=1 << 10)),
    Row("cold snippet, English, 4 K", 15, partial(works.cold_english, size=1 << 12)),
    Row("cold snippet, English, 64 K", 20, partial(works.cold_english, size=1 << 16)),
    Row("cold snippet, English, 1 M", 20, partial(works.cold_english, size=1 << 20)),
    Row(
        "cold snippet, English, curly quotes, 64 K",
        None,
        partial(works.cold_english, size=1 << 16, ascii_only=False),
    ),
    *(
        Row(f"cold snippet, {language}, 64 K", 8, partial(works.cold_shuffled, language=language, size=1 << 16))
        for language in QUERIES
    ),
    Row("second snippet of a text, English, 64 K", None, partial(works.second_snippet, size=1 << 16)),
    Row("warm apply_snippet, 4 K", 20, partial(works.warm_snippet, size=1 << 12)),
    Row("warm apply_snippet, 64 K", 150, partial(works.warm_snippet, size=1 << 16)),
    Row("render_xml of a snippet view", 3, works.render_xml),
    Row("add_document, small documents", 5, works.add_document),
    Row("whole loop, drop-in methods, 4 K", 10, partial(works.whole_loop, size=1 << 12)),
    Row(
        f"whole loop, render_results, {works.RESULTS} x 4 K",
        18,
        partial(works.render_results, size=1 << 12),
    ),
    Row("fork(8), 200 documents of 1 span each", 50, partial(works.fork, forks=8, documents=200, spans=1)),
    Row("fork(8), 200 documents of 100 spans each", 50, partial(works.fork, forks=8, documents=200, spans=100)),
    Row("update_seen, 2,000 spans held", 50, partial(works.update_seen, held=2000)),
    Row("IdStream[i]", 15, works.id_at),
    Row("IdStream.take(100,000)", 60, partial(works.take, number=100_000)),
    Row("import sid", 1, works.ImportTime),
    ThreadsRow("2 threads over 1 thread, cold, 64 K", 1.8, partial(works.cold_english, size=1 << 16)),
)
