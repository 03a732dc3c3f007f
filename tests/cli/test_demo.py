"""`sid demo` does its job on real input."""

from __future__ import annotations

import re
import subprocess
import sys
from pydoc_data.topics import topics

import pytest

from sid.cli import main


def test_what_it_shows(capsys) -> None:
    assert main(["demo"]) == 0
    out = capsys.readouterr().out
    assert out.count("<doc ") == out.count("</doc>") >= 10
    assert '[seen: "#' in out
    assert re.search(r">>> read\(id='\d{6}#\d+:\d+'\)", out)
    assert re.search(r"Shown [\d,]+ characters", out)
    # What it says is the text of a topic is.
    titles = re.findall(r'title="([^"]+)"', out)
    assert set(titles) <= set(topics)
    first = re.search(r'<doc id="\d{6}#(\d+):(\d+)" doc_length=(\d+) title="([^"]+)">\n(.*?)\n</doc>', out, re.DOTALL)
    assert first is not None
    start, end, length, title, body = first.groups()
    assert len(topics[title]) == int(length)
    escaped = topics[title][int(start) : int(end)].replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert escaped in body


def run_without(*modules: str) -> subprocess.CompletedProcess[str]:
    """Run the demo in a process that lacks modules."""
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({modules!r})); "
        "from sid.cli import main; sys.exit(main(['demo']))"
    )
    return subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)


@pytest.mark.parametrize("module", ["sqlite3", "pydoc_data.topics"])
def test_without_a_part_of_the_standard_library(module) -> None:
    result = run_without(module)
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr.startswith("sid demo: ")
    assert result.stderr.count("\n") == 1


def test_semantic_results_are_shown_where_they_can_be() -> None:
    with_it, without = run_without(), run_without("wordllama")
    assert ">>> search(query=" in with_it.stdout
    assert "Not shown" not in with_it.stdout
    assert ">>> search(query=" not in without.stdout
    assert "pip install 'sid-native[vector]'" in without.stdout
    for result in (with_it, without):
        assert (result.returncode, result.stderr) == (0, "")
        assert ">>> text_search(query=" in result.stdout
        assert '[seen: "#' in result.stdout
