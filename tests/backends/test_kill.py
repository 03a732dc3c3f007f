"""Adding documents, killed at random moments: what was written stays whole, and going on gives the same index."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from sid.backends import SqliteBackend

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")

ADDING = """
import sys, random
import numpy as np
from sid.backends import SqliteBackend

class Digits:
    name, dimension = "digits", 8
    def embed(self, texts, *, purpose):
        return np.array([[1 + text.count(str(digit)) for digit in range(8)] for text in texts], dtype=np.float32)

def documents():
    chance = random.Random(3)
    for number in range(2500):
        # Some ids come back with another text, or the same.
        key = number if chance.random() < 0.9 else chance.randrange(number + 1)
        words = " ".join(f"word{chance.randrange(500)}" for _ in range(chance.randrange(1, 60)))
        yield {"id": f"d{key}", "title": f"title {key % 7}", "n": key % 10, "at": f"20{key % 90:02}", "content": words}

if __name__ == "__main__":
    with SqliteBackend(sys.argv[1], embedder=Digits()) as index:
        print("begun", flush=True)
        index.add(documents(), source="numbers")
"""


def tables(path: Path) -> dict[str, list[Any]]:
    with SqliteBackend(path, read_only=True) as index:
        with index.connections.reading() as connection:
            found: dict[str, list[Any]] = {
                name: connection.execute(f"SELECT * FROM {name} ORDER BY {order}").fetchall()
                for name, order in {"document": "1", "field": "1, 2, 3", "instant": "1, 2, 3", "vector": "1"}.items()
            }
            found["scores"] = [
                connection.execute(
                    "SELECT rowid, bm25(posting, 2.0, 1.0) FROM posting WHERE posting MATCH ? ORDER BY 2, 1", (query,)
                ).fetchall()
                for query in ("word1", "word7 OR word77 OR title", "heading : 3", "word499")
            ]
        found["hits"] = [index.search(query, limit=50, filters={"n": 3}) for query in ("word1 word2", "title 5")]
        return found


@pytest.fixture(scope="module")
def script(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("script") / "adding.py"
    path.write_text(ADDING)
    return path


@pytest.fixture(scope="module")
def whole(tmp_path_factory, script) -> tuple[dict[str, list[Any]], float]:
    """Give what an uninterrupted run makes, and how long it takes."""
    path = tmp_path_factory.mktemp("whole") / "i"
    with subprocess.Popen([sys.executable, str(script), str(path)], stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        started = time.monotonic()
        assert process.wait(300) == 0
        seconds = time.monotonic() - started
    found = tables(path)
    assert len(found["document"]) > 2000
    return found, seconds


@pytest.mark.parametrize("seed", range(3))
def test_resuming_gives_the_same_index(tmp_path, script, whole, seed) -> None:
    expected, seconds = whole
    chance = random.Random(seed)
    path = tmp_path / "i"
    command = [sys.executable, str(script), str(path)]
    partial = 0
    for attempt in range(5):
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout
            if attempt:  # the first may die while it makes the file
                process.stdout.readline()
                time.sleep(chance.random() * seconds / 2)
            else:
                time.sleep(chance.random() * 0.5)
            process.send_signal(signal.SIGKILL)
        if not path.exists() or not path.stat().st_size:
            continue
        with SqliteBackend(path) as index:  # opened again, even if it was being made
            count, unfinished = len(index), index.unfinished
            assert unfinished == (["numbers"] if 0 < count < len(expected["document"]) else unfinished)
            partial += 0 < count < len(expected["document"])
            for hit in index.search("word1", limit=5):
                assert index.get(hit["id"]) == hit
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    assert tables(path) == expected
    with SqliteBackend(path) as index:
        assert index.unfinished == []
        with index.connections.connection() as connection:
            connection.execute("INSERT INTO posting(posting) VALUES ('integrity-check')")
    assert partial, "no kill came in the midst of the work"


def test_the_command_killed_goes_on_where_it_was(tmp_path) -> None:
    source = tmp_path / "d.jsonl"
    source.write_text(
        "".join(f'{{"id": {number}, "content": "word{number % 97} common"}}\n' for number in range(8_000))
    )
    path = tmp_path / "i"
    command = [sys.executable, "-m", "sid", "index", str(source), "--into", str(path)]
    with subprocess.Popen(command) as process:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if path.exists() and (log := Path(f"{path}-wal")).exists() and log.stat().st_size > 500_000:
                break
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
    search = [sys.executable, "-m", "sid", "search", str(path), "common", "--limit", "1", "--json"]
    asked = subprocess.run(search, capture_output=True, text=True, check=True)
    assert "lacks documents of" in asked.stderr
    assert '"data_id": "0"' in asked.stdout
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True)
    assert '"documents": 8000' in done.stdout
    assert '"unchanged": 0' not in done.stdout
    assert subprocess.run(search, capture_output=True, text=True, check=True).stderr == ""
