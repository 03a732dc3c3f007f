"""Whatever is written and withdrawn: never two versions of a document in force for one organization on one day."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from sid.governed import AuditLog, GovernedStore, Refused, VersionKey

from .builders import KEY, NOW, Clock, store, version

DOCUMENTS = ("A", "B")
NUMBERS = (1, 2, 3, 4)
ORGANIZATIONS = ("acme", "globex")

keys = st.builds(VersionKey, st.sampled_from(DOCUMENTS), st.sampled_from(NUMBERS))


@st.composite
def written(draw):
    document_id, number = key = draw(keys)
    since = NOW.date() + timedelta(draw(st.integers(-3, 3)))
    length = draw(st.none() | st.integers(1, 3))
    return version(
        document_id,
        number,
        effective_from=since,
        effective_until=None if length is None else since + timedelta(length),
        audience=draw(st.just("everyone") | st.frozensets(st.sampled_from(ORGANIZATIONS), min_size=1)),
        status=draw(st.sampled_from(["active", "active", "draft", "withdrawn"])),
        supersedes=draw(st.frozensets(keys.filter(lambda other: other != key), max_size=2)),
    )


steps = st.lists(
    st.tuples(st.just("add"), written())
    | st.tuples(st.just("set"), st.tuples(keys, st.sampled_from(["active", "withdrawn"]))),
    min_size=4,
    max_size=25,
)


class Model:
    """What a store should hold, said in other words: no table is derived, each day is looked at."""

    def __init__(self) -> None:
        self.versions = {}
        self.status = {}
        self.ever_active = set()

    def note(self, key, status) -> None:
        self.status[key] = status
        if status == "active":
            self.ever_active.add(key)

    def in_force(self, key, day) -> bool:
        one = self.versions[key]
        over = one.effective_until is not None and day >= one.effective_until
        superseded = any(key in self.versions[by].supersedes and day >= self.versions[by].effective_from
                         for by in self.ever_active)  # fmt: skip
        return self.status[key] == "active" and one.effective_from <= day and not over and not superseded

    def overlaps(self) -> bool:
        for day in (NOW.date() + timedelta(days) for days in range(-4, 8)):
            for organization in (*ORGANIZATIONS, "another"):
                seen = set()
                for key, one in self.versions.items():
                    reached = one.audience == "everyone" or organization in one.audience
                    if reached and self.in_force(key, day):
                        if key.document_id in seen:
                            return True
                        seen.add(key.document_id)
        return False


@given(steps, st.integers(0, 3))
@settings(max_examples=80, deadline=None)
def test_never_two_in_force_and_a_withdrawal_is_never_refused(steps, later) -> None:
    clock, model = Clock(), Model()
    with GovernedStore(clock=clock, id_key=KEY) as made:
        for what, given_ in steps:
            if what == "add":
                try:
                    added = made.add([given_]).added
                except Refused:
                    continue
                if added:
                    model.versions[given_.key] = given_
                    model.note(given_.key, given_.status)
            else:
                key, status = given_
                before = model.status.get(key)
                if before is None or (before, status) == ("withdrawn", "active"):
                    continue
                try:
                    made.set_status(*key, status)
                except Refused:
                    assert status == "active"
                    continue
                model.note(key, status)
            assert not model.overlaps()
        clock.now += timedelta(days=later)
        for key, status in list(model.status.items()):
            if status != "withdrawn":
                made.set_status(*key, "withdrawn")
                model.note(key, "withdrawn")
                assert not model.overlaps()
        assert AuditLog(made).verify() == []


def test_withdrawing_a_successor_cannot_bring_a_second_into_force() -> None:
    with store(
        None,
        version("A"),
        version("B", effective_from="2030-01-01", supersedes={"A@1"}),
        version("A", 2, effective_from="2030-01-01"),
    ) as made:
        made.set_status("B", 1, "withdrawn")
        with made.connections.connection() as connection:
            found = connection.execute("SELECT DISTINCT since, until FROM in_force ORDER BY since").fetchall()
        assert found[0][1] == found[1][0]
        assert AuditLog(made).verify() == []


def test_verify_tells_of_two_in_force() -> None:
    """Written together they are refused; put there behind the store's back they are told of."""
    with store(None, version(), version(number=2, effective_from="2026-02-01", supersedes={"NS-1@1"})) as made:
        with made.connections.connection() as connection:
            connection.execute("DELETE FROM supersession")
        assert AuditLog(made).verify() != []
    with store(None, version()) as made:
        import sid.governed.writing as writing

        kept, writing.overlap = writing.overlap, lambda *_: None
        try:
            made.add([version(number=2)])
        finally:
            writing.overlap = kept
        assert AuditLog(made).verify() == ["NS-1@2 and NS-1@1 would both be in force on 2026-01-01 for acme"]
