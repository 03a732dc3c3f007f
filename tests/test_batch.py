"""`sid.batch`: what a loop over the single calls gives, for many caches or texts at once."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sid
from sid import DocumentCache, _kernels
from sid.batch import MAX_THREADS, RenderJob, render_many, snippet_spans
from sid.document_cache import SUPPORTED_LANGUAGES, bm25_snippet_with_stride
from sid.id_stream import IdSpaceExhausted, IdStream
from strategies import languages, searches, texts
from test_results import (
    BAD_RESULTS,
    TEXT,
    Logging,
    Middle,
    Unwritable,
    assert_refused,
    hit,
    outcome,
    results,
    seeded,
    state,
    with_documents,
)

threads = st.sampled_from([None, 1, 2, 5, MAX_THREADS])


def test_the_module_is_there_when_it_is_asked_for():
    code = "import sys, sid; assert 'sid.batch' not in sys.modules; sid.batch; print('numpy' in sys.modules)"
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert finished.stdout.strip() == "False"
    assert sid.batch.render_many is render_many


# --- render_many ------------------------------------------------------------------------------------------------------


def caches_of(kinds: list[type[DocumentCache]]) -> list[DocumentCache]:
    """Give a family of two forks, and other caches."""
    first = seeded()
    return [first, *first.fork(1), *(seeded(kind) for kind in kinds)]


@given(
    st.lists(st.tuples(results(), st.integers(0, 3)), max_size=5),
    st.lists(st.sampled_from([DocumentCache, DocumentCache, Logging, Middle]), min_size=2, max_size=2),
    threads,
)
def test_what_the_loop_gives(calls, kinds, threads):
    caches, models = caches_of(kinds), caches_of(kinds)
    before = [state(cache) for cache in caches]
    expected = [
        outcome(lambda: models[which].render_results(found, query, **options))  # noqa: B023
        for (found, query, options), which in calls
    ]
    jobs = [RenderJob(caches[which], iter(found), query, **options) for (found, query, options), which in calls]
    got = outcome(lambda: render_many(iter(jobs), threads=threads))
    faults = [place for place, (kind, _) in enumerate(expected) if kind != "gave"]
    if faults:
        # Without the results of a job with a fault, later ones may lack documents, but the first one's are the same.
        assert got[0] == expected[faults[0]][0]
        assert f"jobs[{faults[0]}]" in got[1]
        assert [state(cache) for cache in caches] == before
    else:
        assert got == ("gave", [text for _, text in expected])
        assert [state(cache) for cache in caches] == [state(cache) for cache in models]


def test_jobs_on_forks_and_one_cache_keep_their_order():
    scale = 10 if _kernels.BACKEND == "native" else 1  # enough for several threads to start
    for count in (1, 2, 8):
        one, other = seeded(), seeded()
        caches = [one, *one.fork(1), other, one, one]
        jobs = [
            RenderJob(
                cache, [hit(f"{place} {number}", TEXT * 100 * scale) for number in range(20)] + [hit("all")], "five"
            )
            for place, cache in enumerate(caches)
        ]
        shown = render_many(jobs, threads=count)
        assert [text.rpartition("<doc")[2].count("[seen: ") for text in shown] == [0, 0, 0, 1, 1]
        ids = [one.to_model_facing_id(data_id) for data_id in one.documents]
        assert ids == [IdStream(seed=7)[index] for index in range(81)]
        assert list(one.documents)[:22] == [*(f"0 {number}" for number in range(20)), "all", "1 0"]


def test_a_cache_between_one_with_steps_of_its_own_and_its_forks():
    class Odd(DocumentCache):
        def add_document(self, data_id: Any, document: Any) -> str:
            return super().add_document(data_id, {**document, "odd": True})

    odd, model = seeded(Odd), seeded(Odd)
    [fork], [model_fork] = odd.fork(1), model.fork(1)
    calls = [(0, [hit("a")]), (1, [hit("b"), hit("a")]), (0, [hit("b"), hit("c")]), (1, [hit("c"), hit("d")])]
    expected = [(model, model_fork)[which].render_results(found, "five") for which, found in calls]
    assert render_many([RenderJob((odd, fork)[which], found, "five") for which, found in calls]) == expected
    assert [state(odd), state(fork)] == [state(model), state(model_fork)]


@pytest.mark.parametrize(("bad", "kind", "message"), BAD_RESULTS, ids=range(len(BAD_RESULTS)))
def test_a_bad_result_is_named_and_nothing_is_done(bad, kind, message):
    caches = [*with_documents(), *with_documents()]
    jobs = [
        RenderJob(caches[0], [hit("a")], "five"),
        RenderJob(caches[2], [hit("a"), hit("seen")], "five"),
        RenderJob(caches[1], [hit("a"), hit("b"), bad], "five"),
        RenderJob(caches[2], [5], "five"),
    ]
    message = message.format(2).replace("results[2]", "jobs[2]: results[2]")
    assert_refused(lambda: render_many(jobs), kind, message, caches, "jobs[2]: results[2]")


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"cache": None}, TypeError, "jobs[1]: cache must be a DocumentCache, got None"),
        ({"query": 5}, TypeError, "jobs[1]: query must be a str, got 5"),
        ({"language": "klingon"}, ValueError, "jobs[1]: unknown language 'klingon'; supported values: "),
        ({"format": "html"}, ValueError, "jobs[1]: format must be"),
        ({"snippet_size": 0}, ValueError, "jobs[1]: snippet_size must be"),
        ({"min_seen_overlap": "x"}, TypeError, "jobs[1]: min_seen_overlap must be"),
        ({"display_fields": ["title"]}, ValueError, "jobs[1]: display_fields must hold"),
        ({"display_fields": 5}, TypeError, "jobs[1]: display_fields must be an iterable of fields, got 5"),
        ({"id_field": []}, TypeError, "jobs[1]: id_field must be hashable"),
        ({"results": None}, TypeError, "jobs[1]: results must be an iterable of mappings, got None"),
    ],
)
def test_bad_jobs(options, kind, message):
    caches = with_documents()
    asked = {"cache": caches[0], "results": [hit()], "query": "five", **options}
    jobs = [RenderJob(caches[0], [hit()], "five"), RenderJob(**asked)]
    assert_refused(lambda: render_many(jobs), kind, message, caches)


@pytest.mark.parametrize(
    ("jobs", "message"),
    [
        (5, "jobs must be an iterable of RenderJob, got 5"),
        ([(DocumentCache(), [], "q")], r"jobs\[0\] must be a RenderJob, got \("),
        ({"cache": 1}, r"jobs\[0\] must be a RenderJob, got 'cache'"),
    ],
)
def test_what_is_no_job(jobs, message):
    with pytest.raises(TypeError, match=message):
        render_many(jobs)


def test_ids_that_run_out_for_one_family():
    full, free = DocumentCache(), seeded()
    full.model_facing_id_stream = IdStream("ab", 1, seed=1)
    [fork] = full.fork(1)
    jobs = [
        RenderJob(free, [hit("a")], "q"),
        RenderJob(full, [hit("a"), hit("b")], "q"),
        RenderJob(fork, [hit("b"), hit("c")], "q"),
    ]
    for order in (jobs, jobs[::-1]):
        call = lambda: render_many(order)  # noqa: B023, E731
        assert_refused(call, IdSpaceExhausted, "3 ids were asked for, and 2 are left", [free, full, fork])
    with pytest.raises(IdSpaceExhausted) as caught:
        render_many(jobs)
    assert caught.value.__notes__ == ["This came up with jobs[1].", "This came up with jobs[2]."]
    assert len(render_many(jobs[:2])) == 2


def test_foreign_streams_that_run_out():
    full, other, empty = (DocumentCache() for _ in range(3))
    full.model_facing_id_stream = iter(["one", "two", "two", "three"])
    other.model_facing_id_stream = iter("ab")
    empty.model_facing_id_stream = iter(())
    jobs = [RenderJob(full, [hit("a"), hit("b")], "q"), RenderJob(other, [hit("a")], "q")]
    with pytest.raises(IdSpaceExhausted):
        render_many([*jobs, RenderJob(empty, [hit("a")], "q")])
    assert [cache.documents for cache in (full, other, empty)] == [{}, {}, {}]
    assert [cache.seen_ledger for cache in (full, other, empty)] == [{}, {}, {}]
    render_many(jobs)
    assert [full.to_model_facing_id(data_id) for data_id in "ab"] == ["two", "three"]
    assert other.to_model_facing_id("a") == "b"


def test_what_cannot_be_written_leaves_nothing_seen():
    one, other = with_documents()[:1], with_documents()[:1]
    caches = [*one, *other]
    ledgers = [copy.deepcopy(dict(cache.seen_ledger)) for cache in caches]
    jobs = [RenderJob(caches[0], [hit("a")], "q"), RenderJob(caches[1], [hit("a"), hit("b", x=Unwritable())], "q")]
    with pytest.raises(LookupError, match="cannot be written") as caught:
        render_many(jobs)
    assert caught.value.__notes__ == ["This came up with jobs[1]: results[1]."]
    assert [cache.seen_ledger for cache in caches] == ledgers


def test_a_job_cannot_be_changed():
    job = RenderJob(DocumentCache(), [], "q", language="danish")
    with pytest.raises(AttributeError):
        job.query = "other"
    with pytest.raises(TypeError):
        RenderJob(DocumentCache(), [], "q", "id")


def test_calls_in_many_threads_on_one_family():
    cache = seeded()
    forks = cache.fork(6)
    found = [hit(number, f"{TEXT} {number} " * 60) for number in range(20)]
    failures = []

    def work(number: int) -> None:
        jobs = [RenderJob(forks[(number + step) % 6], found[step:], f"five {step}") for step in range(6)]
        try:
            render_many(jobs, threads=3)
        except Exception as error:
            failures.append(error)

    workers = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert failures == []
    cache._validate_store()
    assert len(cache.documents) == 20
    assert all(fork.seen_ledger[data_id] for fork in forks for data_id in range(5, 20))


# --- snippet_spans ----------------------------------------------------------------------------------------------------


def single(queries: list[str], contents: list[str], *options: Any) -> list[list[int]]:
    return [
        list(bm25_snippet_with_stride(query, content, *options))
        for query, content in zip(queries, contents, strict=True)
    ]


def assert_spans(found: Any, expected: list[list[int]]) -> None:
    assert isinstance(found, np.ndarray)
    assert (found.dtype, found.shape) == (np.int64, (len(expected), 2))
    assert found.tolist() == expected
    assert found.flags.writeable
    assert found.flags.c_contiguous


@given(
    st.lists(st.one_of(searches(), st.tuples(texts, texts, languages)), max_size=6),
    st.integers(1, 12),
    st.integers(1, 6),
    languages,
    threads,
)
def test_spans_are_those_of_single_calls(pairs, size, stride, language, threads):
    queries, contents = [query for query, *_ in pairs], [content for _, content, _ in pairs]
    options = {"window_size": size, "stride": stride, "language": language, "threads": threads}
    assert_spans(snippet_spans(queries, contents, **options), single(queries, contents, size, stride, language))
    for query in queries[:1]:
        expected = single([query] * len(contents), contents, size, stride, language)
        assert_spans(snippet_spans(query, iter(contents), **options), expected)
    for content in contents[:1]:
        expected = single(queries, [content] * len(queries), size, stride, language)
        assert_spans(snippet_spans(tuple(queries), content, **options), expected)


@pytest.mark.parametrize("count", [1, 2, 3, 16, MAX_THREADS])
def test_spans_of_long_texts_on_several_threads(count):
    contents = [f"{TEXT} {number} \ud800 " * (number * 12) for number in range(1, 40)]
    if count > 1 and _kernels.BACKEND == "native":
        contents = [content * 8 for content in contents]  # enough for several threads to start
    queries = [f"five {number}" for number in range(1, 40)]
    assert_spans(
        snippet_spans(queries, contents, window_size=20, stride=4, threads=count), single(queries, contents, 20, 4)
    )


def test_defaults_are_those_of_a_single_call():
    text = f"{TEXT} the seven " * 30
    assert_spans(snippet_spans(["seven"], [text]), single(["seven"], [text]))


def test_single_texts_and_none():
    assert_spans(snippet_spans("five", TEXT, window_size=1, stride=1), [[24, 28]])
    assert_spans(snippet_spans([], []), [])
    assert_spans(snippet_spans("q", []), [])
    assert_spans(snippet_spans([], TEXT), [])
    assert_spans(snippet_spans(["five"], TEXT, window_size=10**30, stride=10**30), [[0, len(TEXT)]])


@pytest.mark.parametrize(
    ("arguments", "options", "kind", "message"),
    [
        ((["a"], ["b", "c"]), {}, ValueError, "got 1 queries and 2 contents"),
        ((["a", "b"], []), {}, ValueError, "got 2 queries and 0 contents"),
        ((["a", 5], ["b", "c"]), {}, TypeError, r"queries\[1\] must be a str, got 5"),
        ((["a", "b"], ["b", None]), {}, TypeError, r"contents\[1\] must be a str, got None"),
        ((5, ["b"]), {}, TypeError, "queries must be a str or an iterable of str, got 5"),
        ((["a"], b"bytes"), {}, TypeError, r"contents\[0\] must be a str, got 98"),
        ((["a"], ["b"]), {"window_size": 0}, ValueError, "window_size must be greater than zero, got 0"),
        ((["a"], ["b"]), {"stride": -1}, ValueError, "stride must be greater than zero, got -1"),
        ((["a"], ["b"]), {"window_size": 1.5}, TypeError, "window_size must be an integer, got 1.5"),
        ((["a"], ["b"]), {"stride": None}, TypeError, "stride must be an integer, got None"),
        ((["a"], ["b"]), {"language": "klingon"}, ValueError, "unknown language 'klingon'"),
    ],
)
def test_bad_arguments_of_spans(arguments, options, kind, message):
    with pytest.raises(kind, match=message):
        snippet_spans(*arguments, **options)


@pytest.mark.parametrize(
    ("count", "kind", "message"),
    [
        (0, ValueError, f"threads must be at least 1 and at most {MAX_THREADS}, got 0"),
        (-1, ValueError, "threads must be"),
        (MAX_THREADS + 1, ValueError, f"got {MAX_THREADS + 1}"),
        (10**30, ValueError, "threads must be"),
        (1.0, TypeError, "threads must be an integer or None, got 1.0"),
        ("2", TypeError, "threads must be an integer or None, got '2'"),
    ],
)
def test_bad_numbers_of_threads(count, kind, message):
    cache = seeded()
    for call in (
        lambda: snippet_spans(["a"], ["b"], threads=count),
        lambda: render_many([RenderJob(cache, [hit()], "q")], threads=count),
    ):
        with pytest.raises(kind, match=message):
            call()
    assert cache.documents == {}


def test_every_language():
    queries, contents = ["the og und le"] * 3, [f"{TEXT} the og und le {TEXT}"] * 3
    for language in SUPPORTED_LANGUAGES:
        found = snippet_spans(queries, contents, window_size=3, stride=1, language=language)
        assert_spans(found, single(queries, contents, 3, 1, language))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_has_threads_of_its_own():
    code = """
import os, sid, warnings
contents = ["one two three " * 20_000] * 8
expected = sid.batch.snippet_spans("two", contents, threads=4).tolist()
child = os.fork()
if not child:
    os._exit(sid.batch.snippet_spans("two", contents, threads=4).tolist() != expected)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    finished = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=120)
    assert (finished.stdout.strip(), finished.stderr) == ("0", "")
