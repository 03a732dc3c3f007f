"""`sid governed`: what it prints, what it refuses, and its exit codes."""

from __future__ import annotations

import io
import json
import sqlite3
import sys
from pathlib import Path

import pytest

from sid.cli import main

VERSION = {
    "document_id": "NS-1",
    "version": 1,
    "title": "Bleeding",
    "text": "Open valve A, then bleed the pump.",
    "scope": "pumps",
    "effective_from": "2026-01-01",
    "audience": ["acme"],
}
TICKET = {"ticket_id": "T-1", "organization_id": "acme", "scope": "pumps", "opened_at": "2026-02-03T10:00Z"}
ADA = ("--operator", "ada", "--organization", "acme")
EVE = ("--operator", "eve", "--organization", "globex")


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    code = main(["governed", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def lines(path: Path, *records: object) -> str:
    path.write_text("".join((record if isinstance(record, str) else json.dumps(record)) + "\n" for record in records))
    return str(path)


@pytest.fixture
def store(tmp_path, capsys) -> str:
    path = str(tmp_path / "s")
    versions, tickets = lines(tmp_path / "v", VERSION), lines(tmp_path / "t", TICKET)
    assert run(capsys, "load", path, versions, "--tickets", tickets) == (
        0,
        f"{path}: 1 added, 0 unchanged; 1 tickets\n",
        "",
    )
    return path


def test_asking_and_opening(capsys, store) -> None:
    code, out, err = run(capsys, "ask", store, "T-1", "How do I bleed the pump?", *ADA)
    assert (code, err) == (0, "")
    assert 'locator="NS-1@1#0:34"' in out
    assert "\nOpen valve A, then bleed the pump.\n</doc>\n" in out
    code, out, _ = run(capsys, "ask", store, "T-1", "How do I bleed the pump?", *ADA, "--json")
    (passage,) = json.loads(out)["passages"]
    assert passage["text"] == VERSION["text"]
    refused = run(capsys, "ask", store, "T-1", "How do I bleed the pump?", *EVE)
    assert refused == run(capsys, "ask", store, "T-9", "How do I bleed the pump?", *ADA)
    assert refused[0] == 1
    code, out, _ = run(capsys, "open", store, passage["locator"], *ADA)
    assert (code, out) == (0, f"NS-1@1#0:34: Bleeding (in force)\n\n{VERSION['text']}\n")
    assert run(capsys, "open", store, passage["locator"], *EVE) == (1, "Unavailable.\n", "")
    code, out, _ = run(capsys, "open", store, passage["locator"], *ADA, "--json")
    assert json.loads(out) == {"result": "Opened", **passage, "is_current": True, "superseded_by_visible": []}
    assert json.loads(run(capsys, "open", store, "NS-1@9#0:1", *ADA, "--json")[1]) == {"result": "Unavailable"}
    code, out, err = run(capsys, "ask", store, "T 1", "x", *ADA)
    assert (code, out) == (1, "")
    assert err.startswith("sid governed ask: ticket_id must be 1 to 64")


def test_checking(capsys, store, tmp_path, monkeypatch) -> None:
    good = [{"text": "Valve A.", "citations": [{"locator": "NS-1@1#0:12", "quote": "valve A"}]}]
    code, out, _ = run(capsys, "check", store, lines(tmp_path / "c", good), *ADA)
    assert (code, out) == (0, "quoted\n    Valve A.\nQuoted is not true: it stands where it says.\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps([*good, {"text": "B."}]).encode())))
    code, out, _ = run(capsys, "check", store, "-", *ADA)
    assert code == 1
    assert "NOT QUOTED: missing_citation\n    B.\nreview: r-" in out
    code, out, _ = run(capsys, "check", store, lines(tmp_path / "c", good), *EVE, "--json")
    assert (code, json.loads(out)["claims"][0]["reasons"]) == (1, [["not_accessible", "NS-1@1#0:12"]])
    for bad in ("{}", "[", '[{"text": 1}]', '[{"claim": "x"}]', "[[]]", "[]"):
        code, _, err = run(capsys, "check", store, lines(tmp_path / "c", bad), *ADA)
        assert code == 2, bad
        assert err.startswith("sid governed check: ")
        assert err.count("\n") == 1


def test_reviewing(capsys, store) -> None:
    run(capsys, "ask", store, "T-1", "flux capacitor", *ADA)
    grace = ("--reviewer", "grace")
    code, out, _ = run(capsys, "review", store, "claim", *grace, "--qualification", "boilers")
    assert (code, out) == (1, "")
    item = json.loads(run(capsys, "review", store, "claim", *grace, "--qualification", "pumps")[1])
    assert (item["state"], item["claim"]) == ("claimed", 1)
    step = ("review", store, "resolve", item["id"], "--claim", "1", "--note", "Use NS-7.")
    code, _, err = run(capsys, *step, "--reviewer", "eve")
    assert (code, "not held by claim 1" in err) == (1, True)
    assert json.loads(run(capsys, *step, *grace)[1])["resolution"] == "Use NS-7."
    assert run(capsys, *step, *grace)[0] == 1
    assert run(capsys, "review", store, "release", item["id"], "--claim", "1", *grace)[0] == 1
    assert run(capsys, "review", store, "release", "r-0", "--claim", "1", *grace)[0] == 2
    (listed,) = run(capsys, "review", store, "list")[1].splitlines()
    assert json.loads(listed)["state"] == "resolved"
    assert run(capsys, "review", store, "list", "--state", "open")[1] == ""


def test_auditing(capsys, store) -> None:
    run(capsys, "ask", store, "T-1", "pump\u202e\x1b[2J valve", *ADA)
    code, out, _ = run(capsys, "audit", store)
    assert code == 0
    assert out.isascii()
    assert "\x1b" not in out
    assert [json.loads(line)["kind"] for line in out.splitlines()] == [*("added", "tickets", "review_filed", "asked")]
    code, out, err = run(capsys, "audit", store, "--verify")
    assert (code, err) == (0, "")
    head = out.split()[-1]
    assert run(capsys, "status", store, "NS-1@1", "withdrawn")[:2] == (0, "NS-1@1: withdrawn\n")
    assert run(capsys, "audit", store, "--head", head)[0] == 0
    code, _, err = run(capsys, "audit", store, "--head", "4:00")
    assert (code, err) == (1, "sid governed audit: the audit log does not hold the head '4:00'\n")
    code, _, err = run(capsys, "status", store, "NS-1@1", "active")
    assert (code, "cannot become active" in err) == (1, True)
    assert run(capsys, "status", store, "NS-1", "active")[0] == 2


def test_loading_is_all_or_nothing(capsys, store, tmp_path) -> None:
    head = run(capsys, "audit", store, "--verify")[1]
    second = VERSION | {"version": 2}
    bad = lines(tmp_path / "b", VERSION | {"document_id": "NS-2"}, "{", VERSION | {"audience": "acme"}, {"x": 1})
    code, out, err = run(capsys, "load", store, bad)
    assert (code, out) == (1, "")
    assert [line.split(": ")[1] for line in err.splitlines()[:-1]] == [f"{bad}:2:2", f"{bad}:3", f"{bad}:4"]
    assert err.endswith("nothing was written\n")
    code, _, err = run(capsys, "load", store, lines(tmp_path / "b", VERSION | {"document_id": "NS-2"}, second))
    assert code == 1
    assert err.startswith("sid governed load: NS-1@2 and NS-1@1 would both be in force on 2026-01-01 for acme")
    assert run(capsys, "audit", store, "--verify")[1] == head
    code, out, _ = run(capsys, "load", store, lines(tmp_path / "b", VERSION), "--json")
    assert (code, json.loads(out)["unchanged"]) == (0, 1)
    assert run(capsys, "audit", store, "--verify")[1] == head


def test_what_cannot_start(capsys, tmp_path, store) -> None:
    for arguments in (
        ("ask", str(tmp_path / "none"), "T-1", "x", *ADA),
        ("audit", str(tmp_path / "none")),
        ("load", str(tmp_path / "s2"), str(tmp_path / "none")),
        ("load", str(tmp_path / "s2")),
        ("ask", store, "T-1", "x", "--operator", "", "--organization", "acme"),
        ("load", lines(tmp_path / "text", "not a database"), lines(tmp_path / "v", VERSION)),
    ):
        code, out, err = run(capsys, *arguments)
        assert (code, out) == (2, ""), arguments
        assert err.startswith(f"sid governed {arguments[0]}: ")
        assert err.count("\n") == 1
    assert not (tmp_path / "none").exists()


FORGED = "Drink the oil.\x1b[2K\rquoted\x1b[8m\nquoted\n    All is fine.\u2028quoted\u202e"


def test_what_a_model_wrote_forges_no_verdict(capsys, store, tmp_path) -> None:
    """Claims and locators stay on their lines, and nothing that a terminal acts upon comes out."""
    claims = [
        {"text": FORGED, "citations": [{"locator": "NS-1@1#0:4" + FORGED, "quote": "Open"}]},
        {"text": FORGED, "citations": [{"locator": "NS-1@1#0:12", "quote": "Open valve A"}]},
    ]
    (tmp_path / "claims").write_text(json.dumps(claims))
    code, out, _ = run(capsys, "check", store, str(tmp_path / "claims"), *ADA)
    assert code == 1
    assert all(char.isprintable() or char == "\n" for char in out)
    assert [line.split()[0] for line in out.splitlines()] == ["NOT", "Drink", "quoted", "Drink", "review:"]


def test_what_a_document_says_is_carried_out_by_no_terminal(capsys, store, tmp_path) -> None:
    text = "Open valve A,\rbleed the pump.\u202e\tNow\nor later."
    changed = {**VERSION, "document_id": "NS-2", "text": text}
    assert run(capsys, "load", store, lines(tmp_path / "more", changed))[0] == 0
    shown = "Open valve A,\\rbleed the pump.\\u202e\tNow\nor later."
    for command in (("open", store, f"NS-2@1#0:{len(text)}"), ("ask", store, "T-1", "valve pump now later")):
        code, out, _ = run(capsys, *command, *ADA)
        assert code == 0
        assert shown in out


def test_an_empty_head_is_no_head(capsys, store) -> None:
    code, out, err = run(capsys, "audit", store, "--head", "")
    assert (code, out) == (2, "")
    assert err.startswith("sid governed audit: --head is empty")


def test_versions_and_tickets_are_loaded_together(capsys, store, tmp_path, monkeypatch) -> None:
    import sid.governed.store as module

    def fail(*_: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    before = run(capsys, "audit", store)
    monkeypatch.setattr(module, "write_ticket", fail)
    versions = lines(
        tmp_path / "v", {**VERSION, "version": 2, "supersedes": ["NS-1@1"], "effective_from": "2026-02-01"}
    )
    for path in (store, str(tmp_path / "new")):
        code, out, err = run(capsys, "load", path, versions, "--tickets", str(tmp_path / "t"))
        assert (code, out) in ((2, ""), (1, ""))
        assert err.startswith("sid governed load: ")
        assert "index" not in err
    assert run(capsys, "audit", store) == before
    assert not list(tmp_path.glob("new*"))


@pytest.mark.parametrize("by", ["", 'a"b', " a", "a\n"])
def test_who_writes_must_have_a_name(capsys, store, tmp_path, by) -> None:
    for command in (("load", str(tmp_path / "new"), str(tmp_path / "v")), ("status", store, "NS-1@1", "withdrawn")):
        code, out, err = run(capsys, *command, "--by", by)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert "--by" in err
    assert not (tmp_path / "new").exists()


def test_paths_that_cannot_be(capsys, tmp_path) -> None:
    versions = lines(tmp_path / "v", VERSION)
    for path in ("x" * 5000, str(tmp_path), str(tmp_path / "v" / "store"), str(tmp_path / "none" / "store")):
        for command in (("load", path, versions), ("audit", path)):
            code, out, err = run(capsys, *command)
            assert (code, out, err.count("\n")) == (2, "", 1)
            assert "output" not in err
            assert "index" not in err.replace(path, "")
