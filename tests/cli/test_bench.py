"""`sid bench` times what it says, with both backends."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest

import sid
from sid import analysis, analysis_cache
from sid.cli import bench, main

NATIVE = sid.__backend__ == "native"


def rows(capsys, *options: str) -> dict[str, dict]:
    assert main(["bench", "--seconds", "0.001", "--json", *options]) == 0
    output = capsys.readouterr()
    assert output.err == ""
    report = json.loads(output.out)
    assert report["backend"] == sid.__backend__
    return {row["work"]: row for row in report["rows"]}


def test_the_report(capsys) -> None:
    report = rows(capsys)
    assert len(report) == len(bench._works())
    for row in report.values():
        assert row["seconds"] > 0
        assert ("ratio" in row) == NATIVE
        if NATIVE:
            assert row["ratio"] == pytest.approx(row["pure_seconds"] / row["seconds"])


def test_the_table(capsys) -> None:
    assert main(["bench", "--seconds", "0.001"]) == 0
    out = capsys.readouterr().out
    for work in bench._works():
        assert re.search(rf"^{re.escape(work.name)} +[\d,.]+ (µs|ms)", out, re.MULTILINE)
    assert ("ratio" in out) == NATIVE


@pytest.mark.parametrize("work", bench._works(), ids=lambda work: work.name)
def test_what_is_timed(work) -> None:
    """Every call does the work that the row is named after."""
    analysis_cache.clear()
    before = analysis_cache.info()
    first, second = next(work.batches), next(work.batches)
    results = [work.call(one) for one in (*first, *second)]
    after = analysis_cache.info()
    if work.name.startswith("snippet of a new text"):
        for text, (start, end) in zip((*first, *second), results, strict=True):
            assert len(text) == work.characters
            terms = set(analysis.query_terms(bench.QUERY))
            assert bool(terms & set(analysis.query_terms(text[start:end]))) == bool(
                terms & set(analysis.query_terms(text))
            )
            assert end - start < 2_000
        assert len({*first, *second}) == len(results)
        assert after.hits == before.hits
    elif work.name.startswith("snippet of a known text"):
        assert after.hits - before.hits >= len(results) - 2
    elif work.name.startswith("results"):
        assert all(result.count("<doc ") == result.count("</doc>") == bench.RESULTS for result in results)
    elif work.name.startswith("read"):
        assert all(len(result) >= bench.READ for result in results)
    else:
        assert all(len(result) == bench.FORKS for result in results)
        assert len({id(fork) for forks in results for fork in forks}) == len(results) * bench.FORKS


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "x", ""])
def test_a_wrong_time_is_refused(seconds, capsys) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["bench", f"--seconds={seconds}"])
    assert exit_.value.code == 2
    assert "number of seconds" in capsys.readouterr().err


def test_without_the_text() -> None:
    code = "import sys; sys.modules['pydoc_data.topics'] = None; from sid.cli import main; sys.exit(main(['bench']))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", env=environment, check=False
    )
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (1, "", 1)
