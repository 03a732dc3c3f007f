"""`sid demo` does its job on real input."""

from __future__ import annotations

import re
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


@pytest.mark.parametrize("module", ["sqlite3", "pydoc_data.topics"])
def test_without_a_part_of_the_standard_library(capsys, monkeypatch, module) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    assert main(["demo"]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("sid demo: ")
    assert printed.err.count("\n") == 1
