"""Adding documents, killed in the midst: what was written stays whole, and going on gives the same index."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sid.backends import SqliteBackend

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")

ROOT = Path(__file__).parents[2]

ADDING = f"""
import sys, random
import numpy as np
sys.path.insert(0, {str(ROOT)!r})
from tests import dying
from sid.backends import SqliteBackend

class Digits:
    name, dimension = "digits", 8
    def embed(self, texts, *, purpose):
        counts = [[1 + text.count(str(digit)) for digit in range(8)] for text in texts]
        return np.array(counts, dtype=np.float32)

def documents():
    chance = random.Random(3)
    for number in range(2500):
        # Some ids come back with another text, or the same.
        key = number if chance.random() < 0.9 else chance.randrange(number + 1)
        words = " ".join(f"word{{chance.randrange(500)}}" for _ in range(chance.randrange(1, 60)))
        fields = {{"title": f"title {{key % 7}}", "n": key % 10, "at": f"20{{key % 90:02}}"}}
        yield {{"id": f"d{{key}}", **fields, "content": words}}

if __name__ == "__main__":
    dying.watch()
    if len(sys.argv) > 2:
        dying.after(int(sys.argv[2]))
    with SqliteBackend(sys.argv[1], embedder=Digits()) as index:
        print(dying.begun, flush=True)
        index.add(documents(), source="numbers")
        print(dying.begun, flush=True)
"""


class Whole(NamedTuple):
    """An uninterrupted run: the tables it makes, its statements (those of opening the file, and all), and its time."""

    tables: dict[str, list[Any]]
    opening: int
    statements: int
    seconds: float


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
def whole(tmp_path_factory, script) -> Whole:
    """Give what an uninterrupted run makes, and what it takes."""
    path = tmp_path_factory.mktemp("whole") / "i"
    with subprocess.Popen([sys.executable, str(script), str(path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        opening = int(process.stdout.readline())
        started = time.monotonic()
        statements = int(process.stdout.readline())
        seconds = time.monotonic() - started
    assert process.returncode == 0
    found = tables(path)
    assert len(found["document"]) > 2000
    return Whole(found, opening, statements, seconds)


@pytest.mark.parametrize("seed", range(3))
def test_resuming_gives_the_same_index(tmp_path, script, whole, seed) -> None:
    chance = random.Random(seed)
    path = tmp_path / "i"
    command = [sys.executable, str(script), str(path)]
    partial = 0
    # While the file is made; in the first half, of which some batches are kept; further on; and at any time at all.
    aims = [
        chance.randrange(whole.opening),
        whole.opening + int(whole.statements * chance.uniform(0.3, 0.5)),
        whole.opening + int(whole.statements * chance.uniform(0.1, 0.4)),
        None,
        None,
    ]
    for aim in aims:
        if aim is None:
            with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
                assert process.stdout
                process.stdout.readline()
                time.sleep(chance.random() * whole.seconds / 2)
                process.kill()
        else:
            killed = subprocess.run([*command, str(aim)], check=False, stdout=subprocess.DEVNULL)
            assert killed.returncode == -signal.SIGKILL
        if not path.exists() or not path.stat().st_size:
            continue
        with SqliteBackend(path) as index:  # opened again, even if it was being made
            count, unfinished = len(index), index.unfinished
            assert unfinished == (["numbers"] if 0 < count < len(whole.tables["document"]) else unfinished)
            partial += 0 < count < len(whole.tables["document"])
            for hit in index.search("word1", limit=5):
                assert index.get(hit["id"]) == hit
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    assert tables(path) == whole.tables
    with SqliteBackend(path) as index:
        assert index.unfinished == []
        with index.connections.connection() as connection:
            connection.execute("INSERT INTO posting(posting) VALUES ('integrity-check')")
    assert partial >= 2, "no kill came in the midst of the work"


INDEXING = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from tests import dying
from sid.cli import main
dying.watch()
dying.after(9_000)
main()
"""


def test_the_command_killed_goes_on_where_it_was(tmp_path) -> None:
    source = tmp_path / "d.jsonl"
    source.write_text(
        "".join(f'{{"id": {number}, "content": "word{number % 97} common"}}\n' for number in range(8_000))
    )
    path = tmp_path / "i"
    command = [sys.executable, "-m", "sid", "index", str(source), "--into", str(path)]
    script = tmp_path / "indexing.py"
    script.write_text(INDEXING)
    killed = subprocess.run([sys.executable, str(script), *command[3:]], check=False, capture_output=True)
    assert killed.returncode == -signal.SIGKILL
    search = [sys.executable, "-m", "sid", "search", str(path), "common", "--limit", "1", "--json"]
    asked = subprocess.run(search, capture_output=True, text=True, check=True)
    assert "lacks documents of" in asked.stderr
    assert '"data_id": "0"' in asked.stdout
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True)
    assert '"documents": 8000' in done.stdout
    assert '"unchanged": 0' not in done.stdout
    assert subprocess.run(search, capture_output=True, text=True, check=True).stderr == ""
