"""What is particular to the index in SQLite: its ranking, its file, its settings."""

from __future__ import annotations

import math
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from pydoc_data.topics import topics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sid.analysis import kept_terms, query_terms
from sid.backends import SqliteBackend, UnusableIndex
from sid.backends.sqlite import HEADING_WEIGHT
from sid.backends.sqlite_schema import APPLICATION_ID, FORMAT_VERSION

words = st.sampled_from("red blue green owl kite mouse snow day night hunt".split())
sentences = st.lists(words, min_size=1, max_size=12).map(" ".join)
documents = st.fixed_dictionaries({"title": sentences | st.just(""), "content": sentences})


def ranked(found: list[dict[str, str]], query: str) -> dict[str, float]:
    """Score documents as SQLite's manual says that bm25() does; more is better."""
    k1, b = 1.2, 0.75
    columns = {
        document["id"]: (kept_terms(document.get("title", ""), "generic"), kept_terms(document["content"], "generic"))
        for document in found
    }
    average = sum(len(part) for both in columns.values() for part in both) / max(1, len(columns))
    scores: dict[str, float] = {}
    for term in query_terms(query, "generic"):
        holders = [key for key, both in columns.items() if any(term in part for part in both)]
        idf = max(1e-6, math.log((len(columns) - len(holders) + 0.5) / (len(holders) + 0.5)))
        for key in holders:
            heading, content = columns[key]
            tf = HEADING_WEIGHT * heading.count(term) + content.count(term)
            length = len(heading) + len(content)
            scores[key] = scores.get(key, 0.0) + idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average))
    return scores


@given(st.lists(documents, min_size=1, max_size=12), sentences)
def test_the_ranking_is_bm25(found, query) -> None:
    numbered = [{"id": str(number), **document} for number, document in enumerate(found)]
    scores = ranked(numbered, query)
    with SqliteBackend(language="generic") as index:
        index.add(numbered)
        order = [hit["id"] for hit in index.search(query, limit=99)]
    assert set(order) == set(scores)
    for earlier, later in pairwise(order):
        assert scores[earlier] > scores[later] - 1e-9
        if math.isclose(scores[earlier], scores[later], rel_tol=1e-12, abs_tol=0):
            assert found[int(earlier)] != found[int(later)] or int(earlier) < int(later)


@given(st.lists(st.tuples(st.sampled_from("abcdef"), documents), max_size=30), st.data())
@settings(max_examples=50)
def test_any_history_gives_the_index_of_its_outcome(history, data) -> None:
    """Adding, replacing and removing leave what adding the outcome alone would have made."""
    kept: dict[str, dict[str, str]] = {}
    with SqliteBackend() as index, SqliteBackend() as fresh:
        for key, document in history:
            if data.draw(st.booleans(), label="remove"):
                index.remove([key])
                kept.pop(key, None)
            else:
                index.add([{"id": key, **document}])
                kept[key] = {"id": key, **document}
        fresh.add(kept.values())
        assert len(index) == len(kept)
        for query in ("owl", "hunting day", "red blue green mouse snow night"):
            found, expected = index.search(query, limit=99), fresh.search(query, limit=99)
            assert sorted(found, key=str) == sorted(expected, key=str)
        with index.connections.connection() as connection:
            connection.execute("INSERT INTO posting(posting) VALUES ('integrity-check')")


def test_english_is_stemmed_and_others_are_not() -> None:
    document = {"id": "a", "content": "running hunters"}
    for language, found in (("english", 1), ("german", 0), ("generic", 0)):
        with SqliteBackend(language=language) as index:
            index.add([document])
            assert len(index.search("run hunter", limit=5)) == found
            assert len(index.search("RUNNING", limit=5)) == 1


def test_scripts_without_spaces() -> None:
    with SqliteBackend() as index:
        index.add([{"id": "ja", "content": "東京都に住む"}, {"id": "zh", "content": "北京"}])
        assert [hit["id"] for hit in index.search("東京", limit=5)] == ["ja", "zh"]


def test_headings() -> None:
    documents = [
        {"id": "content", "title": "x", "content": "owl"},
        {"id": "title", "title": "owl", "content": "x"},
        {"id": "list", "title": ["x", "kite"], "content": "x"},
        {"id": "number", "title": 5, "content": "x y"},
    ]
    with SqliteBackend() as index:
        index.add(documents)
        assert [hit["id"] for hit in index.search("owl", limit=5)] == ["title", "content"]
        assert [hit["id"] for hit in index.search("kite", limit=5)] == ["list"]
    with SqliteBackend(heading_field="name") as index:
        index.add([*documents, {"id": "named", "name": "owl", "content": "x"}])
        assert {hit["id"] for hit in index.search("owl", limit=5)} == {"content", "named"}


def test_thousands_of_documents(tmp_path) -> None:
    random.seed(7)
    vocabulary = [f"word{number}" for number in range(2000)]
    documents = [
        {"id": f"d{number}", "n": number % 10, "content": " ".join(random.choices(vocabulary, k=60))}
        for number in range(5000)
    ]
    with SqliteBackend(tmp_path / "i") as index:
        assert index.add(documents).added == 5000
        assert len(index) == 5000
        for query in ("word1 word2", "word77"):
            found = index.search(query, limit=1000, filters={"n": [3, 4]})
            wanted = set(query.split())
            assert {hit["id"] for hit in found} == {
                document["id"]
                for document in documents
                if document["n"] in (3, 4) and wanted & set(document["content"].split())
            }


def test_filters_do_not_multiply_the_work() -> None:
    """The words are looked up once, and not anew for every document that a filter allows."""
    statements: list[str] = []
    with SqliteBackend() as index, index.connections.connection() as connection:
        index.add([{"id": "a", "n": 1, "at": "2020", "content": "owl"}])
        connection.set_trace_callback(statements.append)
        assert len(index.search("owl", limit=5, filters={"n": 1, "at_after": "2019"})) == 1
        connection.set_trace_callback(None)
        (search,) = [statement for statement in statements if "MATCH" in statement]
        plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {search}")]
    (scan,) = [step for step in plan if "posting VIRTUAL TABLE" in step]
    assert "=" not in scan.partition("INDEX")[2], plan  # FTS5 writes "=" where it is given the document's number


# The file


def test_a_file_keeps_everything(tmp_path) -> None:
    path = tmp_path / "birds?mode=memory#%41 é.sqlite"
    with SqliteBackend(path, language="german", heading_field="name") as index:
        index.add([{"id": "a", "name": "Eule", "content": "jagt nachts"}])
    assert [file.name for file in tmp_path.iterdir()] == [path.name]  # no log left behind
    for again in ({}, {"read_only": True}, {"language": "german"}, {"heading_field": "name"}):
        with SqliteBackend(path, **again) as index:
            assert index.language == "german"
            assert index.search("eule", limit=1)[0]["id"] == "a"


def test_other_settings_are_refused(tmp_path) -> None:
    path = tmp_path / "i"
    SqliteBackend(path).close()
    for options in ({"language": "german"}, {"heading_field": "name"}):
        with pytest.raises(UnusableIndex, match="was built with"):
            SqliteBackend(path, **options)
    with pytest.raises(ValueError, match="supported values"):
        SqliteBackend(path, language="klingon")


def test_a_missing_file(tmp_path) -> None:
    with pytest.raises(UnusableIndex, match="no index"):
        SqliteBackend(tmp_path / "none", read_only=True)
    assert not list(tmp_path.iterdir())
    with pytest.raises(UnusableIndex, match="cannot be opened"):
        SqliteBackend(tmp_path / "no folder" / "i")
    with pytest.raises(UnusableIndex, match="cannot be opened"):
        SqliteBackend(tmp_path)


def test_reading_only(tmp_path) -> None:
    path = tmp_path / "i"
    with SqliteBackend(path) as index:
        index.add([{"id": "a", "content": "owl"}])
    before = path.read_bytes()
    with SqliteBackend(path, read_only=True) as index:
        assert len(index.search("owl", limit=1)) == 1
        for change in (lambda: index.add([{"id": "b", "content": "x"}]), lambda: index.remove(["a"])):
            with pytest.raises(UnusableIndex, match="reading only"):
                change()
    assert path.read_bytes() == before


def test_closed() -> None:
    index = SqliteBackend()
    index.close()
    index.close()
    with pytest.raises(ValueError, match="closed"):
        index.search("owl", limit=1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_folder_that_cannot_be_written_to() -> None:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "i"
        with SqliteBackend(path) as index:
            index.add([{"id": "a", "content": "owl"}])
        Path(name).chmod(0o555)
        child = os.fork()
        if child == 0:
            try:
                if os.geteuid() == 0:
                    os.setuid(65534)  # nobody; root may write anywhere
                assert not os.access(name, os.W_OK)
                with SqliteBackend(path, read_only=True) as index:
                    os._exit(0 if len(index.search("owl", limit=5)) == 1 else 1)
            finally:
                os._exit(2)
        Path(name).chmod(0o755)
        assert os.waitpid(child, 0)[1] == 0


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("built") / "i"
    with SqliteBackend(path) as index:
        index.add({"id": name, "title": name, "n": 1, "at": "2020", "content": text} for name, text in topics.items())
    return path


def refused(path: Path, match: str) -> None:
    before = path.read_bytes()
    for read_only in (True, False):
        with pytest.raises(UnusableIndex, match=match) as caught:
            SqliteBackend(path, read_only=read_only)
        assert str(path) in str(caught.value)
    assert path.read_bytes() == before


def test_files_that_are_no_database(tmp_path) -> None:
    path = tmp_path / "i"
    for content in (b"not a database " * 100, b"SQLite format 3\x00" + b"\xff" * 4096, b"x", random.randbytes(10_000)):
        path.write_bytes(content)
        refused(path, "not a SQLite file|not an index, or is damaged")


def test_an_empty_file_is_a_new_index_but_not_for_reading(tmp_path) -> None:
    path = tmp_path / "i"
    path.touch()
    with pytest.raises(UnusableIndex, match="another program"):
        SqliteBackend(path, read_only=True)
    with SqliteBackend(path) as index:
        assert len(index) == 0


def test_databases_of_other_programs(tmp_path, built) -> None:
    path = tmp_path / "i"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE document(number, id, content, fields)")
    refused(path, "another program")
    shutil.copy(built, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA application_id = 1")
    refused(path, "another program")


@pytest.mark.parametrize(("version", "match"), [(FORMAT_VERSION + 1, "newer.*upgrade"), (0, "old format.*again")])
def test_other_versions(tmp_path, built, version, match) -> None:
    path = tmp_path / "i"
    shutil.copy(built, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute(f"PRAGMA user_version = {version}")
    refused(path, match)


@pytest.mark.parametrize(
    "change",
    [
        "DROP TABLE field",
        "DROP TABLE posting",
        "DROP TABLE setting",
        "CREATE TABLE more(x)",
        "CREATE TRIGGER bad AFTER INSERT ON document BEGIN DELETE FROM document; END",
        "CREATE VIEW bad AS SELECT 1",
        "ALTER TABLE document ADD COLUMN more",
        "CREATE TABLE posting_evil(x); CREATE TRIGGER posting_evil2 AFTER INSERT ON document BEGIN SELECT 1; END",
        "CREATE TRIGGER posting_evil AFTER INSERT ON document BEGIN DELETE FROM document; END",
        "CREATE TABLE posting_content(x)",
        "CREATE INDEX posting_more ON document(digest)",
        "CREATE VIEW posting_view AS SELECT 1",
        "DROP TABLE posting_config",
        "DROP TABLE posting_docsize",
        "DROP TABLE posting_idx",
        "DROP TABLE posting_data",
        "DROP TABLE posting_config; CREATE TABLE posting_config(k, v)",
        "DROP TABLE document; CREATE VIEW document AS SELECT 1 AS number, x'61' AS id, x'' AS content",
    ],
)
def test_tables_that_are_not_ours(tmp_path, built, change) -> None:
    path = tmp_path / "i"
    shutil.copy(built, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        # Newer versions of SQLite keep the tables of a full-text table from being dropped by name.
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, False) if hasattr(connection, "setconfig") else None
        connection.executescript(change)
    refused(path, "not as sid-native made it")


def changed(built: Path, path: Path, statement: str, values: tuple[object, ...] = ()) -> None:
    shutil.copy(built, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute(statement, values)
        connection.commit()


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize("table", ["posting_config", "posting_docsize", "posting_idx", "posting_data"])
def test_an_emptied_table_of_the_postings(tmp_path, built, table, read_only) -> None:
    path = tmp_path / "i"
    changed(built, path, f"DELETE FROM {table}")
    with pytest.raises(UnusableIndex, match=r"damaged.*build it again") as caught:
        SqliteBackend(path, read_only=read_only)
    assert str(path) in str(caught.value)
    if table != "posting_idx":  # without it a search finds nothing, which only the check tells from what is not there
        with pytest.raises(UnusableIndex), SqliteBackend(path, read_only=read_only, check=False) as index:
            index.search("exception", limit=100)


@pytest.fixture(scope="module")
def with_vectors(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("vectors") / "i"
    with SqliteBackend(path, embedder=Letters()) as index:
        index.add([{"id": "a", "title": "owls", "content": "hunt at night"}])
        with index.connections.writing() as connection:
            connection.execute("INSERT INTO setting VALUES ('unfinished:birds.jsonl', 1)")
    return path


class Letters:
    """An embedder that counts letters."""

    name, dimension = "letters", 26

    def embed(self, texts, *, purpose):
        return [[text.lower().count(chr(97 + letter)) + 0.5 for letter in range(26)] for text in texts]


def flipped(value: object) -> list[object]:
    """Give everything that a value is with one bit flipped."""
    if isinstance(value, int):
        return [value ^ (1 << bit) if bit < 63 else value - (1 << 63) for bit in range(64)]
    raw = value if isinstance(value, bytes) else str(value).encode()
    return [bytes([*raw[:at], raw[at] ^ (1 << bit), *raw[at + 1 :]]) for at in range(len(raw)) for bit in range(8)]


def test_every_flipped_bit_of_the_settings(tmp_path, with_vectors) -> None:
    """An index opens and works, or is refused in a sentence; nothing else comes out."""
    with closing(sqlite3.connect(with_vectors)) as connection:
        found = connection.execute("SELECT name, value FROM setting").fetchall()
    assert len(found) == 7
    path, outcomes = tmp_path / "i", Counter[str]()
    for name, value in found:
        as_text = "CAST(? AS TEXT)" if isinstance(value, str) else "?"
        changes = [(f"UPDATE setting SET value = {as_text} WHERE name = ?", other, name) for other in flipped(value)]
        changes += [
            ("UPDATE setting SET name = CAST(? AS TEXT) WHERE name = ?", other, name) for other in flipped(name)
        ]
        changes += [("UPDATE setting SET name = ? WHERE name = ?", name.encode(), name)]
        changes += [
            ("UPDATE setting SET value = ? WHERE name = ?", other, name)
            for other in (None, 1.5, -1, "x", b"x", b"\xff", 1 << 62)
        ]
        changes += [("DELETE FROM setting WHERE ? IS NOT NULL AND name = ?", 1, name)]
        for statement, *values in changes:
            try:
                changed(with_vectors, path, statement, tuple(values))
            except sqlite3.IntegrityError:
                continue  # another setting has that name
            for read_only in (True, False):
                try:
                    with SqliteBackend(path, read_only=read_only, embedder=Letters()) as index:
                        assert [hit["id"] for hit in index.search("night", limit=5)] == ["a"]
                        assert [hit["id"] for hit in index.semantic().search("night", limit=5)] == ["a"]
                        assert index.unfinished is not None
                        if not read_only:
                            index.add([{"id": "b", "content": "x"}])
                            index.remove(["b"])
                    outcomes["works"] += 1
                except UnusableIndex as error:
                    outcomes["refused" if str(path) in str(error) else str(error)] += 1
    assert set(outcomes) <= {"works", "refused"}
    assert outcomes["refused"] > 1000, outcomes


def held_in_wal(path: Path, statements: str) -> sqlite3.Connection:
    """Make a database whose log holds what was written, as a killed program's or a running one's does."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.executescript("PRAGMA wal_autocheckpoint = 0; CREATE TABLE theirs(x)")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.executescript(statements)
    return connection


@pytest.mark.parametrize("running", [True, False])
@pytest.mark.parametrize(
    "statements", ["INSERT INTO theirs VALUES (1)", "PRAGMA application_id = 7", "CREATE TABLE more(x)", "SELECT 1"]
)
def test_another_programs_log_is_left_alone(tmp_path, statements, running) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    with closing(held_in_wal(tmp_path / "i", statements)):
        for suffix in ("", "-wal", *(("-shm",) if running else ())):
            shutil.copy(tmp_path / f"i{suffix}", folder / f"i{suffix}")
    path = folder / "i"
    link = tmp_path / "link"
    link.symlink_to(path)
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    for asked in (path, link):
        for read_only in (True, False):
            with pytest.raises(UnusableIndex, match="another program"):
                SqliteBackend(asked, read_only=read_only)
            assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


def test_a_log_of_our_own_is_read(tmp_path) -> None:
    """Killed before anything came from the log into the file, an index is still one."""
    path = tmp_path / "a" / "i"
    path.parent.mkdir()
    with SqliteBackend(path) as index:
        index.add([{"id": "a", "content": "owl"}])
        copies = tmp_path / "b"
        shutil.copytree(path.parent, copies)
    assert (copies / "i-wal").stat().st_size
    link = tmp_path / "link"
    link.symlink_to(copies / "i")
    for asked, read_only in ((link, True), (copies / "i", True), (link, False)):
        with SqliteBackend(asked, read_only=read_only) as index:
            assert [hit["id"] for hit in index.search("owl", limit=5)] == ["a"]


@pytest.mark.parametrize("read_only", [True, False])
def test_names_that_no_file_has(tmp_path, read_only) -> None:
    whole = tmp_path / "a"
    for name in (f"{whole}\0b", str(tmp_path / ("n" * 5000)), str(whole / ("n" * 300))):
        with pytest.raises(UnusableIndex):
            SqliteBackend(name, read_only=read_only)
    assert list(tmp_path.iterdir()) == []


def test_a_reader_leaves_nothing_behind(tmp_path, built) -> None:
    path = tmp_path / "i"
    shutil.copy(built, path)
    raw = path.read_bytes()
    with SqliteBackend(path, read_only=True) as index:
        assert index.search("exception", limit=1)
        with SqliteBackend(path, read_only=True) as other:
            assert other.search("exception", limit=1)
        assert index.search("exception", limit=1)
    assert [file.name for file in tmp_path.iterdir()] == ["i"]
    assert path.read_bytes() == raw
    # What another has open is its own.
    with SqliteBackend(path) as writer:
        writer.add([{"id": "new", "content": "quetzalcoatlus"}])
        with SqliteBackend(path, read_only=True) as index:
            assert index.search("quetzalcoatlus", limit=1)
        writer.add([{"id": "newer", "content": "quetzalcoatlus"}])
        assert len(writer.search("quetzalcoatlus", limit=9)) == 2


def test_damage_anywhere_is_refused_or_does_no_harm(tmp_path, built) -> None:
    """Whatever bytes are lost, an index gives its own documents or says that it cannot."""
    whole = built.read_bytes()
    chance = random.Random(11)
    path = tmp_path / "i"
    outcomes: Counter[str] = Counter()
    for number in range(60):
        raw = bytearray(whole)
        if number % 3 == 0:
            del raw[chance.randrange(1, len(raw)) :]
        else:
            start = chance.randrange(len(raw))
            length = min(chance.choice([1, 100, 5000]), len(raw) - start)
            raw[start : start + length] = chance.randbytes(length)
        path.write_bytes(raw)
        try:
            with SqliteBackend(path, read_only=True) as index:
                for hit in index.search("exception handler evaluation", limit=50):
                    assert hit["content"] == topics[hit["title"]]
            outcomes["read"] += 1
        except UnusableIndex as error:
            outcomes["refused" if str(path) in str(error) else str(error)] += 1
    assert set(outcomes) <= {"read", "refused"}
    assert outcomes["refused"] > 20, outcomes


def test_unchecked_damage_is_still_named(tmp_path, built) -> None:
    raw = bytearray(built.read_bytes())
    raw[8192:] = b"\xff" * (len(raw) - 8192)
    path = tmp_path / "i"
    path.write_bytes(raw)
    with pytest.raises(UnusableIndex), SqliteBackend(path, read_only=True, check=False) as index:  # noqa: PT012
        index.search("exception", limit=50)
        index.get("with")


def test_the_mark_of_our_files(built) -> None:
    with closing(sqlite3.connect(built)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert connection.execute("PRAGMA user_version").fetchone() == (FORMAT_VERSION,)
        assert connection.execute("PRAGMA quick_check").fetchone() == ("ok",)


# Many at once


@pytest.mark.parametrize("where", ["memory", "file"])
def test_readers_go_on_while_one_writer_writes(tmp_path, where) -> None:
    """Every reader sees whole batches only, and never fewer documents than before."""
    with SqliteBackend(None if where == "memory" else tmp_path / "i") as index:
        stop = threading.Event()
        wrong: list[object] = []
        rounds = 0

        def read() -> None:
            nonlocal rounds
            last = 0
            try:
                while not stop.is_set():
                    found = index.search("common", limit=1000, filters={"all": True})
                    if len(found) < last or len(found) % 100:
                        wrong.append((last, len(found)))
                    last = len(found)
                    for hit in found[:3]:
                        if index.get(hit["id"]) != hit:
                            wrong.append(hit)
                    rounds += 1
            except Exception as error:
                wrong.append(error)

        readers = [threading.Thread(target=read) for _ in range(4)]
        for reader in readers:
            reader.start()
        for batch in range(10):
            index.add({"id": f"{batch}.{n}", "all": True, "content": f"common text {n}"} for n in range(100))
        stop.set()
        for reader in readers:
            reader.join()
        assert not wrong
        assert rounds
        assert len(index) == 1000


def test_writers_take_turns(tmp_path) -> None:
    """Threads with one object and with objects of their own, and processes, making the file at the same time too."""
    path = tmp_path / "i"
    code = (
        "import sys; from sid.backends import SqliteBackend\n"
        "with SqliteBackend(sys.argv[1]) as index:\n"
        "    for n in range(5):\n"
        "        index.add([{'id': f'{sys.argv[2]}.{n}', 'content': 'x'}, {'id': 'shared', 'content': f'y {n}'}])\n"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", code, str(path), f"process {number}"], stderr=subprocess.PIPE)
        for number in range(4)
    ]
    with SqliteBackend(path) as shared:

        def add(number: int) -> None:
            for n in range(5):
                shared.add([{"id": f"thread {number}.{n}", "content": "x"}])

        threads = [threading.Thread(target=add, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for process in processes:
            _, error = process.communicate(timeout=120)
            assert (process.returncode, error) == (0, b"")
        assert len(shared) == 4 * 5 + 4 * 5 + 1
        assert len(shared.search("x", limit=99)) == 40


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_process_has_connections_of_its_own(tmp_path) -> None:
    with SqliteBackend(tmp_path / "i") as index:
        index.add([{"id": "a", "content": "owl"}])
        index.search("owl", limit=1)
        child = os.fork()
        if child == 0:
            try:
                index.add([{"id": "b", "content": "owl"}])
                os._exit(0 if len(index.search("owl", limit=5)) == 2 else 1)
            finally:
                os._exit(2)
        assert os.waitpid(child, 0)[1] == 0
        assert len(index.search("owl", limit=5)) == 2


def test_a_batch_that_fails_leaves_nothing(tmp_path) -> None:
    def documents():
        for number in range(700):
            yield {"id": str(number), "content": "x"}
        raise RuntimeError("the source broke")

    with SqliteBackend(tmp_path / "i") as index:
        with pytest.raises(RuntimeError, match="broke"):
            index.add(documents(), source="numbers")
        assert len(index) == 500
        assert index.unfinished == ["numbers"]
        assert index.add(({"id": str(n), "content": "x"} for n in range(700)), source="other").unchanged == 500
        assert index.unfinished == ["numbers"]
        index.add([{"id": str(n), "content": "x"} for n in range(700)], source="numbers")
        assert index.unfinished == []


def test_a_source_of_any_name() -> None:
    with SqliteBackend() as index:
        for name in ("\ud800", "", "'; --", "\x00"):
            index.add([{"id": "a", "content": "x"}], source=name)
        assert index.unfinished == []


def test_documents_while_documents_are_read() -> None:
    """The source of documents may use the index that it fills."""
    with SqliteBackend() as index:

        def more():
            for number in range(600):
                assert len(index) in (0, 500)
                yield {"id": str(number), "content": "x"}

        assert index.add(more()).added == 600
