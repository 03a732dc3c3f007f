"""What is imported when, and what is said where an extra is missing."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import sid
from sid import backends

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(code: str) -> str:
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, encoding="utf-8", check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_nothing_heavy_is_imported_early() -> None:
    heavy = "{'sqlite3', 'numpy', 'wordllama', 'qdrant_client', 'asyncio'} & set(sys.modules)"
    assert run(f"import sys, sid, sid.backends; print({heavy})") == "set()\n"
    assert run(
        f"import sys; from sid.backends import Corpus, CorpusRouter, FusedBackend; print('numpy' in ({heavy}))"
    ) == ("False\n")
    found = run(
        "import sys; from sid.backends import SqliteBackend; index = SqliteBackend(); "
        "index.add([{'id': 'a', 'content': 'owl'}]); print(len(index.search('owl', limit=1)), "
        "sorted({'numpy', 'wordllama', 'qdrant_client'} & set(sys.modules)))"
    )
    # The pure kernels need NumPy.
    assert found == ("1 []\n" if sid.__backend__ == "native" else "1 ['numpy']\n")


@pytest.mark.parametrize(
    ("missing", "code", "extra"),
    [
        ("wordllama", "from sid.backends import WordLlamaEmbedder; WordLlamaEmbedder()", "vector"),
        ("tokenizers", "from sid.backends import WordLlamaEmbedder; WordLlamaEmbedder()", "vector"),
        ("qdrant_client", "from sid.backends import QdrantBackend; QdrantBackend(None, 'c')", "qdrant"),
    ],
)
def test_a_missing_extra_is_named(missing, code, extra) -> None:
    said = run(
        f"import sys; sys.modules[{missing!r}] = None\n"
        f"from sid.backends import MissingExtra\n"
        f"try:\n    {code}\nexcept MissingExtra as error:\n    print(error)\n"
    )
    assert f"pip install 'sid-native[{extra}]'" in said
    assert said.count("\n") == 1


def test_every_public_name_is_there() -> None:
    for name in backends.__all__:
        assert getattr(backends, name) is not None
    with pytest.raises(AttributeError, match="'nothing'"):
        backends.nothing  # noqa: B018


@pytest.mark.parametrize("name", ["multi_corpus", "own_backend"])
def test_examples(name, capsys) -> None:
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    out = capsys.readouterr().out
    if name == "multi_corpus":
        for title, corpus in (("Budget", "email"), ("Owls", "documents")):
            shown = rf'<doc id="\1[^<]*title="{title}"[^<]*</doc>'
            owner = rf"\1 is '<7:1#a@example.org>' of {corpus}\n"
            assert re.search(rf">>> read\('(\d+)#0:20'\)\n{shown}\n{owner}", out)
    else:
        assert "text_search ['kingfisher', 'kite']" in out


def test_moving_to_a_cluster_is_one_line(capsys) -> None:
    """The line that an example names, put in the place of the one that makes an index."""
    source = (EXAMPLES / "multi_corpus.py").read_text()
    local = '    return SqliteBackend()  # in memory; SqliteBackend(f"{name}.sqlite") is in a file\n'
    assert source.count(local) == 1
    assert 'return QdrantBackend(QdrantClient(url="https://qdrant.example.org:6333", api_key=KEY), name)' in source
    moved = source.replace(local, '    return QdrantBackend(QdrantClient(":memory:"), name)\n')
    moved = (
        moved.replace("import Corpus", "import QdrantBackend, Corpus")
        .replace("email.close()", "")
        .replace("documents.close()", "")
    )
    exec(compile("from qdrant_client import QdrantClient\n" + moved, "moved", "exec"), {"__name__": "__main__"})
    assert "is '<7:1#a@example.org>' of documents" in capsys.readouterr().out
