"""Whatever is changed in the file behind the store's back is found."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sid.governed import AuditLog, GovernedStore, Reviewer, ReviewQueue, UnusableStore

from .builders import ADA, MALLORY, Clock, store, ticket, version


def used(path: Path) -> str:
    """Make a store with something in every table, and give its head."""
    clock = Clock()
    with store(
        path, version(), version(number=2, effective_from="2026-02-01", supersedes={"NS-1@1"}), clock=clock
    ) as made:
        made.add([version("D", status="draft"), version("W", audience="everyone", text="Shut valve B.")], by="loader")
        made.set_status("D", 1, "active", by="editor")
        made.put_tickets([ticket("T-2", organization_id="globex")])
        made.read_service_instruction(ADA, "T-1", "How do I bleed the pump?")
        made.read_service_instruction(MALLORY, "T-1", "How do I bleed the pump?")
        for number in range(4):
            made.read_service_instruction(ADA, "T-1", f"unheard of {number}")
        made.open_citation(ADA, "NS-1@2#0:4")
        made.check_answer(ADA, [("x", [])])
        queue, grace = ReviewQueue(made), Reviewer("grace", frozenset({"pumps"}))
        queue.resolve(queue.claim(grace), "Done.")
        queue.release(queue.claim(grace))
        queue.claim(grace)
        assert AuditLog(made).verify() == []
        return AuditLog(made).head()


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> tuple[Path, str]:
    path = tmp_path_factory.mktemp("used") / "s"
    head = used(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    return path, head


def changed(path: Path, target: Path, change) -> list[str]:
    """Copy a store, change the copy without its guards, and give the faults that are found."""
    shutil.copy(path, target)
    with closing(sqlite3.connect(target, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        change(connection)
        for _, sql in triggers:
            connection.execute(sql)
        connection.execute("COMMIT")
    with GovernedStore(target, read_only=True) as store:
        return AuditLog(store).verify()


TABLES = ("version", "status_change", "ticket", "supersession", "in_force", "review", "audit", "setting")


def other(value: object) -> object:
    """Give another value of the same type."""
    if isinstance(value, bytes):
        return bytes([value[0] ^ 1]) + value[1:] if value else b"x"
    if isinstance(value, int):
        return value + 1000
    if isinstance(value, str):
        return value[:-1] + ("a" if value[-1] != "a" else "b")
    return "x"


def rows_of(path: Path, table: str) -> list[dict[str, object]]:
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(f"SELECT * FROM {table}")]


def edit(connection: sqlite3.Connection, table: str, row: dict[str, object], column: str) -> None:
    where = " AND ".join(f"{name} IS ?" for name in row)
    done = connection.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (other(row[column]), *row.values()))
    assert done.rowcount == 1


@pytest.mark.parametrize("table", TABLES)
def test_every_value_of_every_row(made, tmp_path, table) -> None:
    path, _ = made
    missed = []
    for row in rows_of(path, table):
        for column in row:
            # Row numbers are the store's own: nothing depends on them but the order of the queue.
            if column == "number" and table in ("version", "review"):
                continue
            try:
                if not changed(path, tmp_path / "c", lambda connection: edit(connection, table, row, column)):  # noqa: B023
                    missed.append((column, row))
            except KeyError:
                assert table == "setting"
    assert missed == []


def test_every_row_that_is_taken_out(made, tmp_path) -> None:
    path, _ = made
    missed = []
    with closing(sqlite3.connect(path)) as connection:
        counts = {table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in TABLES}
    for table, count in counts.items():
        assert count, table
        key = {"status_change": "document", "ticket": "id", "supersession": "document", "in_force": "number",
               "setting": "name"}.get(table, "rowid")  # fmt: skip
        for place in range(count):
            statement = f"DELETE FROM {table} WHERE {key} = (SELECT {key} FROM {table} LIMIT 1 OFFSET {place})"
            try:
                if not changed(path, tmp_path / "c", lambda connection: connection.execute(statement)):  # noqa: B023
                    missed.append((table, place))
            except (UnusableStore, KeyError):
                continue
    assert missed == []


def test_rows_that_are_put_in(made, tmp_path) -> None:
    path, _ = made
    for statement in (
        "INSERT INTO version SELECT 99, CAST('X' AS BLOB), version, metadata, digest, text FROM version LIMIT 1",
        "INSERT INTO status_change VALUES (CAST('NS-1' AS BLOB), 2, 1, 'withdrawn', 739000)",
        "INSERT INTO ticket SELECT CAST('T-7' AS BLOB), record, digest FROM ticket LIMIT 1",
        "INSERT INTO review SELECT 99, 'r-x', base, qualification, subject, filed_at, state, claims, reviewer, "
        "claimed_until, resolution FROM review LIMIT 1",
        "INSERT INTO in_force VALUES (CAST('globex' AS BLOB), CAST('pumps' AS BLOB), CAST('[]' AS BLOB), 999999, 1, 1)",
        "INSERT INTO audit SELECT sequence + 100, at, kind, data, hash FROM audit LIMIT 1",
    ):
        assert changed(path, tmp_path / "c", lambda connection: connection.execute(statement)), statement  # noqa: B023


def test_every_value_of_another_type(made, tmp_path) -> None:
    """Blobs made texts and texts made blobs: most look the same when they are read, and are found by no query."""
    path, _ = made
    missed = []
    for table in TABLES:
        columns = rows_of(path, table)[0]
        for column in columns:
            if table == "setting" and column == "name":
                continue
            for kind in ("TEXT", "BLOB"):
                statement = (
                    f"UPDATE {table} SET {column} = CAST({column} AS {kind}) "
                    f"WHERE typeof({column}) = '{'blob' if kind == 'TEXT' else 'text'}'"
                )
                touched = []
                try:
                    found = changed(
                        path,
                        tmp_path / "c",
                        lambda one: touched.append(one.execute(statement).rowcount),  # noqa: B023
                    )
                except UnusableStore:
                    found = ["refused"]
                if touched[0] and not found:
                    missed.append((table, column, kind))
    assert missed == []


def test_nothing_is_put_in_the_place_of_what_only_grows(made, tmp_path) -> None:
    path, _ = made
    shutil.copy(path, tmp_path / "c")
    with closing(sqlite3.connect(tmp_path / "c")) as connection:
        for table in ("version", "status_change", "audit"):
            before = connection.execute(f"SELECT * FROM {table}").fetchall()
            for how in ("INSERT OR REPLACE", "REPLACE", "INSERT OR IGNORE", "INSERT"):
                with pytest.raises(sqlite3.IntegrityError, match="only grows"):
                    connection.execute(f"{how} INTO {table} SELECT * FROM {table} LIMIT 1")
            assert connection.execute(f"SELECT * FROM {table}").fetchall() == before
        with pytest.raises(sqlite3.IntegrityError, match="only grows"):
            connection.execute(
                "INSERT OR REPLACE INTO version(document, version, metadata, digest, text) "
                "SELECT document, version, metadata, digest, x'00' FROM version LIMIT 1"
            )


def used_bytes(raw: bytes) -> list[int]:
    """Give where the bytes of the b-tree pages' headers, pointers and cells are; see https://sqlite.org/fileformat2.html."""
    size = int.from_bytes(raw[16:18], "big")
    places = []
    for page in range(len(raw) // size):
        base = page * size
        header = base + (100 if page == 0 else 0)
        kind = raw[header]
        if kind not in (2, 5, 10, 13):
            places += range(base, base + size)  # an overflow page
            continue
        cells = int.from_bytes(raw[header + 3 : header + 5], "big")
        content = int.from_bytes(raw[header + 5 : header + 7], "big") or 65536
        places += range(header, header + (12 if kind in (2, 5) else 8) + 2 * cells)
        places += range(base + content, base + size)
    return places


def seen_in(path: Path) -> list[object]:
    """Give what is answered, listed and claimed, in a store that may be damaged."""
    with GovernedStore(path, clock=Clock(), check=False) as store:
        queue = ReviewQueue(store)
        answers = [
            store.read_service_instruction(who, name, question)
            for who in (ADA, MALLORY)
            for name in ("T-1", "T-2")
            for question in ("How do I bleed the pump?", "unheard of 1", "Which valve is shut?")
        ]
        opened = [store.open_citation(ADA, f"{key}#0:4") for key in ("NS-1@1", "NS-1@2", "D@1", "W@1")]
        items = [(one.id, one.qualification, one.state, one.subject) for one in queue.items()]
        return [answers, opened, items, queue.claim(Reviewer("hopper", frozenset({"pumps", "general"})))]


def test_a_byte_of_every_page_is_told_or_changes_nothing(made, tmp_path) -> None:
    """Indexes too: opening is refused, or `verify` tells, or all that can be asked is answered as before."""
    path, _ = made
    raw = path.read_bytes()
    expected = seen_in(shutil.copy(path, tmp_path / "e"))
    places = used_bytes(raw)[::29]
    told, missed = 0, []
    for place in places:
        damaged = bytearray(raw)
        damaged[place] ^= (1, 0x10, 0x80)[place % 3]
        target = tmp_path / "c"
        for name in ("c", "c-wal", "c-shm", "c-journal"):
            (tmp_path / name).unlink(missing_ok=True)
        target.write_bytes(damaged)
        try:
            with GovernedStore(target, read_only=True) as store:
                found = AuditLog(store).verify()
        except UnusableStore:
            found = ["refused"]
        if found:
            told += 1
            continue
        if seen_in(target) != expected:
            missed.append(place)
    assert missed == []
    assert told > 0.8 * len(places)


def test_a_log_cut_short_or_made_anew_is_told_by_a_head_kept_elsewhere(made, tmp_path) -> None:
    path, head = made
    count, hashed = head.split(":")

    def cut(connection: sqlite3.Connection) -> None:
        """Take the last entry out, and mend all that the store itself keeps about it."""
        connection.execute("DELETE FROM audit WHERE sequence = ?", (int(count),))
        (before,) = connection.execute("SELECT hash FROM audit WHERE sequence = ?", (int(count) - 1,)).fetchone()
        connection.execute("UPDATE setting SET value = ? WHERE name = 'audit_entries'", (int(count) - 1,))
        connection.execute("UPDATE setting SET value = ? WHERE name = 'audit_hash'", (before,))
        connection.execute(
            "UPDATE review SET state = 'open', claims = claims - 1, reviewer = NULL, claimed_until = NULL "
            "WHERE state = 'claimed'"
        )

    assert changed(path, tmp_path / "c", cut) == []
    with GovernedStore(tmp_path / "c", read_only=True) as store:
        assert AuditLog(store).verify(head) == [f"the audit log does not hold the head '{head}'"]
    with GovernedStore(path, read_only=True) as store:
        log = AuditLog(store)
        assert log.verify(head) == []
        assert [log.verify(entry.head) for entry in log.entries()] == [[]] * int(count)
        assert log.verify(f"{count}:{'0' * len(hashed)}") != []


def test_any_byte_of_the_file(made, tmp_path) -> None:
    """Bytes flipped in the file itself, wherever text, metadata or log entries are."""
    path, _ = made
    raw = path.read_bytes()
    with closing(sqlite3.connect(path)) as connection:
        parts = [
            part
            for statement in ("SELECT text, metadata FROM version", "SELECT data, hash FROM audit")
            for row in connection.execute(statement)
            for part in row
        ]
    tried = 0
    for part in parts:
        start = raw.find(part[:40])
        if start < 0:
            continue
        for offset in {0, min(len(part), 40) // 2, min(len(part), 40) - 1}:
            damaged = bytearray(raw)
            damaged[start + offset] ^= 0x20
            (tmp_path / "c").write_bytes(damaged)
            tried += 1
            with GovernedStore(tmp_path / "c", read_only=True) as store:
                assert AuditLog(store).verify() != [], part
    assert tried > 60


def test_a_store_without_its_guards_is_refused(made, tmp_path) -> None:
    path, _ = made
    shutil.copy(path, tmp_path / "c")
    with closing(sqlite3.connect(tmp_path / "c")) as connection:
        connection.execute("DROP TRIGGER audit_no_delete")
    with pytest.raises(UnusableStore, match="audit_no_delete"):
        GovernedStore(tmp_path / "c")


def test_a_damaged_entry_cannot_be_read_as_if_it_were_whole(made, tmp_path) -> None:
    path, _ = made
    faults = changed(
        path, tmp_path / "c", lambda connection: connection.execute("UPDATE audit SET data = 'x' WHERE sequence = 3")
    )
    assert "audit entry 3 is not as it was written" in faults
    with (
        GovernedStore(tmp_path / "c", read_only=True) as store,
        pytest.raises(UnusableStore, match="damaged audit log"),
    ):
        list(AuditLog(store).entries())
