"""What a principal may not see changes nothing: not a byte of what the principal, or a model for it, can see."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sid import DocumentCache, _kernels
from sid.governed import (
    EVERYONE,
    AskPolicy,
    DocumentVersion,
    Found,
    GovernedStore,
    InvalidArguments,
    Principal,
    Refused,
    ServiceInstructions,
    VersionKey,
    gate,
)
from sid.governed.ranking import LANGUAGE, Ranked, question_terms, rank
from sid.id_stream import IdStream
from sid.tools import ToolError, render_answer

from .builders import NOW, ticket, version

ORGANIZATIONS = ("acme", "globex", "initech")
ENTITLEMENTS = ("hydraulics", "board")
SCOPES = ("pumps", "boilers")
WORDS = "valve bleed pump pressure gauge the night".split()
DOCUMENTS = ("A", "B", "C@1#2:3", "D", "F", "G", "H", "I")
TODAY = NOW.date()
QUESTIONS = ("How do I bleed the pump?", "valve pressure gauge", "nothing of it")
TICKETS = ("T-1", "T-2", "T-3", "T-THEIRS", "T-NONE", "no ticket")

# Most versions are in force, in the first scope and without entitlements, so that questions have answers; the rest is
# there as well.
days = (st.just(-30) | st.just(-25) | st.integers(-40, 20)).map(lambda days: TODAY + timedelta(days))
sets_of = lambda names: st.frozensets(st.sampled_from(names), max_size=2)  # noqa: E731
audiences = st.just(EVERYONE) | st.frozensets(st.sampled_from(ORGANIZATIONS), min_size=1, max_size=2)
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=40).map(" ".join)
few_entitlements = st.just(frozenset()) | st.just(frozenset()) | sets_of(ENTITLEMENTS)
any_status = st.sampled_from(["active"] * 8 + ["draft", "withdrawn"])


@st.composite
def versions(
    draw: Any, audience: Any = audiences, statuses: Any = any_status, beginning: Any = None
) -> DocumentVersion:
    begins = draw(days) if beginning is None else TODAY + timedelta(draw(beginning))
    ends = draw(st.sampled_from([None, None, *(begins + timedelta(length) for length in (1, 12, 28, 40))]))
    keys = st.tuples(st.sampled_from(DOCUMENTS), st.integers(1, 3))
    key = draw(keys)
    return DocumentVersion(
        document_id=key[0],
        version=key[1],
        title=" ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4))),
        text=draw(texts),
        scope=draw(st.sampled_from((*SCOPES, SCOPES[0], SCOPES[0]))),
        effective_from=begins,
        effective_until=ends,
        audience=draw(audience),
        required_entitlements=draw(few_entitlements),
        status=draw(statuses),
        supersedes=tuple(
            VersionKey(*one) for one in draw(st.just([]) | st.just([]) | st.lists(keys, max_size=1)) if one != key
        ),
    )


principals = st.builds(
    Principal, st.sampled_from(["ada", "grace"]), st.sampled_from(ORGANIZATIONS[:2]), sets_of(ENTITLEMENTS)
)


def may_see(principal: Principal, version: DocumentVersion) -> bool:
    """Say whether a principal may see a version at all today: the definition, put in other words."""
    if version.status != "active" or version.effective_from > TODAY:
        return False
    if version.required_entitlements - principal.entitlements:
        return False
    return version.audience == EVERYONE or principal.organization_id in version.audience


def filled(store: GovernedStore, corpus: Sequence[DocumentVersion]) -> GovernedStore:
    """Write what can be written, one by one; the rest contradicts what is there."""
    written(store, corpus)
    return store


def written(store: GovernedStore, corpus: Sequence[DocumentVersion]) -> list[DocumentVersion]:
    """Do as `filled` does, and give what was written."""
    there = []
    for one in corpus:
        with contextlib.suppress(Refused):
            there += [one] * store.add([one]).added
    return there


def opened(principal: Principal) -> GovernedStore:
    store = GovernedStore(clock=lambda: NOW, id_key=bytes(32), policy=AskPolicy(passage_tokens=30, coverage=0.3))
    ours = principal.organization_id
    store.put_tickets(
        [
            ticket("T-1", organization_id=ours),
            ticket("T-2", organization_id=ours, scope="boilers", opened_at=NOW - timedelta(days=20)),
            ticket("T-3", organization_id=ours, opened_at=NOW + timedelta(days=9)),
            ticket("T-THEIRS", organization_id="umbrella"),
        ]
    )
    return store


def rankings(store: GovernedStore, principal: Principal) -> list[object]:
    """Give every question's ranking, with its scores to the bit: more than anybody is shown."""
    found: list[object] = []
    with store.connections.reading() as connection:
        for scope in SCOPES:
            for day in (TODAY, TODAY - timedelta(20)):
                eligible = gate.eligible(connection, principal, scope, day)
                for question in QUESTIONS:
                    ranked = rank(question_terms(question), eligible.versions)
                    found.append([(one.version.key, one.score.hex(), one.matched, one.length) for one in ranked])
    return found


def answers(store: GovernedStore, principal: Principal) -> list[object]:
    """Give what a question about pumps, asked today, is answered with."""
    asked = [store.read_service_instruction(principal, "T-3", question) for question in QUESTIONS]
    return [*asked, rankings(store, principal)[: len(QUESTIONS)]]


def everything(store: GovernedStore, principal: Principal) -> bytes:
    """Give all that the principal and a model can be shown, byte by byte."""
    tool, cache = ServiceInstructions(store, principal), DocumentCache()
    cache.model_facing_id_stream = IdStream(seed=7)
    seen: list[object] = [tool.tool, tool.tool_examples, rankings(store, principal)]
    for ticket_id in TICKETS:
        for question in QUESTIONS:
            try:
                answer = tool.call({"ticket_id": ticket_id, "question": question})
                seen += [answer, render_answer(cache, "read_service_instruction", answer)]
                seen.append(store.read_service_instruction(principal, ticket_id, question))
            except (InvalidArguments, ToolError) as error:
                seen.append(repr(error))
    for document in (*DOCUMENTS, "E"):
        for number in range(1, 4):
            seen.append(store.open_citation(principal, f"{document}@{number}#0:4"))
            claims = [("It is so.", [(f"{document}@{number}#0:9", "open")]), ("And so.", [])]
            seen.append(store.check_answer(principal, claims))
    seen += [cache.seen_ledger, list(cache.documents.items())]
    return repr(seen).encode()


@st.composite
def edits(draw: Any) -> tuple[Principal, list[DocumentVersion], list[DocumentVersion], list[DocumentVersion]]:
    """Give a principal, a corpus, and two ways to mix versions into it that the principal may not see."""
    principal = draw(principals)
    plain = versions().map(
        lambda one: replace(
            one,
            audience=EVERYONE,
            required_entitlements=frozenset(),
            scope="pumps",
            status="active",
            effective_from=TODAY - timedelta(30),
            effective_until=None,
            supersedes=(),
        )
    )
    corpus = [*draw(st.lists(plain, max_size=4)), *draw(st.lists(versions(), max_size=6))]
    hidden_from = st.frozensets(
        st.sampled_from(sorted({*ORGANIZATIONS, "umbrella"} - {principal.organization_id})), min_size=1
    )
    hidden = (
        versions(audience=hidden_from)
        | versions(statuses=st.sampled_from(["draft", "withdrawn"]))
        | versions(beginning=st.integers(1, 20))
        | versions()
    )
    hidden = hidden.filter(lambda one: not may_see(principal, one))
    visible = [one for one in corpus if may_see(principal, one)]
    mixed = []
    for _ in range(2):
        mix: list[DocumentVersion] = list(visible)
        for one in draw(st.lists(hidden, min_size=1, max_size=6)):
            mix.insert(draw(st.integers(0, len(mix))), one)
        mixed.append(mix)
    return principal, visible, *mixed


def unrelated(corpus: Sequence[DocumentVersion], principal: Principal) -> list[DocumentVersion]:
    """Leave out hidden versions that have a say about visible ones.

    Those that supersede one are authority, of which another test tells. Of those that stand in one's way when it is
    written the loader is told, and what is visible differs.
    """
    visible = [one for one in corpus if may_see(principal, one)]

    def has_a_say(hidden: DocumentVersion) -> bool:
        def meet(one: DocumentVersion) -> bool:
            everyone = EVERYONE in (hidden.audience, one.audience)
            shared = everyone or bool(hidden.audience & one.audience)
            return hidden.document_id == one.document_id and hidden.status == "active" and shared

        def supersedes(hidden: DocumentVersion, one: DocumentVersion) -> bool:
            return one.key in hidden.supersedes and hidden.status != "draft"

        return any(
            hidden.key == one.key or hidden.key in one.supersedes or supersedes(hidden, one) or meet(one)
            for one in visible
        )

    return [one for one in corpus if may_see(principal, one) or not has_a_say(one)]


@given(edits())
@settings(max_examples=120)
def test_hidden_versions_added_changed_or_deleted_change_nothing(drawn) -> None:
    principal, visible, one_mix, other_mix = drawn
    with opened(principal) as alone, opened(principal) as one, opened(principal) as other:
        expected = everything(filled(alone, visible), principal)
        assert everything(filled(one, unrelated(one_mix, principal)), principal) == expected
        assert everything(filled(other, unrelated(other_mix, principal)), principal) == expected


def applies(version: DocumentVersion) -> bool:
    """Say whether a version may answer a question about pumps today, leaving aside who asks."""
    begun = version.effective_from <= TODAY and (version.effective_until is None or version.effective_until > TODAY)
    return version.status == "active" and version.scope == "pumps" and begun


@given(principals, st.lists(versions(), min_size=2, max_size=9), st.lists(versions(), max_size=9))
@settings(max_examples=120)
def test_what_does_not_apply_changes_no_answer(principal, corpus, more) -> None:
    """Versions that are over, still to come or of another scope may be the asker's to see, and count for nothing."""
    with opened(principal) as alone, opened(principal) as among:
        there = written(alone, corpus)
        filled(among, there)
        keys = {one.key for one in there}
        for one in more:
            documents = {key.document_id for key in (one.key, *one.supersedes)}
            if not (applies(one) and may_see(principal, one)) and not documents & {key.document_id for key in keys}:
                filled(among, [one])
        assert answers(among, principal) == answers(alone, principal)


def test_the_property_has_something_to_say() -> None:
    """Of what is drawn, much has hidden versions in the store and passages in answers."""
    told = Counter()

    @given(edits())
    @settings(max_examples=150, derandomize=True, database=None)
    def count(drawn: Any) -> None:
        principal, _, mix, _ = drawn
        with opened(principal) as store:
            there = written(store, unrelated(mix, principal))
            hidden = any(not may_see(principal, one) for one in there)
            found = [store.read_service_instruction(principal, "T-1", question) for question in QUESTIONS]
            passages = max((len(one.passages) for one in found if isinstance(one, Found)), default=0)
            told.update(all=1, hidden=hidden, found=hidden and passages > 0, several=hidden and passages > 1)

    count()
    assert told["found"] >= 0.3 * told["all"], told
    assert told["several"] >= 0.15 * told["all"], told


@given(edits())
@settings(max_examples=60)
def test_a_store_in_use_answers_the_same_after_hidden_writes(drawn) -> None:
    """The same store asked before and after: reviews, log entries and status changes do not show either."""
    principal, visible, mix, _ = drawn
    stranger = Principal("mallory", "umbrella", frozenset(ENTITLEMENTS))
    with opened(principal) as store:
        filled(store, visible)
        before = everything(store, principal)
        hidden = written(store, [one for one in unrelated(mix, principal) if not may_see(principal, one)])
        everything(store, stranger)
        assert everything(store, principal) == before
        for one in hidden:
            ours = one.audience == EVERYONE or principal.organization_id in one.audience
            if ours or any(other.key in one.supersedes for other in visible):
                continue  # a draft would become visible, or authority
            for status in ("active", "withdrawn"):
                with contextlib.suppress(Refused):
                    store.set_status(*one.key, status)
        assert everything(store, principal) == before


@given(edits(), st.data())
@settings(max_examples=80)
def test_authority_removes_what_it_supersedes_and_changes_nothing_else(drawn, data) -> None:
    """A hidden version that supersedes a visible one has just the effect of that one's last day being set by hand."""
    principal, visible, _, _ = drawn
    with opened(principal) as base:
        there = written(base, visible)
    candidates = [one for one in there if one.status == "active" and not any(one.key in o.supersedes for o in there)]
    if not candidates:
        return
    target = data.draw(st.sampled_from(candidates))
    since = data.draw(st.integers(1, 40).map(lambda days: target.effective_from + timedelta(days)))
    hidden = version("HIDDEN", effective_from=since, audience={"umbrella"}, supersedes={target.key})
    until = min(since, target.effective_until or date.max)
    by_hand = [replace(one, effective_until=until) if one is target else one for one in there]
    with opened(principal) as authoritative, opened(principal) as set_by_hand:
        filled(authoritative, [*there, hidden])
        filled(set_by_hand, by_hand)
        got, expected = everything(authoritative, principal), everything(set_by_hand, principal)
        # The digest of the version that was edited by hand is its own; nothing else differs.
        assert got.replace(target.digest.encode(), b"") == expected.replace(
            by_hand[there.index(target)].digest.encode(), b""
        )


def test_the_property_can_fail() -> None:
    """What is compared does show a visible change: a version more, a wider audience, a withdrawal."""
    ada = Principal("ada", "acme")
    with opened(ada) as store:
        filled(store, [version("A"), version("B", audience={"globex"}, text="Bleed the pump at night.")])
        seen = [everything(store, ada)]
        for one in (version("D", 2), version("B", 2, text="bleed", audience={"acme"})):
            filled(store, [one])
            seen.append(everything(store, ada))
        store.set_status("A", 1, "withdrawn")
        seen.append(everything(store, ada))
        assert len(set(seen)) == 4


def leaky_rank(terms: Sequence[str], versions: Sequence[Any], *, corpus: Sequence[DocumentVersion]) -> Any:
    """Rank as if all versions of the store counted, which is what a global idf does."""
    every = [one.text for one in (*versions, *corpus)]
    scores = _kernels.bm25_scores(list(terms), every, LANGUAGE)
    ranked = [Ranked(one, *score) for one, score in zip(versions, scores, strict=False)]
    return sorted(ranked, key=lambda one: (-one.score, one.version.key))


def test_statistics_of_all_documents_would_be_noticed(monkeypatch) -> None:
    ada = Principal("ada", "acme")
    ours = [version("A", text="valve valve pump"), version("B", text="pump pump valve")]
    theirs = [version("C", number, text="valve", audience={f"org{number}"}) for number in range(1, 6)]
    seen = []
    for corpus in (ours, [*ours, *theirs]):
        with opened(ada) as store:
            filled(store, corpus)
            honest = store.read_service_instruction(ada, "T-1", "Which pump, which valve?")
            monkeypatch.setattr("sid.governed.asking.rank", partial(leaky_rank, corpus=corpus))
            leaky = store.read_service_instruction(ada, "T-1", "Which pump, which valve?")
            monkeypatch.undo()
            seen.append((repr(honest), repr(leaky)))
    assert seen[0][0] == seen[1][0]
    assert seen[0][1] != seen[1][1]
