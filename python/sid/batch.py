"""Much at once: the results of many rollouts, or snippets of many texts, on several threads.

What this gives is what a loop over the single calls gives, number for number and byte for byte.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import _kernels
from ._options import stride_size, token_count, validate_language
from ._results import Format, Request, note, render
from .document_cache import MIN_SEEN_OVERLAP_DEFAULT, SNIPPET_SIZE_DEFAULT, DocumentCache
from .document_rendering import shortened

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_THREADS = 256
"""Threads that a caller may ask for; the native backend has the same bound."""

__all__ = ["MAX_THREADS", "RenderJob", "render_many", "snippet_spans"]


@dataclass(frozen=True, slots=True)
class RenderJob:
    """A call of `DocumentCache.render_results` that `render_many` is to make.

    Parameters
    ----------
    cache
        The cache of a rollout.
    results, query, id_field, snippet_field, snippet_size, min_seen_overlap, display_fields, language, format, separator
        As of `DocumentCache.render_results`.

    Examples
    --------
    >>> RenderJob(DocumentCache(), [{"id": 1, "content": "one two"}], "two", snippet_size=1).snippet_size
    1
    """

    cache: DocumentCache
    results: Iterable[Mapping[Any, Any]]
    query: str
    id_field: Any = field(default="id", kw_only=True)
    snippet_field: Any = field(default="content", kw_only=True)
    snippet_size: int = field(default=SNIPPET_SIZE_DEFAULT, kw_only=True)
    min_seen_overlap: float = field(default=MIN_SEEN_OVERLAP_DEFAULT, kw_only=True)
    display_fields: Iterable[Any] | None = field(default=None, kw_only=True)
    language: str | None = field(default=None, kw_only=True)
    format: Format = field(default="xml", kw_only=True)
    separator: str = field(default="\n", kw_only=True)


def render_many(jobs: Iterable[RenderJob], *, threads: int | None = None) -> list[str]:
    """Show the search results of many rollouts.

    The texts are those of ``[job.cache.render_results(job.results, job.query, ...) for job in jobs]``, and afterwards
    the caches are as after it: jobs on one cache, and ids of caches that are forks of each other, keep their order.

    All results of all jobs are checked before anything is stored: on an error in any, every cache is as before, but
    for ids that were taken from a stream which is no `IdStream`. Should a value's own ``str()`` fail, which only
    rendering can show, documents may be in store, but nothing of any job counts as seen. That holds for plain caches;
    one with a step of the loop of its own goes through the loop, on the calling thread, after the check.

    Parameters
    ----------
    jobs
        What to render. Read once, as are the results of each.
    threads
        How many threads choose snippets, from 1 to `MAX_THREADS`, the caller's among them; by default as many as
        there are processors for this process, up to 8. The pure backend uses one.

    Returns
    -------
    list[str]
        The texts, in the order of the jobs.

    Raises
    ------
    TypeError
        If a job is not a `RenderJob`, ``threads`` not an integer, or as of `DocumentCache.render_results`.
    ValueError
        If ``threads`` is out of bounds, or as of `DocumentCache.render_results`.
    KeyError, IdSpaceExhausted
        As of `DocumentCache.render_results`. The message, or a note on the error, names the job by its index.

    Examples
    --------
    >>> one, two = DocumentCache(), DocumentCache()
    >>> hits = [{"id": "db-1", "content": "one two three"}]
    >>> texts = render_many([RenderJob(one, hits, "two"), RenderJob(two, hits, "three"), RenderJob(one, hits, "one")])
    >>> [text.splitlines()[1] for text in texts]
    ['one two three', 'one two three', '[seen: "#0:13"]']
    """
    most = _thread_count(threads)
    try:
        jobs = list(jobs)
    except TypeError:
        raise TypeError(f"jobs must be an iterable of RenderJob, got {shortened(jobs)}") from None
    return render([_request(place, job) for place, job in enumerate(jobs)], most)


def _request(place: int, job: RenderJob) -> Request:
    name = f"jobs[{place}]"
    if not isinstance(job, RenderJob):
        raise TypeError(f"{name} must be a RenderJob, got {shortened(job)}")
    if not isinstance(job.cache, DocumentCache):
        raise TypeError(f"{name}: cache must be a DocumentCache, got {shortened(job.cache)}")
    try:
        return Request(
            name,
            job.cache,
            job.results,
            job.query,
            id_field=job.id_field,
            snippet_field=job.snippet_field,
            snippet_size=job.snippet_size,
            min_seen_overlap=job.min_seen_overlap,
            display_fields=job.display_fields,
            language=job.language,
            format=job.format,
            separator=job.separator,
        )
    except Exception as error:
        note(error, name)
        raise


def snippet_spans(
    queries: str | Iterable[str],
    contents: str | Iterable[str],
    *,
    window_size: int = SNIPPET_SIZE_DEFAULT,
    stride: int = stride_size(SNIPPET_SIZE_DEFAULT),
    language: str = "english",
    threads: int | None = None,
) -> NDArray[np.int64]:
    """Choose for many texts the window that best answers a query, as `bm25_snippet_with_stride` does for one.

    Parameters
    ----------
    queries, contents
        As many of the one as of the other: each content is asked the query at its place. A single ``str`` serves all
        of the others.
    window_size, stride
        In tokens, at least 1.
    language
        Which stopwords to drop: one of `SUPPORTED_LANGUAGES`.
    threads
        As of `render_many`.

    Returns
    -------
    numpy.ndarray of int64, shape (n, 2)
        Row ``i`` holds start and end of the span of content ``i``, in code points.

    Raises
    ------
    TypeError
        If a text is not a ``str``, or a size or ``threads`` not an integer.
    ValueError
        If there are not as many queries as contents, a size is below 1, the language is not supported or ``threads``
        is out of bounds.

    Examples
    --------
    >>> spans = snippet_spans(["b", "d"], ["a b c d", "a b c d"], window_size=1, stride=1)
    >>> spans
    array([[2, 3],
           [6, 7]])
    >>> snippet_spans("d", ["a b c d"], window_size=2, stride=1).shape, spans.dtype
    ((1, 2), dtype('int64'))
    """
    window, step = token_count("", "window_size", window_size), token_count("", "stride", stride)
    validate_language(language)
    most = _thread_count(threads)
    asked, texts = _texts("queries", queries), _texts("contents", contents)
    if isinstance(queries, str):
        asked *= 1 if isinstance(contents, str) else len(texts)
    elif isinstance(contents, str):
        texts *= len(asked)
    if len(asked) != len(texts):
        raise ValueError(
            f"queries and contents must be as many of one as of the other, or one of them a single str, got "
            f"{len(asked)} queries and {len(texts)} contents"
        )
    import numpy as np

    spans = _kernels.snippet_spans(asked, texts, window, step, language, most)
    return np.array(spans, dtype=np.int64).reshape(-1, 2)


def _thread_count(threads: int | None) -> int | None:
    if threads is None:
        return None
    try:
        count = operator.index(threads)
    except TypeError:
        raise TypeError(f"threads must be an integer or None, got {shortened(threads)}") from None
    if not 1 <= count <= MAX_THREADS:
        raise ValueError(f"threads must be at least 1 and at most {MAX_THREADS}, got {shortened(threads)}")
    return count


def _texts(name: str, texts: str | Iterable[str]) -> list[str]:
    if isinstance(texts, str):
        return [texts]
    try:
        held = list(texts)
    except TypeError:
        raise TypeError(f"{name} must be a str or an iterable of str, got {shortened(texts)}") from None
    for place, text in enumerate(held):
        if not isinstance(text, str):
            raise TypeError(f"{name}[{place}] must be a str, got {shortened(text)}")
    return held
