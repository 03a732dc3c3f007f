"""Measure what remembering texts takes: by the library's own account, and by what the system says of the process.

Each measurement is made in a new process. An analysis' bytes are what the account of what is remembered grows by when
texts are asked about for the second time, less the texts themselves, which it counts as well since it keeps them alive.
The long run puts many documents into one cache and shows each; what its budget added to the peak of resident memory
is its peak less that of the same run with a budget of nothing, each above what the interpreter and the documents take.

Run as ``python benches/memory.py --output build/benches``. Resident memory is read from ``/proc``, on Linux alone.
"""

from __future__ import annotations

import argparse
import gc
import json
import multiprocessing
import re
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from loading import NATIVE, load_own
from report import aligned, circumstances, short, verdict
from texts import ENGLISH_QUERIES, ColdText, english, variants
from works import FIELD, STRIDE, WINDOW

__all__ = ["analysis_row", "main", "memory_table", "run_row"]

_SIZES = (1 << 12, 1 << 16, 1 << 20)
_CONTENT = 16 << 20
"""Bytes of the texts of each size."""

_BAR = 1.25
"""Bytes that an analysis may take for each byte of English."""

_DOCUMENTS = 100_000
_DOCUMENT_SIZE = 1 << 12
_BUDGETS = (64 << 20, 8 << 20)
_MIB = 1 << 20

_STATUS = Path("/proc/self/status")


def _resident(field: str) -> int:
    """Give a number of bytes that the system keeps of this process: ``VmRSS`` now, ``VmHWM`` at the peak."""
    found = re.search(rf"^{field}:\s*(\d+) kB$", _STATUS.read_text(encoding="ascii"), re.MULTILINE)
    if found is None:
        raise RuntimeError(f"{_STATUS} does not tell {field}")
    return int(found[1]) << 10


def _analysis(size: int) -> dict[str, int]:
    """Let texts of a size be remembered; give what that takes, in bytes."""
    native = next(each for each in load_own() if each.name == NATIVE)
    memory = native.analysis_cache
    memory.resize(1 << 30)
    texts = [english(size, part) for part in range(_CONTENT // size)]
    content = sum(map(len, texts))
    snippet = native.document_cache.bm25_snippet_with_stride
    for text in texts:
        snippet(ENGLISH_QUERIES[0], text, WINDOW, STRIDE, "english")
    gc.collect()
    before, resident_before = memory.info(), _resident("VmRSS")
    for text in texts:
        # Until it is: a text that another one took the mark of is asked about again.
        while memory.info().texts == before.texts:
            snippet(ENGLISH_QUERIES[1], text, WINDOW, STRIDE, "english")
        before = before._replace(texts=before.texts + 1)
    after, resident_after = memory.info(), _resident("VmRSS")
    return {
        "texts": len(texts),
        "content": content,
        "accounted": after.used - before.used - content,
        "resident": resident_after - resident_before,
    }


def _run(budget: int) -> dict[str, int]:
    """Add documents, view a snippet of each twice, render and record it; give what that took, in bytes."""
    native = next(each for each in load_own() if each.name == NATIVE)
    native.analysis_cache.resize(budget)
    cold = [ColdText(english(_DOCUMENT_SIZE, part)) for part in range(64)]
    gc.collect()
    baseline = _resident("VmRSS")
    documents = [{"title": f"Section {number}", FIELD: variants(cold, number, 1)[0]} for number in range(_DOCUMENTS)]
    of_documents = _resident("VmRSS") - baseline
    cache = native.package.DocumentCache()
    characters = 0
    for number, document in enumerate(documents):
        cache.add_document(number, document)
        for place in range(2):
            query = ENGLISH_QUERIES[(number + place) % len(ENGLISH_QUERIES)]
            view = cache.apply_snippet(number, FIELD, query)
        characters += len(view.render_xml())
        cache.update_seen(view)
    info = native.analysis_cache.info()
    return {
        "budget": budget,
        "baseline": baseline,
        "documents": of_documents,
        "peak": _resident("VmHWM"),
        "rest": _resident("VmHWM") - baseline - of_documents,
        "remembered": info.texts,
        "evictions": info.evictions,
        "accounted": info.used,
        "rendered": characters,
    }


def _apart(function: Any, *arguments: Any) -> Any:
    """Call a function in a process of its own."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
        return process.submit(function, *arguments).result()


def analysis_row(size: int) -> dict[str, Any]:
    """Measure the analyses of English texts of a size."""
    got = _apart(_analysis, size)
    accounted, resident = (short(got[name] / got["content"]) for name in ("accounted", "resident"))
    return {
        "work": f"analysis of English, {size >> 10:,} K: bytes per byte of content",
        "unit": "",
        "accounted": accounted,
        "resident": resident,
        "bound": _BAR,
        "met": accounted <= _BAR,
        "bytes": got,
    }


def run_row(budget: int, without: dict[str, int]) -> dict[str, Any]:
    """Measure the long run with a budget.

    Parameters
    ----------
    budget
        In bytes.
    without
        What the run took with a budget of nothing.
    """
    got = _apart(_run, budget)
    if not got["remembered"] or not got["evictions"] or got["rendered"] != without["rendered"]:
        raise RuntimeError(f"the long run was not what it should have been: {got}, {without}")
    added = got["rest"] - without["rest"]
    return {
        "work": f"{_DOCUMENTS:,} documents of {_DOCUMENT_SIZE >> 10} K: what a budget of {budget // _MIB} MiB adds",
        "unit": " MiB",
        "accounted": short(got["accounted"] / _MIB),
        "resident": short(added / _MIB),
        "bound": budget // _MIB,
        "met": max(added, got["accounted"]) <= budget,
        "bytes": {**got, "added": added},
    }


def memory_table(report: dict[str, Any]) -> list[list[str]]:
    """Give the cells of the table of memory, its head first."""
    rows = [
        [
            row["work"],
            f"{row['accounted']:.3g}{row['unit']}",
            f"{row['resident']:.3g}{row['unit']}",
            f"<= {row['bound']}{row['unit']}",
            verdict(row["met"]),
        ]
        for row in report["rows"]
    ]
    return [["memory", "accounted", "resident", "expected", "met"], *rows]


def main() -> int:
    """Measure; give the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--output", type=Path, metavar="DIR", help="write memory.json there")
    arguments = parser.parse_args()
    if not _STATUS.exists():
        print(f"\n*** {_STATUS} IS MISSING: memory is measured on Linux alone ***\n", file=sys.stderr)
        return 0
    rows = []
    for size in _SIZES:
        print(f"analyses of {size:,} ...", file=sys.stderr, flush=True)
        rows.append(analysis_row(size))
    print("a long run without a budget ...", file=sys.stderr, flush=True)
    without = _apart(_run, 0)
    for budget in _BUDGETS:
        print(f"a long run with {budget:,} bytes ...", file=sys.stderr, flush=True)
        rows.append(run_row(budget, without))
    report = {**circumstances(), "without": without, "rows": rows}
    print(aligned(memory_table(report)))
    print("Accounts of a budget count the texts that are kept alive; resident memory leaves all documents out.")
    parts = ", ".join(f"{without[name] / _MIB:.0f} MiB {name}" for name in ("peak", "baseline", "documents", "rest"))
    print(
        f"the long run without a budget: {parts}; the rest is the cache's own, "
        f"{without['rest'] / _DOCUMENTS:.0f} bytes a document"
    )
    if arguments.output is not None:
        arguments.output.mkdir(parents=True, exist_ok=True)
        (arguments.output / "memory.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
