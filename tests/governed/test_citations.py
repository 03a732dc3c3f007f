"""Citations opened now, and answers checked against them."""

from __future__ import annotations

import pytest

from sid.governed import AuditLog, Opened, Principal, ReviewQueue, Unavailable, VersionKey

from .builders import ADA, MALLORY, Clock, store, version

TEXT = "Open valve A, then bleed the pump."


def test_a_citation_names_the_same_text_for_ever() -> None:
    odd = version("mail:7@acme#1:2", number=12, text="Zürich: öffne Ventil 𝔸 zuerst.")
    with store(None, odd) as made:
        opened = made.open_citation(ADA, "mail:7@acme#1:2@12#8:21")
        assert isinstance(opened, Opened)
        assert opened.text == "öffne Ventil "
        assert str(opened.passage.locator) == "mail:7@acme#1:2@12#8:21"
        assert made.open_citation(ADA, opened.passage.locator) == opened


@pytest.mark.parametrize(
    "locator",
    [
        "NS-9@1#0:4",
        "NS-1@9#0:4",
        "THEIRS@1#0:4",
        "DRAFT@1#0:4",
        "WITHDRAWN@1#0:4",
        "FUTURE@1#0:4",
        "SECRET@1#0:4",
        "NS-1@1#0:99",
        "NS-1@1#34:35",
        "NS-1@1#4:4",
        "NS-1@1#04:5",
        "NS-1@1",
        "NS-1",
        "",
        "NS-1@1#0:4' OR 1=1 --",
        "*@1#0:4",
        "%@1#0:4",
        "\ud800@1#0:4",
        "NS-1@1#0:4\0",
        "x" * 30_000,
    ],
)
def test_what_does_not_open_tells_nothing(locator) -> None:
    with store(
        None,
        version(),
        version("THEIRS", audience={"globex"}),
        version("DRAFT", status="draft"),
        version("WITHDRAWN", status="withdrawn"),
        version("FUTURE", effective_from="2026-06-16"),
        version("SECRET", required_entitlements={"board"}),
    ) as made:
        assert repr(made.open_citation(ADA, locator)) == "Unavailable()"
        if len(locator) <= 10_000:
            (claim,) = made.check_answer(ADA, [("x", [(locator, "Open")])]).claims
            assert claim.reasons == (("not_accessible", locator),)
        assert AuditLog(made).verify() == []


def test_access_is_checked_again_now() -> None:
    clock = Clock()
    with store(None, version(required_entitlements={"hydraulics"}), clock=clock) as made:
        assert isinstance(made.open_citation(ADA, "NS-1@1#0:4"), Opened)
        revoked = Principal(ADA.operator_id, ADA.organization_id)
        assert made.open_citation(revoked, "NS-1@1#0:4") == Unavailable()
        assert not made.check_answer(revoked, [("x", [("NS-1@1#0:4", "Open")])]).quoted
        moved = Principal(ADA.operator_id, "globex", ADA.entitlements)
        assert made.open_citation(moved, "NS-1@1#0:4") == Unavailable()
        made.set_status("NS-1", 1, "withdrawn")
        assert made.open_citation(ADA, "NS-1@1#0:4") == Unavailable()


def test_successors_are_named_to_those_who_may_see_them() -> None:
    with store(
        None,
        version(audience="everyone"),
        version("B", supersedes={"NS-1@1"}, effective_from="2026-02-01"),
        version("A", supersedes={"NS-1@1"}, effective_from="2026-03-01", audience={"globex"}),
        version("C", supersedes={"NS-1@1"}, effective_from="2026-07-01"),
        version("D", supersedes={"NS-1@1"}, status="draft"),
    ) as made:
        for principal, successors in ((ADA, ("B@1",)), (MALLORY, ("A@1",)), (Principal("x", "initech"), ())):
            opened = made.open_citation(principal, "NS-1@1#0:4")
            assert isinstance(opened, Opened)
            assert opened.is_current is False
            assert opened.superseded_by_visible == tuple(VersionKey.parse(key) for key in successors)


@pytest.mark.parametrize("later", ["2026-01-01", "2025-06-01", "2026-01-02", "2026-06-15"])
def test_what_is_superseded_opens_and_says_so_from_whatever_day(later) -> None:
    with store(None, version(), version(number=2, effective_from=later, supersedes={"NS-1@1"})) as made:
        opened = made.open_citation(ADA, "NS-1@1#0:4")
        assert isinstance(opened, Opened)
        assert (opened.is_current, opened.superseded_by_visible) == (False, (VersionKey("NS-1", 2),))
        (claim,) = made.check_answer(ADA, [("x", [("NS-1@1#0:4", "Open")])]).claims
        assert claim.reasons == (("superseded", "NS-1@1#0:4"),)
        assert isinstance(made.open_citation(ADA, "NS-1@2#0:4"), Opened)


def test_successors_of_successors_are_named() -> None:
    chain = [
        version("A"),
        version("B", effective_from="2026-02-01", supersedes={"A@1"}),
        version("C", effective_from="2026-03-01", supersedes={"B@1"}, audience={"globex"}),
        version("D", effective_from="2026-04-01", supersedes={"C@1"}),
        version("E", effective_from="2026-05-01", supersedes={"D@1"}, status="draft"),
        version("F", effective_from="2026-05-01", supersedes={"E@1"}),
        version("G", effective_from="2026-07-01", supersedes={"D@1"}),
    ]
    with store(None, *chain) as made:

        def successors(document_id: str) -> list[str]:
            opened = made.open_citation(ADA, f"{document_id}@1#0:4")
            assert isinstance(opened, Opened)
            return [key.document_id for key in opened.superseded_by_visible]

        assert [successors(name) for name in "ABDF"] == [["B", "D"], ["D"], [], []]
        # What is withdrawn is not named, and what is in its own place still is.
        made.set_status("B", 1, "withdrawn")
        assert successors("A") == ["D"]


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE version SET metadata = CAST('x' AS BLOB) WHERE document = CAST('LATER' AS BLOB)",
        "INSERT INTO status_change VALUES (CAST('LATER' AS BLOB), 1, 1, 'gone', 1)",
        "INSERT INTO status_change VALUES (CAST('HIDDEN' AS BLOB), 1, 1, 'gone', 1)",
    ],
)
@pytest.mark.parametrize("audience", ["everyone", frozenset({"acme"}), frozenset({"globex"})])
def test_damage_to_what_is_hidden_changes_nothing(damage, audience) -> None:
    """A hidden version and its hidden successor: nothing about them is read for one who may see neither."""
    hidden = {"audience": audience, "required_entitlements": {"board"}}
    with store(
        None,
        version(),
        version("HIDDEN", **hidden),
        version("LATER", **hidden, supersedes={"HIDDEN@1"}, effective_from="2026-09-01"),
    ) as made:

        def seen() -> list[object]:
            return [
                made.read_service_instruction(ADA, "T-1", "How do I bleed the pump?"),
                *(made.open_citation(ADA, f"{name}@1#0:4") for name in ("NS-1", "HIDDEN", "LATER")),
                made.check_answer(ADA, [("x", [("HIDDEN@1#0:4", "Open")])]),
            ]

        before = seen()
        with made.connections.connection() as connection:
            connection.execute("DROP TRIGGER version_no_update")
            assert connection.execute(damage).rowcount == 1
        assert seen() == before


def test_damage_far_down_a_chain_that_is_hidden_changes_nothing() -> None:
    hidden = {"audience": {"globex"}}
    with store(
        None,
        version("A"),
        version("B", effective_from="2026-02-01", supersedes={"A@1"}),
        version("C", effective_from="2026-03-01", supersedes={"B@1"}, **hidden),
        version("D", effective_from="2026-04-01", supersedes={"C@1"}, **hidden),
    ) as made:
        before = made.open_citation(ADA, "A@1#0:4"), made.open_citation(ADA, "B@1#0:4")
        with made.connections.connection() as connection:
            connection.execute("DROP TRIGGER version_no_update")
            connection.execute("UPDATE version SET metadata = x'00' WHERE document = CAST('D' AS BLOB)")
        assert (made.open_citation(ADA, "A@1#0:4"), made.open_citation(ADA, "B@1#0:4")) == before


def test_what_is_quoted_and_what_is_not() -> None:
    with store(
        None,
        version(),
        version("OLD", text="Open valve Z."),
        version("NEW", text="Open valve Y.", supersedes={"OLD@1"}, effective_from="2026-02-01"),
        version("OVER", text="Open valve W.", effective_until="2026-06-15"),
        version("THEIRS", text="Open valve X.", audience={"globex"}),
    ) as made:
        quoted = ("Valve A is opened first.", [("NS-1@1#0:12", "Open valve A"), ("NS-1@1#14:33", "bleed the pump")])
        checked = made.check_answer(ADA, [quoted])
        assert checked.quoted
        assert checked.review_id is None
        assert ReviewQueue(made).items() == []

        def reasons(*citations: tuple[str, str]) -> list[str]:
            checked = made.check_answer(ADA, [quoted, ("A claim.", list(citations))])
            assert checked.review_id
            assert checked.claims[0].quoted
            return [reason for reason, _ in checked.claims[1].reasons]

        assert reasons() == ["missing_citation"]
        assert reasons(("NS-1@1#0:12", "Shut valve A")) == ["quote_not_found"]
        # In the version, but not in the passage that is cited.
        assert reasons(("NS-1@1#0:12", "bleed the pump")) == ["quote_not_found"]
        assert reasons(("NS-1@1#0:12", "open valve A")) == ["quote_not_found"]
        assert reasons(("NS-1@1#0:12", "")) == reasons(("NS-1@1#0:12", " ")) == ["quote_not_found"]
        # Whether the quote stands there is not told to those who may not read it.
        assert reasons(("THEIRS@1#0:13", "Open valve X.")) == reasons(("THEIRS@1#0:13", "no")) == ["not_accessible"]
        assert reasons(("OLD@1#0:13", "Open valve Z.")) == ["superseded"]
        assert reasons(("OVER@1#0:13", "Open valve W.")) == ["superseded"]
        assert reasons(("OLD@1#0:13", "no")) == ["quote_not_found", "superseded"]
        assert reasons(("NS-1@1#0:12", "Open valve A"), ("OLD@1#0:13", "Open")) == ["superseded"]
        item = ReviewQueue(made).items()[0]
        assert item.subject["kind"] == "unsupported_answer"
        assert item.qualification == "pumps"


@pytest.mark.parametrize(
    "claims",
    [
        [],
        "claim",
        None,
        [("text",)],
        ["claim"],
        [("text", "NS-1@1#0:4")],
        [("text", [("NS-1@1#0:4",)])],
        [("text", ["NS-1@1#0:4"])],
        [("text", [("NS-1@1#0:4", None)])],
        [(None, [])],
        [("x" * 10_001, [])],
        [("x", [("NS-1@1#0:4", "x")] * 51)],
        [("x", [])] * 201,
    ],
)
def test_answers_that_are_none(claims) -> None:
    with store(None, version()) as made:
        before = AuditLog(made).head()
        with pytest.raises(ValueError, match=r"claim|citation|quote"):
            made.check_answer(ADA, claims)
        assert AuditLog(made).head() == before


def test_no_digest_of_metadata_is_handed_out() -> None:
    """Who else may see a version must not be guessed from what one of them is given."""
    seen = []
    for audience in ({"acme"}, {"acme", "globex"}, "everyone"):
        with store(None, version(audience=audience)) as made:
            found = made.read_service_instruction(ADA, "T-1", "How do I bleed the pump?")
            seen.append(repr([found, made.open_citation(ADA, "NS-1@1#0:4")]))
            assert version(audience=audience).digest not in seen[-1]
    assert len(set(seen)) == 1
