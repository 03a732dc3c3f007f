"""`sid render`: what it prints, what it refuses, and that it never prints half a document."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sid import DocumentCache
from sid.cli import main

DOCUMENTS = [
    {"id": "a", "title": "First", "content": "alpha beta gamma delta"},
    {"id": 7, "content": "epsilon zeta", "tags": ["x", "y"]},
    {"id": "c", "content": "日本語 の \ud83d\ude00 テキスト & <b>"},
]


@pytest.fixture
def write(tmp_path: Path):
    def write(*lines: object) -> str:
        path = tmp_path / "documents.jsonl"
        raw = [
            line if isinstance(line, bytes) else (line if isinstance(line, str) else json.dumps(line)).encode()
            for line in lines
        ]
        path.write_bytes(b"\n".join(raw) + b"\n")
        return str(path)

    return write


def render(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["render", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def without_ids(text: str) -> str:
    return re.sub(r'(?<=id=")\d{6}|(?<=\n\| )\d{6}', "N", text)


def test_every_document_is_shown(capsys, write) -> None:
    code, out, err = render(capsys, write(*DOCUMENTS), "--query", "delta", "--snippet-size", "2")
    assert (code, err) == (0, "")
    assert without_ids(out) == (
        '<doc id="N#11:22" doc_length=22 title="First">\n... gamma delta\n</doc>\n'
        '<doc id="N" doc_length=12 tags="x, y">\nepsilon zeta\n</doc>\n'
        '<doc id="N#0:2" doc_length=18>\n日本 ...\n</doc>\n'
    )


def test_it_is_the_loop_through_the_library(capsys, write) -> None:
    document = {"title": "T", "body": "word " * 200 + "needle " + "word " * 200}
    _, out, _ = render(
        capsys, write({"key": 1, **document}), "--query", "needle", "--field", "body", "--id-field", "key",
        "--language", "generic",
    )  # fmt: skip
    cache = DocumentCache("generic")
    cache.add_document(1, document)
    assert without_ids(out) == without_ids(cache.apply_snippet(1, "body", "needle").render_xml()) + "\n"


def test_what_was_shown_is_masked(capsys, write) -> None:
    code, out, _ = render(capsys, write(DOCUMENTS[0], DOCUMENTS[0]), "--query", "x")
    assert code == 0
    assert '[seen: "#0:22"]' in out


def test_markdown_of_documents_with_other_fields(capsys, write) -> None:
    code, out, err = render(capsys, write(*DOCUMENTS[:2]), "--query", "x", "--format", "markdown")
    assert (code, err) == (0, "")
    assert without_ids(out) == (
        "| id | doc_length | title | content | tags |\n|----|------------|-------|---------|------|\n"
        "| N | 22 | First | alpha beta gamma delta |  |\n| N | 12 |  | epsilon zeta | x, y |\n"
    )


def test_markdown(capsys, write) -> None:
    documents = [{"id": n, "content": f"text {n} | pipe"} for n in range(2)]
    code, out, err = render(capsys, write(*documents), "--query", "x", "--format", "markdown")
    assert (code, err) == (0, "")
    assert without_ids(out) == (
        "| id | doc_length | content |\n|----|------------|---------|\n"
        "| N | 13 | text 0 \\| pipe |\n| N | 13 | text 1 \\| pipe |\n"
    )


@pytest.mark.parametrize("form", ["xml", "markdown"])
def test_json(capsys, write, form) -> None:
    _, out, _ = render(capsys, write(*DOCUMENTS, DOCUMENTS[0]), "--query", "delta", "--json", "--format", form)
    records = [json.loads(line) for line in out.splitlines()]
    assert [record["data_id"] for record in records] == ["a", 7, "c", "a"]
    assert records[0]["displayed"] == [[0, 22]]
    assert (records[3]["displayed"], records[3]["seen"]) == ([], [[0, 22]])
    assert all(record["model_facing_id"] in record["rendered"] for record in records)


GOOD = {"id": "good", "content": "fine"}
FAULTS = [
    ('{"id": "x", "content": ', 24, "not JSON"),
    ('{"id": "x" "content": "y"}', 12, "not JSON"),
    ("{'id': 1}", 2, "not JSON"),
    ('{"id": 1, "content": "y"} extra', 27, "not JSON"),
    ('{"id": 1, "content": NaN}', 22, "NaN is not a finite number"),
    ('{"NaN": "-Infinity \\" 1e999", "n": [1, -2.5e3, -Infinity]}', 48, "-Infinity is not a finite number"),
    ('{"id": 1, "n": 1e999}', 16, "1e999 is not a finite number"),
    ('{"id": ' + "9" * 5000 + ', "content": "y"}', 8, "digits"),
    ('{"id": 1, "content": "x", "n": {"a": 1, "b": 2, "a": 3}}', 1, "'a' stands twice"),
    ("[" * 100_000, 1, "recursion"),
    ('{"id": 1, "content": "x", "v": ' + "[" * 500 + "]" * 500 + "}", 1, "nested too deeply"),
    (b'{"id": "\xc3\xa9\xff", "content": "y"}', 10, "0xff"),
    ("[1, 2]", 1, "JSON object"),
    ('"text"', 1, "JSON object"),
    ("null", 1, "JSON object"),
    ({"content": "y"}, 1, "'id'"),
    ({"id": None, "content": "y"}, 1, "'id'"),
    ({"id": True, "content": "y"}, 1, "'id'"),
    ({"id": 1.5, "content": "y"}, 1, "'id'"),
    ({"id": [1], "content": "y"}, 1, "'id'"),
    ({"id": "x"}, 1, "'content'"),
    ({"id": "x", "content": ""}, 1, "'content'"),
    ({"id": "x", "content": 5}, 1, "'content'"),
    ({"id": "good", "content": "another"}, 1, "earlier line"),
]


@pytest.mark.parametrize(("line", "column", "message"), FAULTS)
@pytest.mark.parametrize("form", ["xml", "markdown"])
def test_a_fault_is_named_and_the_rest_goes_on(capsys, write, line, column, message, form) -> None:
    path = write(GOOD, "", line, {"id": "later", "content": "also fine"})
    code, out, err = render(capsys, path, "--query", "q", "--format", form)
    assert code == 1
    assert err.startswith(f"sid render: {path}:3:{column}: ")
    assert message in err
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert "fine" in out
    assert "also fine" in out


@pytest.mark.parametrize(("line", "column", "message"), FAULTS)
def test_strict_stops_at_the_first_fault(capsys, write, line, column, message) -> None:
    path = write(GOOD, line, {"id": "later", "content": "also fine"}, "{")
    code, out, err = render(capsys, path, "--query", "q", "--strict")
    assert code == 1
    assert f"{path}:2:{column}: " in err
    assert err.count("\n") == 1
    assert out.count("<doc") == out.count("</doc>") == 1
    assert "also fine" not in out


def test_a_refused_document_leaves_its_id_free(capsys, write) -> None:
    code, out, _ = render(capsys, write({"id": "x", "content": ""}, {"id": "x", "content": "fine"}), "--query", "q")
    assert code == 1
    assert "fine" in out


def test_odd_but_good_files(capsys, write, tmp_path) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id": 1, "content": "one"}\r\n\r\n  \n{"id": 2, "content": "two\\u2028\\ud800"}')
    code, out, err = render(capsys, str(path), "--query", "q")
    assert (code, err, out.count("<doc")) == (0, "", 2)
    assert render(capsys, write(), "--query", "q") == (0, "", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no-such-file.jsonl", "--query", "q"], "cannot read no-such-file.jsonl: No such file"),
        ([os.curdir, "--query", "q"], "cannot read"),
        (["-", "--query", "q", "--language", "klingon"], "supported values: danish"),
        (["-", "--query", "q", "--id-field", "content"], "both name 'content'"),
    ],
)
def test_what_cannot_start(capsys, arguments, message) -> None:
    code, out, err = render(capsys, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["f"],
        ["f", "--query", "q", "--snippet-size", "0"],
        ["f", "--query", "q", "--snippet-size", "x"],
        ["f", "--query", "q", "--format", "y"],
    ],
)
def test_usage(capsys, arguments) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["render", *arguments])
    assert stopped.value.code == 2
    assert "usage: sid render" in capsys.readouterr().err


def test_standard_input() -> None:
    command = [sys.executable, "-m", "sid", "render", "-", "--query", "q"]
    result = subprocess.run(command, input=b'{"id": 1, "content": "one"}\n{', capture_output=True, check=False)
    assert result.returncode == 1
    assert result.stdout.endswith(b"\none\n</doc>\n")
    assert result.stderr.startswith(b"sid render: standard input:2:2: not JSON")


def test_a_reader_that_leaves(write) -> None:
    path = write(*({"id": n, "content": f"document {n} " * 50} for n in range(5000)))
    command = [sys.executable, "-m", "sid", "render", path, "--query", "q"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline().startswith(b"<doc")
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 1


def test_surrogates_on_a_strict_terminal() -> None:
    document = json.dumps({"id": "\ud800", "content": "a \udfff b"})
    for options in ([], ["--json"], ["--format", "markdown"]):
        result = subprocess.run(
            [sys.executable, "-m", "sid", "render", "-", "--query", "\\ud800", *options],
            input=document.encode(),
            capture_output=True,
            env={**os.environ, "PYTHONIOENCODING": "ascii:strict"},
            check=True,
        )
        assert b"udfff" in result.stdout
        assert result.stderr == b""


def run_command(command: str) -> subprocess.CompletedProcess[str]:
    sid_command = f"{sys.executable} -m sid"
    return subprocess.run(
        ["bash", "-c", command.replace("SID", sid_command)], capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("command", ["render FILE --query q", "demo", "doctor", "--version"])
@pytest.mark.parametrize("output", [">/dev/full", ">&-"])
def test_output_that_cannot_be_written(write, command, output) -> None:
    command = command.replace("FILE", write(*DOCUMENTS))
    result = run_command(f"SID {command} {output}")
    assert result.returncode == 1
    assert result.stderr.startswith("sid: cannot write the output: ")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("source", ["- <&-", "/proc/self/mem"])
def test_input_that_cannot_be_read(source) -> None:
    if source.startswith("/") and not Path(source).exists():
        pytest.skip("needs a file whose reading fails")
    result = run_command(f"SID render --query q {source}")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("sid render: cannot read ")
    assert result.stderr.count("\n") == 1


def test_a_standard_input_without_bytes(capsys, monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("{}"))
    code, out, err = render(capsys, "-", "--query", "q")
    assert (code, out) == (2, "")
    assert "cannot read standard input" in err
