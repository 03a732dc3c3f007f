"""`sid demo` does its job on real input."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pydoc_data.topics import topics

import pytest

from episode.service import call, serving
from episode.test_contract import ids_in, outputs
from sid.cli import main


@pytest.fixture(autouse=True)
def _no_key(monkeypatch) -> None:
    monkeypatch.delenv("SID_API_KEY", raising=False)


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


def run_without(*modules: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the demo in a process that lacks modules."""
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({modules!r})); "
        "from sid.cli import main; sys.exit(main(['demo']))"
    )
    environment = {name: value for name, value in os.environ.items() if name not in ("SID_API_KEY", "SID_BASE_URL")}
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        encoding="utf-8",
        env={**environment, **variables},
        check=False,
    )


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


def test_without_a_key_an_episode_follows_a_script_and_says_so() -> None:
    out = run_without().stdout
    _, heading, episode = out.partition("=== An episode")
    assert heading
    assert "SID_API_KEY is not set, so no model is asked: a script stands in" in episode
    # Two searches at once, answered in their order: what the first shows the second masks.
    assert episode.index("<<< call 1 of turn 1") < episode.index("<<< call 2 of turn 1") < episode.index('[seen: "#')
    read = re.search(r'>>> read \{"id": "(\d{6})#0:600"\}\n\n<<< call 1 of turn 2\n<doc id="(\d{6})#0:600"', episode)
    assert read is not None
    assert read[1] == read[2]
    reported = re.search(r'report_helpful_ids \{"ids": \["(\d{6})", "(\d{6})"\]\}\n\n1. with\n2. context-man', episode)
    assert reported is not None
    assert reported[1] == read[1]
    assert "3 turns; ended: reported." in episode


def test_with_a_key_the_model_is_asked(monkeypatch, capsys) -> None:
    def report_the_first(turn: int, conversation: list) -> list:
        if turn == 1:
            return [call("text_search", {"query": "exception"})]
        return [call("report_helpful_ids", {"ids": ids_in(outputs(conversation)[0])[:1]})]

    with serving(report_the_first) as running:
        monkeypatch.setenv("SID_API_KEY", "key")
        monkeypatch.setenv("SID_BASE_URL", running.url)
        assert main(["demo"]) == 0
    assert len(running.requests) == 2
    out = capsys.readouterr().out
    assert "a script stands in" not in out
    assert "2 turns; ended: reported." in out


def test_a_service_that_fails_is_told() -> None:
    result = run_without(SID_API_KEY="key", SID_BASE_URL="http://127.0.0.1:1/v1")
    assert result.returncode == 1
    assert result.stderr.startswith("sid demo: the episode failed: ")
    assert result.stderr.count("\n") == 1


def test_episodes_need_what_is_not_installed() -> None:
    result = run_without("jsonschema")
    assert (result.returncode, result.stderr) == (0, "")
    assert "Not shown: an episode: " in result.stdout
    assert "pip install 'sid-native[tools]'" in result.stdout
