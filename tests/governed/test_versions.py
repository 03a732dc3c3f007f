"""Metadata as they are written: what is refused, and that nothing of it stays."""

from __future__ import annotations

import json
import os
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sid.governed import (
    DocumentVersion,
    GovernedStore,
    InvalidLocator,
    Locator,
    Principal,
    Refused,
    Ticket,
    UnusableStore,
    VersionKey,
)
from sid.governed.audit import AuditLog
from sid.governed.names import checked_name
from sid.governed.versions import Metadata

from .builders import ADA, Clock, store, version


def rows(found: GovernedStore) -> list[tuple[object, ...]]:
    with found.connections.reading() as connection:
        return [
            row
            for table in ("version", "status_change", "supersession", "in_force", "ticket", "review", "audit")
            for row in connection.execute(f"SELECT * FROM {table}")
        ]


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"document_id": ""}, "1 to 200"),
        ({"document_id": 'x" id="1'}, "printable"),
        ({"document_id": "x\u202ey"}, "printable"),
        ({"document_id": "x\ny"}, "printable"),
        ({"document_id": "x\0"}, "printable"),
        ({"document_id": " x"}, "spaces around"),
        ({"document_id": "x" * 201}, "200"),
        ({"document_id": "\ud800"}, "printable"),
        ({"version": 0}, "1 to 999999999"),
        ({"version": True}, "integer"),
        ({"version": "1"}, "integer"),
        ({"title": 'Valve" version="9'}, "printable"),
        ({"title": "x" * 501}, "500"),
        ({"text": ""}, "1 to 1000000"),
        ({"text": " \n"}, "blank"),
        ({"text": "\ud800"}, "lone surrogate"),
        ({"text": 5}, "must be a str"),
        ({"text": "a\x1b[2Jb"}, r"control character '\\x1b' at 1"),
        ({"text": "a\x9b2Jb"}, "control character"),
        ({"scope": "\t"}, "printable"),
        ({"audience": "acme"}, "collection"),
        ({"audience": ()}, "got none"),
        ({"audience": {""}}, "1 to 200"),
        ({"audience": None}, "collection"),
        ({"required_entitlements": "admin"}, "collection"),
        ({"effective_from": datetime(2026, 1, 1, tzinfo=UTC)}, "must be a date"),
        ({"effective_from": "2026-W01-1"}, "such as 2026-03-01"),
        ({"effective_from": "20260101"}, "such as 2026-03-01"),
        ({"effective_from": "2026-02-30"}, "such as 2026-03-01"),
        ({"effective_until": date(2026, 1, 1)}, "after effective_from"),
        ({"status": "published"}, "draft, active, withdrawn"),
        ({"supersedes": {"NS-1@1"}}, "itself"),
        ({"supersedes": {"NS-1"}}, "document_id@version"),
        ({"supersedes": "NS-2@1"}, "collection"),
        # What says no in a mapping's values would be a yes of its keys.
        ({"audience": {"acme": False}}, "collection"),
        ({"required_entitlements": {"admin": False}}, "collection"),
        ({"supersedes": {"NS-2@1": 0}}, "collection"),
        ({"supersedes": [5]}, "each of supersedes must be"),
        ({"supersedes": [["NS-2", 1]]}, "each of supersedes must be"),
    ],
)
def test_metadata_that_cannot_be(change, match) -> None:
    plain = {
        "document_id": "NS-1",
        "version": 1,
        "title": "t",
        "text": "x",
        "scope": "s",
        "effective_from": "2026-01-01",
        "audience": "everyone",
    }
    assert DocumentVersion.from_plain(plain).key == ("NS-1", 1)
    with pytest.raises((TypeError, ValueError), match=match):
        DocumentVersion.from_plain(plain | change)


def test_unknown_and_missing_fields() -> None:
    with pytest.raises(ValueError, match="unknown field 'audiences'"):
        DocumentVersion.from_plain({"audiences": []})
    with pytest.raises(ValueError, match="'document_id' is missing"):
        DocumentVersion.from_plain({"version": 1})
    with pytest.raises(TypeError, match="must be an object"):
        DocumentVersion.from_plain([])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'scope' is missing"):
        Ticket.from_plain({"ticket_id": "T", "organization_id": "acme"})


def test_a_digest_that_anyone_can_make() -> None:
    import hashlib

    made = version(audience={"b", "a"}, title="Ä", text="Ünder", supersedes={"NS-0@1"})
    plain = {
        "document_id": "NS-1",
        "version": 1,
        "title": "Ä",
        "scope": "pumps",
        "effective_from": "2026-01-01",
        "effective_until": None,
        "audience": ["a", "b"],
        "required_entitlements": [],
        "status": "active",
        "supersedes": ["NS-0@1"],
        "text_sha256": hashlib.sha256("Ünder".encode()).hexdigest(),
        "text_length": 5,
    }
    raw = json.dumps(plain, sort_keys=True, separators=(",", ":")).encode()
    assert made.digest == hashlib.sha256(raw).hexdigest()
    assert Metadata.from_packed(raw, made.digest) == made.metadata


names = st.text(min_size=1, max_size=12).filter(lambda name: name.isprintable() and '"' not in name).map(str.strip)
names = names.filter(bool) | st.text("a@#:1", min_size=1, max_size=8)


@given(names, st.integers(1, 999_999_999), st.integers(0, 10**9 - 2), st.integers(1, 10**6))
def test_locators_of_any_id_come_back(document_id, number, start, length) -> None:
    if start + length > 999_999_999:
        return
    locator = Locator(VersionKey(document_id, number), start, start + length)
    assert Locator.parse(str(locator)) == locator
    assert VersionKey.parse(str(locator.key)) == locator.key


@given(st.text("ab@#:01 -", max_size=14) | st.text(max_size=14))
def test_a_text_names_at_most_one_passage(text) -> None:
    try:
        locator = Locator.parse(text)
    except InvalidLocator:
        return
    assert str(locator) == text
    checked_name("document_id", locator.key.document_id)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "NS-1",
        "NS-1@1",
        "@1#0:1",
        "NS-1@0#0:1",
        "NS-1@01#0:1",
        "NS-1@1#1:1",
        "NS-1@1#2:1",
        "NS-1@1#-1:1",
        "NS-1@1#0:1 ",
        "NS-1@1#0:01",
        "NS-1@\u0661#0:1",
        "NS-1@1#0:1\n",
        "NS-1@1#0:9999999999",
        None,
        5,
    ],
)
def test_what_names_no_passage(text) -> None:
    with pytest.raises(InvalidLocator):
        Locator.parse(text)


def test_a_version_never_changes() -> None:
    with store(None, version()) as made:
        before = rows(made)
        assert made.add([version(), version()]).unchanged == 2
        assert rows(made) == before
        for other in (version(text="Shut valve A."), version(title="Other"), version(audience={"acme", "globex"})):
            with pytest.raises(Refused, match="never changes"):
                made.add([version("NS-9"), other])
        assert rows(made) == before
        with made.connections.connection() as connection:
            for table in ("version", "status_change", "audit"):
                for statement in (f"DELETE FROM {table}", f"UPDATE {table} SET version = 1"):
                    if table == "audit":
                        statement = statement.replace("version = 1", "kind = 'x'")
                    if table == "status_change":
                        made.set_status("NS-1", 1, "withdrawn")
                    with pytest.raises(Exception, match="only grows"):
                        connection.execute(statement)


@pytest.mark.parametrize(
    ("versions", "match"),
    [
        ([version(number=1), version(number=2)], "NS-1@2 and NS-1@1 would both be in force on 2026-01-01 for acme"),
        (
            [version(number=1, audience={"acme", "globex"}), version(number=2, audience={"globex", "initech"})],
            "for globex",
        ),
        ([version(number=1, audience="everyone"), version(number=2)], "for acme"),
        ([version(number=1), version(number=2, audience="everyone")], "for acme"),
        (
            [version(effective_until="2026-03-02"), version(number=2, effective_from="2026-03-01")],
            "in force on 2026-03-01",
        ),
        ([version(supersedes={"NS-1@2"}), version(number=2, supersedes={"NS-1@1"})], "circle"),
        (
            [
                version("A", supersedes={"C@1"}),
                version("B", supersedes={"A@1"}, status="draft"),
                version("C", supersedes={"B@1"}, status="withdrawn"),
            ],
            "circle",
        ),
        ([version(supersedes={"NS-7@1"})], "NS-7@1, which is not there"),
        # The later supersedes the earlier from a day on which both are in force already.
        (
            [
                version(),
                version(number=2, effective_from="2026-02-01"),
                version("X", supersedes={"NS-1@1"}, effective_from="2026-03-01"),
            ],
            "in force on 2026-02-01",
        ),
    ],
)
def test_authority_that_contradicts_itself_is_refused_whole(versions, match) -> None:
    with store(None, version("OTHER")) as made:
        before = rows(made)
        for order in (versions, versions[::-1]):
            with pytest.raises(Refused, match=match):
                made.add([version("NEW"), *order])
            assert rows(made) == before
        assert AuditLog(made).verify() == []


def test_versions_that_get_along() -> None:
    with store() as made:
        made.add(
            [
                version(number=1, effective_until="2026-03-01"),
                version(number=2, effective_from="2026-03-01", effective_until="2026-04-01"),
                version(number=3, effective_from="2026-04-01"),
                version(number=4, effective_from="2026-05-01", supersedes={"NS-1@3"}),
                version(number=5, audience={"globex"}),
                version(number=6, status="draft"),
                version(number=7, status="withdrawn"),
            ]
        )
        with pytest.raises(Refused, match="NS-1@6 and NS-1@1 would both"):
            made.set_status("NS-1", 6, "active")
        assert AuditLog(made).verify() == []


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        (("active",), True),
        (("withdrawn",), True),
        (("active", "withdrawn"), True),
        (("active", "draft"), False),
        (("withdrawn", "active"), False),
    ],
)
def test_the_ways_of_a_status(path, allowed) -> None:
    with store(None, version(status="draft")) as made:
        *first, last = path
        for status in first:
            made.set_status("NS-1", 1, status)
        if allowed:
            made.set_status("NS-1", 1, last)
        else:
            with pytest.raises(Refused, match="cannot become"):
                made.set_status("NS-1", 1, last)
        assert AuditLog(made).verify() == []
    with store() as made:
        with pytest.raises(Refused, match="there is no version NS-9@1"):
            made.set_status("NS-9", 1, "active")
        with pytest.raises(ValueError, match="draft, active, withdrawn"):
            made.set_status("NS-9", 1, "gone")  # type: ignore[arg-type]


def test_principals_are_made_of_names() -> None:
    assert Principal("a", "b", {"c"}).entitlements == frozenset("c")  # type: ignore[arg-type]
    for bad in (("", "b"), ("a", ""), ("a", "b\n"), (None, "b")):
        with pytest.raises((TypeError, ValueError)):
            Principal(*bad)
    with pytest.raises(TypeError, match="collection"):
        Principal("a", "b", "admin")  # type: ignore[arg-type]


def test_files_that_are_no_store(tmp_path) -> None:
    from sid.backends import SqliteBackend, UnusableIndex

    with SqliteBackend(tmp_path / "index") as index:
        index.add([{"id": "a", "content": "x"}])
    with pytest.raises(UnusableStore, match="another program"):
        GovernedStore(tmp_path / "index")
    store(tmp_path / "store").close()
    with pytest.raises(UnusableIndex, match="another program"):
        SqliteBackend(tmp_path / "store")
    with pytest.raises(UnusableStore, match="no governed store"):
        GovernedStore(tmp_path / "none", read_only=True)
    with GovernedStore(tmp_path / "store", read_only=True) as made, pytest.raises(UnusableStore, match="reading only"):
        made.read_service_instruction(ADA, "T-1", "What?")


def test_a_clock_without_a_zone_is_refused() -> None:
    with GovernedStore(clock=Clock(datetime(2026, 1, 1))) as made, pytest.raises(ValueError, match="offset"):
        made.add([version()])


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_a_new_store_is_for_its_owner_alone(tmp_path) -> None:
    path = tmp_path / "store"
    before = os.umask(0)
    try:
        with store(path, version()):
            modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert modes["store"] == 0o600
    assert set(modes.values()) == {0o600}
