"""Documents from JSON Lines and from folders."""

from __future__ import annotations

import copy
import json
import os
import pickle
from pathlib import Path

import pytest

from sid.backends import SqliteBackend, folder_documents, jsonl_documents
from sid.backends.errors import MissingExtra, UnusableIndex
from sid.backends.jsonl import JsonlFault
from sid.backends.protocol import InvalidFilter
from sid.backends.sources import SourceFault


def line(document: object) -> bytes:
    return json.dumps(document).encode() + b"\n"


def test_json_lines(tmp_path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"title": "T", "id": "a", "content": "one"}\r\n\n{"id": 7, "content": "two"}')
    expected = [{"id": "a", "title": "T", "content": "one"}, {"id": "7", "content": "two"}]
    assert list(jsonl_documents(path)) == list(jsonl_documents(str(path))) == expected
    with path.open("rb") as file:
        assert list(jsonl_documents(file)) == expected
    with SqliteBackend() as index:
        assert index.add(jsonl_documents(path)).added == 2


def test_other_fields() -> None:
    lines = [line({"key": "a", "body": "one", "n": 1})]
    assert list(jsonl_documents(lines, id_field="key", content_field="body")) == [{"id": "a", "n": 1, "content": "one"}]
    for taken in ("id", "content"):
        lines = [line({"key": "a", "body": "one", taken: "x"})]
        with pytest.raises(SourceFault, match=f"'{taken}' would stand twice"):
            list(jsonl_documents(lines, id_field="key", content_field="body"))


FAULTS = [
    (b"{", "2:2: not JSON"),
    (b"[]", "2:1: a document must be a JSON object"),
    (b'{"id": "\xff"}', "2:9: byte 0xff is not UTF-8"),
    (line({"content": "x"}), "2:1: .*field 'id', got nothing"),
    (line({"id": True, "content": "x"}), "2:1: .*field 'id', got True"),
    (line({"id": "", "content": "x"}), "2:1: .*field 'id', got ''"),
    (line({"id": 1.5, "content": "x"}), "2:1: .*field 'id', got 1.5"),
    (line({"id": "b"}), "2:1: .*field 'content', got nothing"),
    (line({"id": "b", "content": ["x"]}), "2:1: .*field 'content'"),
    (b'{"id": "b", "content": "x", "f": NaN}', "2:34: .*NaN"),
    (b'{"id": "b", "content": "x", "f": ' + b"[" * 200 + b"]" * 200 + b"}", "2:1: .*nested"),
    (b'{"id": "b", "content": "x", "f": 1, "f": 2}', "2:1: .*twice"),
]


@pytest.mark.parametrize(("raw", "message"), FAULTS)
def test_a_fault_is_named_and_the_rest_goes_on(raw, message) -> None:
    lines = [line({"id": "a", "content": "one"}), raw, line({"id": "c", "content": "three"})]
    with pytest.raises(SourceFault, match=f"^d.jsonl:{message}"):
        list(jsonl_documents(lines, name="d.jsonl"))
    faults: list[SourceFault] = []
    assert [found["id"] for found in jsonl_documents(lines, on_fault=faults.append)] == ["a", "c"]
    assert len(faults) == 1
    assert str(faults[0]).startswith("line:2:")


def test_a_missing_file(tmp_path) -> None:
    with pytest.raises(FileNotFoundError):
        list(jsonl_documents(tmp_path / "none"))
    with pytest.raises(NotADirectoryError):
        list(folder_documents(tmp_path / "none"))


def test_a_folder(tmp_path) -> None:
    outside = tmp_path / "secret.txt"
    outside.write_text("secret")
    root = tmp_path / "root"
    for name, content in {
        "b.md": "b",
        "a.TXT": "a\r\nb",
        "sub/deep/c.txt": "c",
        "sub.md": "between",
        "empty.txt": "",
        "code.py": "no",
        ".hidden.txt": "no",
        ".git/d.txt": "no",
        "ünïcödé #1:2.md": "\ufeffmarked",
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())
    (root / "link.md").symlink_to(root / "b.md")
    (root / "leads out.md").symlink_to(outside)
    (root / "folder").symlink_to(tmp_path, target_is_directory=True)
    (root / "folder.md").mkdir()
    found = list(folder_documents(root))
    assert [(document["id"], document["content"]) for document in found] == [
        ("a.TXT", "a\r\nb"),
        ("b.md", "b"),
        ("link.md", "b"),
        ("sub.md", "between"),
        ("sub/deep/c.txt", "c"),
        ("ünïcödé #1:2.md", "marked"),
    ]
    assert found[4]["title"] == "c"


def test_faults_in_a_folder(tmp_path) -> None:
    (tmp_path / "a.txt").write_bytes(b"fine")
    (tmp_path / "b.txt").write_bytes(b"ab\xff")
    (tmp_path / "c.txt").symlink_to(tmp_path / "c.txt")
    (tmp_path / "d.txt").symlink_to(tmp_path / "gone.txt")
    with pytest.raises(SourceFault, match=r"b\.txt: byte 2 is not UTF-8"):
        list(folder_documents(tmp_path))
    faults: list[SourceFault] = []
    assert [found["id"] for found in folder_documents(tmp_path, on_fault=faults.append)] == ["a.txt"]
    assert [Path(str(fault).partition(": ")[0]).name for fault in faults] == ["b.txt", "c.txt", "d.txt"]


def test_a_folder_that_cannot_be_read(tmp_path, monkeypatch) -> None:
    for name in ("a/1.txt", "b/2.txt", "c/3.txt"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("x")
    scan = os.scandir

    def refusing(path):
        if str(path).endswith("b"):
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refusing)
    with pytest.raises(SourceFault, match="b: cannot be read: Permission denied"):
        list(folder_documents(tmp_path))
    faults: list[SourceFault] = []
    assert [found["id"] for found in folder_documents(tmp_path, on_fault=faults.append)] == ["a/1.txt", "c/3.txt"]
    assert len(faults) == 1


@pytest.mark.skipif(os.name != "posix", reason="needs file names of any bytes")
def test_file_names_that_are_no_text(tmp_path) -> None:
    raw = os.fsencode(tmp_path) + b"/\xff\n.txt"
    try:
        with open(raw, "wb") as file:
            file.write(b"owl")
    except OSError:
        pytest.skip("this file system has names in UTF-8 only")
    with SqliteBackend() as index:
        index.add(folder_documents(tmp_path))
        (hit,) = index.search("owl", limit=1)
        assert hit["id"] == "\udcff\n.txt"


@pytest.mark.parametrize(
    "error",
    [JsonlFault(3, 7, "not JSON"), MissingExtra("the vector mode", "vector", ImportError("no wordllama")),
     UnusableIndex("damaged"), SourceFault("a:1:1: bad"), InvalidFilter("no filter")],
)  # fmt: skip
def test_errors_survive_pickle(error) -> None:
    """A pool of processes hands them back that way."""
    for copied in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(copied) is type(error)
        assert str(copied) == str(error)
        assert getattr(copied, "line", None) == getattr(error, "line", None)
        assert getattr(copied, "column", None) == getattr(error, "column", None)
