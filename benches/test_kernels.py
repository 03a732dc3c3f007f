"""Benchmarks of this library's two backends, for pytest-benchmark.

Run as ``python -m pytest benches/test_kernels.py``. Every group is one work; what is timed is a batch of calls, whose
number stands in the group's name.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any

import pytest

import works
from loading import NATIVE, PURE, Implementation, load_own
from texts import QUERIES, ColdText, english, shuffled, variants

_ROUNDS = {NATIVE: 30, PURE: 5}
_SIZES = (200, 1 << 10, 1 << 12, 1 << 16)

_IMPLEMENTATIONS = {implementation.name: implementation for implementation in load_own()}


@pytest.fixture(params=_IMPLEMENTATIONS)
def implementation(request: pytest.FixtureRequest) -> Implementation:
    """Give each of the two backends."""
    return _IMPLEMENTATIONS[request.param]


def run(benchmark: Any, implementation: Implementation, work: str, task: works.Task) -> None:
    """Time batches of a task, each on new inputs."""
    benchmark.group = f"{work} (batches of {task.batch:,})"
    benchmark.pedantic(
        task.run,
        setup=lambda: ((task.inputs(),), {}),
        rounds=_ROUNDS[implementation.name],
        warmup_rounds=1,
    )


@pytest.mark.parametrize("size", _SIZES)
def test_cold_snippet(benchmark: Any, implementation: Implementation, size: int) -> None:
    """Choose snippets of English texts."""
    run(benchmark, implementation, f"cold snippet, English, {size:,}", works.cold_english(implementation, size))


@pytest.mark.parametrize("language", QUERIES)
def test_cold_snippet_of_languages(benchmark: Any, implementation: Implementation, language: str) -> None:
    """Choose snippets of texts in other languages."""
    task = works.cold_snippet(implementation, [shuffled(language, 1 << 14)], QUERIES[language], "generic")
    run(benchmark, implementation, f"cold snippet, {language}, {1 << 14:,}", task)


@pytest.mark.parametrize("size", [1 << 12, 1 << 16])
def test_second_snippet(benchmark: Any, implementation: Implementation, size: int) -> None:
    """Choose snippets of texts that were asked about once: they are analysed and remembered."""
    run(benchmark, implementation, f"second snippet of a text, {size:,}", works.second_snippet(implementation, size))


@pytest.mark.parametrize("size", [1 << 12, 1 << 16])
def test_warm_apply_snippet(benchmark: Any, implementation: Implementation, size: int) -> None:
    """View snippets of documents that were asked about before."""
    run(benchmark, implementation, f"warm apply_snippet, {size:,}", works.warm_snippet(implementation, size))


def test_render_xml(benchmark: Any, implementation: Implementation) -> None:
    """Render snippet views as XML."""
    run(benchmark, implementation, "render_xml of a snippet view", works.render_xml(implementation))


def test_render_markdown_table(benchmark: Any, implementation: Implementation) -> None:
    """Render snippet views as a Markdown table."""
    run(benchmark, implementation, "render_markdown_table, 20 rows", works.markdown_table(implementation, 20))


def test_add_document(benchmark: Any, implementation: Implementation) -> None:
    """Add small documents to a cache."""
    run(benchmark, implementation, "add_document, small documents", works.add_document(implementation))


def test_whole_loop(benchmark: Any, implementation: Implementation) -> None:
    """Add, view, render and record search results one by one."""
    run(benchmark, implementation, "whole loop, drop-in methods, 4,096", works.whole_loop(implementation, 1 << 12))


def test_render_results(benchmark: Any, implementation: Implementation) -> None:
    """Do the same for all results of a search in one call."""
    work = f"whole loop, render_results, {works.RESULTS} results of 4,096"
    run(benchmark, implementation, work, works.render_results(implementation, 1 << 12))


@pytest.mark.parametrize("held", [20, 2000])
def test_plan_segments(benchmark: Any, implementation: Implementation, held: int) -> None:
    """Plan how spans are shown of a document that was seen in many places."""
    run(benchmark, implementation, f"plan_segments, {held:,} spans seen", works.plan_segments(implementation, held))


@pytest.mark.parametrize("held", [200, 2000])
def test_update_seen(benchmark: Any, implementation: Implementation, held: int) -> None:
    """Record views in a ledger that holds many spans of their document."""
    run(benchmark, implementation, f"update_seen, {held:,} spans held", works.update_seen(implementation, held))


@pytest.mark.parametrize("spans", [1, 100])
def test_fork(benchmark: Any, implementation: Implementation, spans: int) -> None:
    """Fork a cache of 200 documents."""
    task = works.fork(implementation, forks=8, documents=200, spans=spans)
    run(benchmark, implementation, f"fork(8), 200 documents, {spans} spans each", task)


def test_id_at(benchmark: Any, implementation: Implementation) -> None:
    """Give ids by their index."""
    run(benchmark, implementation, "one id", works.id_at(implementation))


def test_take(benchmark: Any, implementation: Implementation) -> None:
    """Mint many ids at once."""
    run(benchmark, implementation, "10,000 ids", works.take(implementation, 10_000))


@pytest.mark.parametrize("text", ["English", *QUERIES])
def test_word_segments(benchmark: Any, implementation: Implementation, text: str) -> None:
    """Cut texts at word boundaries."""
    size = 1 << 12
    cold = [ColdText(english(size) if text == "English" else shuffled(text, size))]
    kernels = importlib.import_module(f"{implementation.package.__name__}._kernels")

    def columns(first: int, number: int) -> tuple[Iterable[str]]:
        return (variants(cold, first, number),)

    task = works.Task(kernels.word_segments, columns, works.batch_for(size))
    run(benchmark, implementation, f"word segmentation, {text}, {size:,}", task)
