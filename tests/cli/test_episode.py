"""`sid episode` and `sid replay`: what they print, and how they end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from episode.corpora import BIRDS
from episode.service import Reply, call, serving
from episode.test_contract import ids_in, outputs
from sid.backends import SqliteBackend
from sid.cli import main
from sid.episode import read_transcript


def model(turn, conversation):
    if turn == 1:
        return [call("text_search", {"query": "owls night"}), call("text_search", {"limit": 0})]
    return Reply(
        [call("report_helpful_ids", {"ids": ids_in(outputs(conversation)[0])[:1]})],
        more={"usage": {"input_tokens": 5, "output_tokens": 2, "total_tokens": 7}},
    )


@pytest.fixture
def index(tmp_path) -> str:
    path = str(tmp_path / "birds.sqlite")
    with SqliteBackend(path) as backend:
        backend.add(BIRDS)
    return path


@pytest.fixture
def service(monkeypatch):
    with serving(model) as service:
        monkeypatch.setenv("SID_BASE_URL", service.url)
        monkeypatch.setenv("SID_API_KEY", "secret-key")
        yield service


def sid(capsys, *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_an_episode(capsys, service, index) -> None:
    assert sid(capsys, "episode", "Who hunts at night?", "--index", index) == (0, "1. owl  Owls\n", "")
    body = service.requests[0].body
    assert body["input"] == [{"role": "user", "content": "Who hunts at night?"}]
    assert [tool["name"] for tool in body["tools"]] == ["text_search", "read", "report_helpful_ids"]
    assert service.requests[0].headers["authorization"] == "Bearer secret-key"


@pytest.mark.parametrize("kind", ["folder", "lines", "named"])
def test_from_documents_to_an_episode(capsys, service, tmp_path, kind) -> None:
    """One command: what is no index yet is indexed in memory, and its faults are named."""
    folder = tmp_path / "docs"
    folder.mkdir()
    if kind == "folder":
        for bird in BIRDS:
            (folder / f"{bird['id']}.txt").write_text(bird["content"])
        (folder / "bad.md").write_bytes(b"\xff")
        source, faulty, reported = folder, str(folder / "bad.md"), "1. owl.txt  owl\n"
    else:
        source = folder / "birds.jsonl"
        source.write_text("".join(json.dumps(bird) + "\n" for bird in BIRDS) + "no JSON\n")
        faulty, reported = f"{source}:{len(BIRDS) + 1}:1", "1. owl  Owls\n"
    before = sorted(tmp_path.rglob("*"))
    index = f"birds={source}" if kind == "named" else str(source)
    if kind == "named":
        service.model = lambda turn, conversation: (
            [call("birds_text_search", {"query": "owls night"})]
            if turn == 1
            else [call("report_helpful_ids", {"ids": ids_in(outputs(conversation)[0])[:1]})]
        )
        reported = "1. birds:owl  Owls\n"
    code, out, err = sid(capsys, "episode", "Who hunts at night?", "--index", index)
    assert (code, out) == (0, reported)
    assert err.startswith(f"sid: {faulty}: ")
    assert err.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_indexing_before_an_episode_is_shown_on_a_terminal(service, tmp_path) -> None:
    pty = pytest.importorskip("pty")
    source = tmp_path / "birds.jsonl"
    source.write_text("".join(json.dumps(bird) + "\n" for bird in BIRDS))
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "sid", "episode", "Who?", "--index", str(source)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=slave, check=True)
    os.close(slave)
    shown = os.read(master, 10_000).decode()
    os.close(master)
    assert done.stdout == b"1. owl  Owls\n"
    assert f"{len(BIRDS)} documents" in shown


def test_settings(capsys, service, index) -> None:
    code, out, err = sid(
        capsys, "episode", "Who?", "--index", f"./{os.path.relpath(index)}", "--contents", "Birds", "--model", "sid-2x",
        "--reward", "ndcg", "--effort", "high", "--json",
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert json.loads(out) == {
        "ended": "reported", "detail": "", "turns": 2,
        "reported": [{"data_id": "owl", "corpus": None, "id": "owl"}],
        "usage": {"input_tokens": 5, "cached_tokens": 0, "output_tokens": 2, "reasoning_tokens": 0, "total_tokens": 7},
    }  # fmt: skip
    body = service.requests[0].body
    assert (body["model"], body["sid"]["reward"], body["reasoning"]) == ("sid-2x", "ndcg", {"effort": "high"})
    assert body["tools"][0]["description"].startswith("Birds. Full-text")


def test_two_indexes(capsys, monkeypatch, index) -> None:
    def model(turn, conversation):
        if turn == 1:
            return [call("mine_text_search", {"query": "owls"}), call("yours_text_search", {"query": "owls"})]
        return [call("report_helpful_ids", {"ids": [ids_in(text)[0] for text in outputs(conversation)]})]

    with serving(model) as service:
        monkeypatch.setenv("SID_BASE_URL", service.url)
        monkeypatch.setenv("SID_API_KEY", "k")
        code, out, err = sid(
            capsys, "episode", "Who?", "--index", f"mine={index}", "--index", f"yours={index}",
            "--contents", "yours=Other",
        )  # fmt: skip
    assert (code, out, err) == (0, "1. mine:owl  Owls\n2. yours:owl  Owls\n", "")


def test_a_transcript_and_its_replay(capsys, service, index, tmp_path) -> None:
    path = str(tmp_path / "t.jsonl")
    assert sid(capsys, "episode", "Who?", "--index", index, "--transcript", path)[0] == 0
    assert "secret-key" not in Path(path).read_text()
    requests = len(service.requests)
    code, out, err = sid(capsys, "replay", path)
    assert (code, err) == (0, "")
    assert out.startswith('>>> text_search {"query": "owls night"}\n')
    for event in read_transcript(path):
        if event["event"] == "observation":
            assert f"{event['output']}\n" in out
    assert out.endswith("1. owl\n2 turns, 2 observations, none other than recorded; ended: reported\n")
    code, out, _ = sid(capsys, "replay", path, "--json")
    assert (code, json.loads(out)) == (
        0, {"ended": "reported", "detail": "", "turns": 2, "observations": 2, "reported": ["owl"]},
    )  # fmt: skip
    assert len(service.requests) == requests

    text = Path(path).read_text()
    Path(path).write_text(text.replace("Owls hunt at night.", "Owls hunt at noon.", 1))
    code, out, err = sid(capsys, "replay", path)
    assert code == 1
    assert err.startswith("sid replay: call 1 of turn 1 gave another observation")
    assert err.count("\n") == 1
    Path(path).write_text(text[: len(text) // 2])
    code, out, err = sid(capsys, "replay", path)
    assert (code, err) == (0, "")
    assert "ended: transcript_ends (the transcript" in out

    code, out, err = sid(capsys, "episode", "Who?", "--index", index, "--transcript", path)
    assert (code, out) == (2, "")
    assert err == f"sid episode: the transcript {path!r} exists: name another file\n"
    assert len(service.requests) == requests


@pytest.mark.parametrize("arguments", [["no.jsonl"], ["."], ["README"], ["README", "--json"]])
def test_what_cannot_be_replayed(capsys, tmp_path, monkeypatch, arguments) -> None:
    monkeypatch.chdir(tmp_path)
    Path("README").write_text("# hello\nworld\n")
    code, out, err = sid(capsys, "replay", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("sid replay: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["Who?", "--index", "no.sqlite"], "no.sqlite"),
        (["Who?", "--index", "no.jsonl"], "there is no index 'no.jsonl'"),
        (["Who?", "--index", "FOLDER"], "there is no document in"),
        (["", "--index", "INDEX"], "question must be a non-empty str"),
        (["Who?", "--index", "INDEX", "--max-turns", "1"], "max_turns must be an integer, at least 2, got 1"),
        (
            ["Who?", "--index", "INDEX", "--limit", "1000"],
            "default_limit must be an integer, at least 1 and at most 100",
        ),
        (["Who?", "--index", "INDEX", "--index", "INDEX"], "must have a name"),
        (["Who?", "--index", "a=INDEX", "--index", "a=INDEX"], "unique"),
        (["Who?", "--index", "INDEX", "--contents", "b=Birds"], "--contents names a corpus that no --index has: b"),
    ],
)
def test_what_cannot_start(capsys, service, index, arguments, message) -> None:
    code, out, err = sid(
        capsys,
        "episode",
        *(argument.replace("INDEX", index).replace("FOLDER", os.path.dirname(index)) for argument in arguments),
    )
    assert (code, out) == (2, "")
    assert err.startswith("sid episode: ")
    assert message in err
    assert err.count("\n") == 1
    assert not service.requests


def test_vectors_that_are_not_there(capsys, service, index) -> None:
    pytest.importorskip("wordllama")
    code, out, err = sid(capsys, "episode", "Who?", "--index", index, "--vectors")
    assert (code, out) == (2, "")
    assert err.startswith(f"sid episode: {index!r} has no vectors; add its documents again")
    assert not service.requests


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "SSL_CERT_DIR"])
def test_certificates_that_are_not_there(capsys, service, monkeypatch, index, variable) -> None:
    monkeypatch.setenv(variable, "/no/such/certificates")
    code, out, err = sid(capsys, "episode", "Who?", "--index", index)
    if code:
        assert (code, out) == (2, "")
        assert err.startswith("sid episode: the default client cannot be made: ")
        assert "No such file" in err
        assert variable in err
        assert err.count("\n") == 1
    else:  # a client that is content with none, since the service speaks plain HTTP
        assert (out, err) == ("1. owl  Owls\n", "")


def test_without_a_key(capsys, monkeypatch, index) -> None:
    monkeypatch.delenv("SID_API_KEY", raising=False)
    code, out, err = sid(capsys, "episode", "Who?", "--index", index)
    assert (code, out) == (2, "")
    assert err == "sid episode: SID_API_KEY is not set: set it to your API key, as in export SID_API_KEY=...\n"


@pytest.mark.parametrize(("package", "extra"), [("openai", "openai"), ("jsonschema", "tools")])
def test_without_a_package(index, service, package, extra) -> None:
    code = f"import sys; sys.modules[{package!r}] = None; from sid.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "episode", "Who?", "--index", index]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert f"pip install 'sid-native[{extra}]'" in done.stderr


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply(code=401, body=b'{"error":{"message":"Incorrect API key"}}'), "Incorrect API key"),
        (Reply(status="incomplete"), "nothing was reported: the model's response broke off"),
        (Reply([]), "nothing was reported: no report in 2 turns"),
    ],
)
def test_what_ends_otherwise(capsys, monkeypatch, index, reply, message) -> None:
    with serving(lambda *_: reply) as service:
        monkeypatch.setenv("SID_BASE_URL", service.url)
        monkeypatch.setenv("SID_API_KEY", "secret-key")
        code, out, err = sid(capsys, "episode", "Who?", "--index", index, "--max-turns", "2")
    assert (code, out) == (1, "")
    assert err.startswith("sid episode: ")
    assert message in err
    assert err.count("\n") == 1


def test_progress_is_for_terminals(service, index, tmp_path) -> None:
    pty = pytest.importorskip("pty")
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "sid", "episode", "Who?", "--index", index]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=slave, check=True)
    os.close(slave)
    shown = os.read(master, 10_000).decode()
    os.close(master)
    assert done.stdout == b"1. owl  Owls\n"
    assert "turn 1 of 10" in shown
    assert "text_search" in shown
