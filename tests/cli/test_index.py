"""`sid index`, `sid search` and `sid read`: what they print, what they refuse, and what a program gets."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from sid import DocumentCache
from sid.backends import SqliteBackend
from sid.cli import main

BIRDS = [
    {"id": "birds/1", "title": "Owls", "n": 3, "published": "2023-05-01",
     "content": "Owls hunt at night. They hear a mouse under snow."},
    {"id": "birds/2", "title": "Kites", "n": "3", "published": "2024-05-01",
     "content": "Kites hunt by day and see heat."},
    {"id": 3, "title": "Moas", "content": "All moas are gone. " * 1000},
]  # fmt: skip


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "birds.jsonl"
    path.write_text("".join(json.dumps(bird) + "\n" for bird in BIRDS))
    return str(path)


@pytest.fixture
def index(tmp_path: Path, source: str, capsys) -> str:
    path = str(tmp_path / "birds.sqlite")
    assert main(["index", source, "--into", path]) == 0
    capsys.readouterr()
    return path


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def without_ids(text: str) -> str:
    return re.sub(r'(?<=id=")\d{6}', "N", text)


def test_indexing(capsys, tmp_path, source) -> None:
    path = str(tmp_path / "i")
    assert run(capsys, "index", source, "--into", path) == (
        0,
        f"{path}: 3 added, 0 replaced, 0 unchanged; 3 documents in all\n",
        "",
    )
    code, out, err = run(capsys, "index", source, "--into", path, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == {
        "index": path, "added": 0, "replaced": 0, "unchanged": 3, "left_out": 0, "documents": 3,
    }  # fmt: skip


def test_several_sources_and_other_fields(capsys, tmp_path, monkeypatch) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("an owl")
    lines = tmp_path / "d.jsonl"
    lines.write_text('{"key": "x", "name": "Owl", "body": "text"}')
    path = str(tmp_path / "i")
    code, out, _ = run(
        capsys, "index", str(lines), "--into", path, "--field", "body", "--id-field", "key", "--title-field", "name",
        "--language", "generic", "--json",
    )  # fmt: skip
    assert code == 0
    code, out, _ = run(
        capsys, "index", str(folder), str(lines), "--into", path, "--field", "body", "--id-field", "key", "--json"
    )
    assert json.loads(out)["added"] == 1
    assert json.loads(out)["unchanged"] == 1
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"id": "stdin", "content": "owl"}')))
    assert run(capsys, "index", "-", "--into", path)[0] == 0
    with SqliteBackend(path) as opened:
        assert opened.language == "generic"
        assert {hit["id"] for hit in opened.search("owl", limit=5)} == {"a.md", "x", "stdin"}


def test_faults_are_named_and_the_rest_goes_on(capsys, tmp_path) -> None:
    lines = tmp_path / "d.jsonl"
    lines.write_bytes(
        b'{"id": "a", "content": "one"}\n{\n{"id": "b", "content": ""}\n{"id": "c", "content": "three"}\n'
    )
    path = str(tmp_path / "i")
    code, out, err = run(capsys, "index", str(lines), "--into", path)
    assert code == 1
    assert out == f"{path}: 2 added, 0 replaced, 0 unchanged, 2 left out; 2 documents in all\n"
    assert [line.split(": ")[1] for line in err.splitlines()] == [f"{lines}:2:2", f"{lines}:3:1"]
    strict = str(tmp_path / "strict")
    code, out, err = run(capsys, "index", str(lines), "--into", strict, "--strict")
    assert (code, out, err.count("\n")) == (1, "", 1)


def test_search(capsys, index) -> None:
    code, out, err = run(capsys, "search", index, "hunting by day", "--limit", "1")
    assert (code, err) == (0, "")
    assert without_ids(out) == (
        "1. birds/2\n"
        '<doc id="N" doc_length=31 title="Kites" n="3" published="2024-05-01">\n'
        "Kites hunt by day and see heat.\n</doc>\n"
    )
    code, out, _ = run(capsys, "search", index, "hunts", "--json", "--snippet-size", "2")
    records = [json.loads(line) for line in out.splitlines()]
    assert [record["rank"] for record in records] == [1, 2]
    assert {record["data_id"] for record in records} == {"birds/1", "birds/2"}
    for record in records:
        assert record["query"] == "hunts"
        assert record["model_facing_id"] in record["rendered"]


def test_several_queries_share_what_was_seen(capsys, index, monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"mouse\n\nmouse snow\r\nnothing-of-it\n")))
    code, out, err = run(capsys, "search", index, "-")
    assert code == 0
    assert out.count("They hear a mouse") == 1
    assert '[seen: "#0:49"]' in out
    assert err == "sid search: no document answers 'nothing-of-it'\n"


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (["n=3"], {"birds/1", "birds/2"}),
        (["title=Owls"], {"birds/1"}),
        (["title=Owls", "n=4"], set()),
        (["published_after=2024"], {"birds/2"}),
        (["published_before=2024", "published_after=2020"], {"birds/1"}),
        (["title=a=b"], set()),
    ],
)
def test_filters(capsys, index, filters, expected) -> None:
    arguments = [argument for text in filters for argument in ("--filter", text)]
    code, out, _ = run(capsys, "search", index, "hunt", "--json", *arguments)
    assert code == 0
    assert {json.loads(line)["data_id"] for line in out.splitlines()} == expected


@pytest.mark.parametrize(
    "text", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1" * 5000, "[" * 5000, "null", "{}"]
)
def test_texts_that_look_like_no_number_can_be_asked_for(capsys, tmp_path, text) -> None:
    path = str(tmp_path / "i")
    with SqliteBackend(path) as backend:
        backend.add([{"id": "a", "title": text, "content": "owl"}, {"id": "b", "title": "b", "content": "owl"}])
    code, out, err = run(capsys, "search", path, "owl", "--filter", f"title={text}", "--json")
    assert (code, err) == (0, "")
    assert [json.loads(line)["data_id"] for line in out.splitlines()] == ["a"]


@pytest.mark.parametrize("mode", ["text", "vector", "fused"])
def test_modes(capsys, tmp_path, source, mode) -> None:
    path = str(tmp_path / "i")
    assert run(capsys, "index", source, "--into", path, "--vectors")[0] == 0
    code, out, err = run(capsys, "search", path, "rodents under snow", "--mode", mode, "--limit", "1", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["data_id"] == "birds/1"
    # What has vectors must go on having them.
    code, out, err = run(capsys, "index", source, "--into", path)
    assert (code, out) == (2, "")
    assert "sid index --vectors" in err


def test_read(capsys, index) -> None:
    code, out, err = run(capsys, "read", index, "birds/1", "--range", "5:18")
    assert (code, err) == (0, "")
    assert without_ids(out) == (
        '<doc id="N#5:18" doc_length=49 title="Owls" n=3 published="2023-05-01">\n... hunt at night ...\n</doc>\n'
    )
    code, out, _ = run(capsys, "read", index, "3")
    assert '#0:10000" doc_length=19000' in out
    code, out, _ = run(capsys, "read", index, "3", "--range", "0:19000", "--json")
    record = json.loads(out)
    assert record["data_id"] == "3"
    assert record["displayed"] == [[0, 19000]]
    cache = DocumentCache()
    cache.add_document("3", {"title": "Moas", "content": BIRDS[2]["content"]})
    assert without_ids(record["rendered"]) == without_ids(
        cache.get_single_span_document_view("3", "content").render_xml()
    )


def test_an_id_with_a_range(capsys, tmp_path, index) -> None:
    """As a model writes it, and never in the place of an id that is so."""
    for document_id in ("birds/1", "3"):
        for span in ("0:500", "5:18", "7:8"):
            named = run(capsys, "read", index, f"{document_id}#{span}")
            ranged = run(capsys, "read", index, document_id, "--range", span)
            assert named[0] == 0
            assert [without_ids(text) for text in named[1:]] == [without_ids(text) for text in ranged[1:]]
    code, out, err = run(capsys, "read", index, "birds/1#5:18", "--range", "0:4")
    assert (code, out, err) == (1, "", f"sid read: {index} has no document 'birds/1#5:18'\n")
    code, out, err = run(capsys, "read", index, "none#5:18")
    assert (code, out, err) == (1, "", f"sid read: {index} has no document 'none'\n")
    assert run(capsys, "read", index, "birds/1#9:x")[0] == 1
    path = tmp_path / "odd"
    with SqliteBackend(path) as backend:
        backend.add(
            [{"id": "a", "content": "short"}, {"id": "a#0:3", "content": "longer"}, {"id": "#1:2", "content": "c"}]
        )
    for text, shown in (("a#0:3", "longer"), ("a#0:2", "\nsh ..."), ("a#0:3#0:4", "\nlong ..."), ("#1:2", "\nc\n")):
        assert shown in run(capsys, "read", str(path), text)[1]


@pytest.mark.parametrize("command", [["search", "SOURCE", "mouse"], ["read", "SOURCE", "ID"]])
@pytest.mark.parametrize("kind", ["folder", "lines"])
def test_documents_in_the_place_of_an_index(capsys, tmp_path, source, kind, command) -> None:
    document_id = "birds/1"
    if kind == "folder":
        document_id, folder = "owls.md", tmp_path / "docs"
        folder.mkdir()
        (folder / "owls.md").write_text(BIRDS[0]["content"])
        (folder / "bad.txt").write_bytes(b"\xff")
        source, fault = str(folder), f"sid: {folder / 'bad.txt'}: byte 0 is not UTF-8; save the file as UTF-8\n"
    else:
        with open(source, "a") as file:
            file.write("{}\n")
        fault = f"sid: {source}:4:1: the document needs a non-empty string in field 'id', got nothing\n"
    before = sorted(tmp_path.rglob("*"))
    code, out, err = run(capsys, *({"SOURCE": source, "ID": document_id}.get(text, text) for text in command), "--json")
    assert (code, err) == (0, fault)
    assert json.loads(out)["data_id"] == document_id
    assert sorted(tmp_path.rglob("*")) == before


def test_reading_what_is_not_there(capsys, index, monkeypatch) -> None:
    code, out, err = run(capsys, "read", index, "none")
    assert (code, out, err) == (1, "", f"sid read: {index} has no document 'none'\n")
    code, out, err = run(capsys, "read", index, "birds/1", "--range", "900:950")
    assert (code, out) == (1, "")
    assert "does not overlap" in err
    assert err.count("\n") == 1
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"none\nbirds/1\n")))
    code, out, err = run(capsys, "read", index, "-")
    assert code == 1
    assert "Owls hunt" in out
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["search", "none", "q"], "there is no index 'none'; build it with sid index"),
        (["read", "none", "q"], "there is no index 'none'"),
        (["search", os.curdir, "q"], "there is no document in '.'"),
        (["search", "other", "q"], "is not a SQLite file; name another file"),
        (["read", "other", "q"], "is not a SQLite file"),
        (["index", "SOURCE", "--into", "SOURCE"], "is not a SQLite file"),
        (["index", "none", "--into", "new"], "there is no file or folder 'none'"),
        (["index", "SOURCE", "--into", "no/such/folder"], "cannot be opened"),
        (["index", "SOURCE", "--into", "INDEX", "--language", "german"], "was built with 'english', not 'german'"),
        (["index", "SOURCE", "--into", "new", "--language", "klingon"], "supported values: danish"),
        (["index", "SOURCE", "--into", "new", "--id-field", "content"], "both name 'content'"),
        (["search", "INDEX", "q", "--filter", "x"], "--filter 'x' is not name=value"),
        (["search", "INDEX", "q", "--filter", "=x"], "is not name=value"),
        (["search", "INDEX", "q", "--filter", "id=x"], "there can be no filter 'id'"),
        (["search", "INDEX", "q", "--filter", "published_after=soon"], "must be a time in ISO 8601"),
        (["search", "INDEX", "q", "--mode", "fused"], "has no vectors; add its documents again"),
        (["read", "INDEX", "x", "--range", "5"], "is not START:END"),
        (["read", "INDEX", "x", "--range=-5:5"], "is not START:END"),
    ],
)
def test_what_cannot_start(capsys, tmp_path, monkeypatch, source, index, arguments, message) -> None:
    monkeypatch.chdir(tmp_path)
    Path("other").write_text("# hello\nworld\n")
    before = Path(source).read_bytes(), Path(index).read_bytes()
    arguments = [{"SOURCE": source, "INDEX": index}.get(argument, argument) for argument in arguments]
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith(f"sid {arguments[0]}: ")
    assert err.count("\n") == 1
    assert (Path(source).read_bytes(), Path(index).read_bytes()) == before


@pytest.mark.parametrize(
    "arguments",
    [["index"], ["index", "x"], ["search", "x"], ["search", "x", "q", "--limit", "0"],
     ["search", "x", "q", "--mode", "y"], ["read", "x"]],
)  # fmt: skip
def test_usage(capsys, arguments) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert "usage: sid" in capsys.readouterr().err


def test_without_the_extra(tmp_path, source) -> None:
    code = (
        "import sys; sys.modules['wordllama'] = None; from sid.cli import main; "
        f"sys.exit(main(['index', {source!r}, '--into', {str(tmp_path / 'i')!r}, '--vectors']))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)
    assert (result.returncode, result.stdout) == (2, "")
    assert "pip install 'sid-native[vector]'" in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_source_that_cannot_be_read(capsys, tmp_path, monkeypatch) -> None:
    path = str(tmp_path / "i")
    monkeypatch.setattr(sys, "stdin", io.StringIO("{}"))
    for closed in (io.StringIO("{}"), None):
        monkeypatch.setattr(sys, "stdin", closed)
        code, out, err = run(capsys, "index", "-", "--into", path)
        assert (code, out) == (2, "")
        assert "cannot read standard input" in err
        assert not os.path.exists(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
def test_only_regular_files_of_a_folder_are_read(capsys, tmp_path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.txt").write_text("owl")
    os.mkfifo(folder / "b.txt")
    (folder / "c.md").symlink_to("b.txt")
    code, out, err = run(capsys, "index", str(folder), "--into", str(tmp_path / "i"))
    assert code == 1
    assert "1 added" in out
    assert err == "".join(
        f"sid index: {folder / name}: is not a regular file; put its text in one\n" for name in ("b.txt", "c.md")
    )


def as_nobody(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    code = (
        "import os, sys\nfrom sid.cli import main\nimport sid.backends.sqlite, sid.cli.search, sid.cli.read\n"
        "import secrets, sid.cli.index, sid.cli.render, sid.cli.replay, sid.backends.sources, sid.episode\n"
        "if os.geteuid() == 0:\n    os.setuid(65534)\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False, cwd="/")


@pytest.mark.parametrize(
    "command", [["search", "INDEX", "owls"], ["read", "INDEX", "birds/1"], ["index", "SOURCE", "--into", "INDEX"]]
)
@pytest.mark.parametrize(
    "damage",
    ["DELETE FROM posting_config", "DELETE FROM posting_docsize", "DROP TABLE posting_idx", "DELETE FROM setting",
     "UPDATE setting SET value = 'x' WHERE name = 'language'", "CREATE TABLE posting_evil(x)",
     "UPDATE setting SET name = 'heading_fielc' WHERE name = 'heading_field'",
     "UPDATE setting SET name = CAST(name AS BLOB)"],
)  # fmt: skip
def test_a_damaged_index(capsys, source, index, command, damage) -> None:
    with closing(sqlite3.connect(index)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute(damage)
        connection.commit()
    before = {file: file.read_bytes() for file in Path(index).parent.iterdir()}
    code, out, err = run(capsys, *({"INDEX": index, "SOURCE": source}.get(text, text) for text in command))
    assert (code, out) == (2, "")
    assert err.startswith(f"sid {command[0]}: {index!r} is ")
    assert err.endswith("build it again\n")
    assert err.count("\n") == 1
    assert {file: file.read_bytes() for file in Path(index).parent.iterdir()} == before


def test_an_index_that_another_process_writes_to(capsys, source, index, monkeypatch) -> None:
    monkeypatch.setattr("sid.backends.sqlite_connections.BUSY_SECONDS", 0.01)
    with closing(sqlite3.connect(index, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        assert run(capsys, "search", index, "owls")[0] == 0
        code, out, err = run(capsys, "index", source, "--into", index)
    assert (code, out) == (2, "")
    assert err == (
        f"sid index: {index!r} is being written to by another process; try again when that has ended "
        "(database is locked)\n"
    )


LONG = "/" + "n" * 5000


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs permissions")
@pytest.mark.parametrize(
    "arguments",
    [["search", "UNREADABLE", "q"], ["read", "UNREADABLE", "q"], ["index", "SOURCE", "--into", "UNREADABLE"],
     ["index", "UNREADABLE.jsonl", "--into", "NEW"], ["render", "UNREADABLE.jsonl", "--query", "q"],
     ["search", "UNREADABLE.jsonl", "q"], ["index", "SOURCE", "--into", "/proc/no/such"],
     ["search", LONG, "q"], ["read", LONG, "q"], ["index", LONG, "--into", "NEW"], ["index", "SOURCE", "--into", LONG],
     ["render", LONG, "--query", "q"], ["search", LONG + ".jsonl", "q"], ["replay", LONG],
     ["replay", "UNREADABLE.jsonl"]],
)  # fmt: skip
def test_files_that_cannot_be_used_are_not_the_output(source, index, arguments) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        names = {"UNREADABLE": folder / "i", "UNREADABLE.jsonl": folder / "d.jsonl", "SOURCE": folder / "s.jsonl"}
        shutil.copy(index, names["UNREADABLE"])
        for text in ("UNREADABLE.jsonl", "SOURCE"):
            shutil.copy(source, names[text])
        for text in ("UNREADABLE", "UNREADABLE.jsonl"):
            names[text].chmod(0)
        names["NEW"] = folder / "new"
        done = as_nobody([str(names.get(text, text)) for text in arguments])
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert "the output" not in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("sid")
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_an_output_that_takes_nothing(index, unbuffered) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "sid", "search", index, "owls"], stdout=full, stderr=subprocess.PIPE, check=False,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == b"sid: cannot write the output: No space left on device\n"


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
def test_progress_is_shown_on_a_terminal_only(tmp_path, source) -> None:
    command = [sys.executable, "-m", "sid", "index", source, "--into", str(tmp_path / "i")]
    controller, terminal = os.openpty()
    result = subprocess.run(command, stderr=terminal, stdout=subprocess.PIPE, check=True)
    os.close(terminal)
    shown = os.read(controller, 10_000).decode()
    os.close(controller)
    assert "3 documents" in shown
    assert shown.endswith("\r\x1b[K")
    assert b"\x1b" not in result.stdout
    again = subprocess.run(command, capture_output=True, check=True)
    assert again.stderr == b""


def test_interrupted(tmp_path) -> None:
    lines = tmp_path / "d.jsonl"
    lines.write_text("".join(f'{{"id": {number}, "content": "word {number}"}}\n' for number in range(100)))
    code = (
        "import sys\nfrom sid.backends import sqlite\nfrom sid.cli import main\nwrite = sqlite.write\n"
        "def interrupt(connection, document, heading):\n"
        "    if document.id == '50':\n        raise KeyboardInterrupt\n"
        "    return write(connection, document, heading)\n"
        "sqlite.write = interrupt\n"
        f"sys.exit(main(['index', {str(lines)!r}, '--into', {str(tmp_path / 'i')!r}]))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)
    assert (result.returncode, result.stdout) == (130, "")
    assert result.stderr == "sid index: interrupted; run the same command again to go on\n"
    assert main(["index", str(lines), "--into", str(tmp_path / "i")]) == 0


def test_odd_bytes_on_the_command_line(tmp_path, source) -> None:
    path = os.fsencode(tmp_path) + b"/\xff?#%41"
    for arguments in (
        [b"index", os.fsencode(source), b"--into", path],
        [b"search", path, b"owls \xff"],
        [b"read", path, b"birds/1"],
    ):
        result = subprocess.run([sys.executable.encode(), b"-m", b"sid", *arguments], capture_output=True, check=False)
        assert (result.returncode, result.stderr) == (0, b""), result
        assert result.stdout


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
def test_a_terminal_gets_no_control_characters(tmp_path) -> None:
    """A document cannot colour, move or rename what shows it; a program gets its very text."""
    text = "red \x1b[31m title \x1b]0;x\x07 back \r over \x9b1m del \x7f nul \0 tab\t é 漢 \N{RIGHT-TO-LEFT ISOLATE}"
    index = tmp_path / "i"
    with SqliteBackend(index) as made:
        made.add([{"id": "a\x1bb", "content": text}])
    for command in (["read", str(index), "a\x1bb"], ["search", str(index), "red"]):
        command = [sys.executable, "-m", "sid", *command]
        plain = subprocess.run(command, capture_output=True, check=True).stdout.decode()
        assert all(control in plain for control in "\x1b\x07\r\x9b\x7f\0\t\N{RIGHT-TO-LEFT ISOLATE}")
        ours, theirs = os.openpty()
        with subprocess.Popen(command, stdout=theirs) as process:
            os.close(theirs)
            shown = b""
            with contextlib.suppress(OSError):  # the terminal ends so
                while more := os.read(ours, 65536):
                    shown += more
        os.close(ours)
        assert process.returncode == 0
        for control in "\x1b\x07\r\x9b\x7f\0":
            plain = plain.replace(control, f"\\x{ord(control):02x}")
        one, other = (re.sub(r'id="\d{6}"', "id", text) for text in (shown.decode().replace("\r\n", "\n"), plain))
        assert one == other
