"""The tool as a model meets it: its schema, what it is shown, and whole episodes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from sid import DocumentCache
from sid.backends import Corpus, SqliteBackend
from sid.episode import Episode, replay
from sid.governed import (
    AskPolicy,
    AuditLog,
    GovernedStore,
    InvalidArguments,
    Locator,
    Opened,
    Principal,
    ServiceInstructions,
)
from sid.governed.ranking import Ranked, supported
from sid.governed.tool import UNAVAILABLE, service_instruction_tool
from sid.id_stream import IdStream
from sid.tools import (
    REPORT_TOOL,
    ToolAnswer,
    ToolError,
    parse_arguments,
    render_answer,
    validate_toolset,
)

from .builders import ADA, MALLORY, store, ticket, version

QUESTION = "How do I bleed the pump?"
PASSAGE = "NS-1@1#239:838"


class Scripted:
    """Stands in for a model: one call a turn, then the report of what ``report`` finds in the last output."""

    def __init__(self, *calls: tuple[str, object], report: str = r'<doc id="(\d+)') -> None:
        self.responses = self
        self.calls, self.report = calls, report
        self.requests: list[dict] = []

    def create(self, **request):
        self.requests.append(json.loads(json.dumps(request)))
        turn = len(self.requests)
        if turn <= len(self.calls):
            name, arguments = self.calls[turn - 1]
        else:
            name, arguments = "report_helpful_ids", {"ids": re.findall(self.report, "".join(self.outputs()))}
        call = {"type": "function_call", "call_id": f"c{turn}", "name": name, "arguments": json.dumps(arguments)}
        return {"output": [call]}

    def outputs(self) -> list[str]:
        return [item["output"] for item in self.requests[-1]["input"] if item.get("type") == "function_call_output"]


def asked(ticket_id: str = "T-1", question: str = QUESTION, **more: object) -> tuple[str, dict]:
    return "read_service_instruction", {"ticket_id": ticket_id, "question": question, **more}


@pytest.fixture
def made():
    with store(
        None,
        version(text="Open valve A, then bleed the pump. " * 40, title="Bleeding <the> pump & more"),
        version("THEIRS", audience={"globex"}, text="Secret of globex: bleed the pump by valve Z."),
    ) as made:
        made.put_tickets([ticket("T-THEIRS", organization_id="globex")])
        yield made


@pytest.fixture
def corpus():
    with SqliteBackend() as backend:
        # As hostile as can be: ids of governed passages, and of the tool's.
        for name in (PASSAGE, f"read_service_instruction:{PASSAGE}", "THEIRS@1#0:10"):
            backend.add([{"id": name, "content": "bleed the pump by drinking from it"}])
        yield Corpus(text_search=backend)


def test_the_schema_is_strict_and_names_nobody() -> None:
    tool = service_instruction_tool()
    assert tool["strict"] is True
    assert tool["parameters"]["additionalProperties"] is False
    assert tool["parameters"]["required"] == list(tool["parameters"]["properties"]) == ["ticket_id", "question"]
    assert {one["type"] for one in tool["parameters"]["properties"].values()} == {"string"}
    with GovernedStore() as empty:
        tools = ServiceInstructions(empty, Principal("OPERATOR-ID", "ORGANIZATION-ID", frozenset({"ENTITLEMENT"})))
        report = {"name": "report_helpful_ids", "arguments": {"ids": ["1"]}}
        validate_toolset([tools.tool, REPORT_TOOL], [*tools.tool_examples, report])
        told = json.dumps([tools.tool, list(tools.tool_examples)])
        assert not re.search("OPERATOR-ID|ORGANIZATION-ID|ENTITLEMENT", told)
        assert repr(tools).count("ID") == 0


@pytest.mark.parametrize(
    "arguments",
    [
        {"ticket_id": "T-1"},
        {"question": QUESTION},
        {},
        {"ticket_id": ["T-1"], "question": QUESTION},
        {"ticket_id": "T-1", "question": QUESTION, "organization_id": "globex"},
        {"ticket_id": "T-1", "question": QUESTION, "principal": {"organization_id": "globex"}},
        {"ticket_id": "T-1", "question": QUESTION, "version": 1},
        {"ticket_id": "T-1", "question": QUESTION, "date": "2020-01-01"},
    ],
)
def test_no_argument_but_the_two(made, arguments) -> None:
    with pytest.raises(InvalidArguments) as caught:
        ServiceInstructions(made, ADA).call(arguments)
    assert isinstance(caught.value, ToolError)
    # And a loop that drops what a tool does not declare leaves nothing of it.
    if {"ticket_id", "question"} <= set(arguments) and isinstance(arguments["ticket_id"], str):
        left = parse_arguments(service_instruction_tool(), json.dumps(arguments))
        assert left == {"ticket_id": "T-1", "question": QUESTION}


def test_what_a_model_is_shown(made) -> None:
    cache = DocumentCache()
    cache.model_facing_id_stream = IdStream(seed=1)
    tool = ServiceInstructions(made, ADA)
    answer = tool.call(asked()[1])
    shown = render_answer(cache, "read_service_instruction", answer)
    (passage,) = answer.documents
    assert re.fullmatch(
        r'<doc id="\d{6}" doc_length=\d+ document_id="NS-1" version=1 title="Bleeding &lt;the&gt; pump &amp; more" '
        r'locator="NS-1@1#\d+:\d+" digest="[0-9a-f]{64}">\n.*\n</doc>',
        shown,
    )
    opened = made.open_citation(ADA, passage["locator"])
    assert isinstance(opened, Opened)
    assert opened.text == passage["content"]
    # Asked again, what was shown is masked; what the cache holds is what was shown.
    again = render_answer(cache, "read_service_instruction", tool.call(asked()[1]))
    assert f'[seen: "#0:{len(opened.text)}"]' in again
    assert [document["content"] for document in cache.documents.values()] == [opened.text]
    assert len(opened.text) < 40 * 35


def test_the_two_unavailable_are_one(made) -> None:
    tool = ServiceInstructions(made, ADA)
    assert tool.call(asked("T-THEIRS")[1]) == tool.call(asked("T-NONE")[1]) == ToolAnswer(UNAVAILABLE)


def test_an_episode(made, corpus, tmp_path) -> None:
    script = Scripted(("text_search", {"query": "bleed the pump"}), asked(), asked("T-THEIRS"), asked("T 1"), asked())
    path = tmp_path / "t.jsonl"
    result = Episode(
        "Which valve?",
        corpora=corpus,
        client=script,
        seed=3,
        transcript=path,
        extra_tools=[ServiceInstructions(made, ADA)],
    ).run()
    searched, found, unavailable, refused, again = script.outputs()
    assert "drinking" in searched
    assert "Open valve A" in found
    assert "drinking" not in found
    assert unavailable == UNAVAILABLE
    assert refused.startswith("Error: ticket_id must be")
    assert "[seen: " in again
    assert (result.ended, len(result.data_ids)) == ("reported", 4)
    # The index holds documents with the very ids of what the tool gave; neither is taken for the other.
    ((_, governed),) = [source for source in result.sources if source[0] == "read_service_instruction"]
    assert {corpus for corpus, _ in result.sources} == {None, "read_service_instruction"}
    assert isinstance(made.open_citation(ADA, governed), Opened)
    assert (None, governed) in result.sources
    assert (None, f"read_service_instruction:{governed}") in result.sources
    everything = json.dumps(script.requests)
    assert "globex" not in everything
    assert "acme" not in everything
    assert "ada" not in re.findall(r"\w+", everything)
    replayed = replay(path)
    assert (replayed.data_ids, replayed.sources) == (result.data_ids, result.sources)
    assert [entry.data["outcome"] for entry in AuditLog(made).entries() if entry.kind == "asked"] == [
        "found",
        "unavailable",
        "invalid_arguments",
        "found",
    ]


def test_reading_on_shows_nothing_that_was_not_shown(made, corpus) -> None:
    """``read`` on a governed passage gives that passage, and not a character of the version around it."""
    seen: list[str] = []

    class Reader(Scripted):
        def create(self, **request):
            if len(self.requests) == 1:
                self.requests.append(json.loads(json.dumps(request)))
                seen.extend(self.outputs())
                model_id = re.findall(r'<doc id="(\d+)', seen[0])[0]
                arguments = json.dumps({"id": f"{model_id}#0:9999"})
                return {"output": [{"type": "function_call", "call_id": "r", "name": "read", "arguments": arguments}]}
            return super().create(**request)

    script = Reader(asked(), asked())
    result = Episode("Which?", corpora=corpus, client=script, extra_tools=[ServiceInstructions(made, ADA)]).run()
    passage, read = script.outputs()[:2]
    assert read.split("\n", 1)[1] == passage.split("\n", 1)[1]
    assert result.ended == "reported"


def test_a_store_that_fails_ends_the_episode_and_shows_nothing(made, corpus) -> None:
    from sid.episode import BackendError

    def broken(principal, ticket_id):
        raise OSError("the ticket system is down")

    script = Scripted(asked())
    tool = ServiceInstructions(made, ADA, tickets=broken)
    with pytest.raises(BackendError, match="the ticket system is down"):
        Episode("Which?", corpora=corpus, client=script, extra_tools=[tool]).run()
    assert len(script.requests) == 1


def test_names_of_extra_tools_are_their_own(made, corpus) -> None:
    tool = ServiceInstructions(made, ADA)
    with pytest.raises(ValueError, match="two extra tools"):
        Episode("Which?", corpora=corpus, client=Scripted(), extra_tools=[tool, tool])
    named = Corpus("read_service_instruction", text_search=corpus.text_search)
    with pytest.raises(ValueError, match="cannot be called 'read_service_instruction'"):
        Episode("Which?", corpora=named, client=Scripted(), extra_tools=[tool])


def test_two_principals_two_answers(made, corpus) -> None:
    made.add([version("BOTH", audience="everyone", text="Bleed the pump in daylight.")])
    made.put_tickets([ticket("T-9", organization_id="globex")])
    outputs = []
    for principal, name in ((ADA, "T-1"), (MALLORY, "T-9")):
        script = Scripted(asked(name))
        Episode(
            "Which?", corpora=corpus, client=script, seed=1, extra_tools=[ServiceInstructions(made, principal)]
        ).run()
        outputs.append(script.outputs()[0])
    assert "valve A" in outputs[0]
    assert "valve Z" not in outputs[0]
    assert "valve Z" in outputs[1]
    assert "valve A" not in outputs[1]
    assert all("daylight" in output for output in outputs)


def test_locators_of_the_answer_hold_for_ever(made, tmp_path: Path) -> None:
    (passage,) = ServiceInstructions(made, ADA).call(asked()[1]).documents
    locator = Locator.parse(passage["locator"])
    made.add([version("NS-1", 2, effective_from="2026-06-01", supersedes={"NS-1@1"})])
    opened = made.open_citation(ADA, locator)
    assert (opened.text, opened.is_current) == (passage["content"], False)
    assert list(map(str, opened.superseded_by_visible)) == ["NS-1@2"]


def test_every_refused_call_is_logged() -> None:
    for arguments in (
        {"ticket_id": "T-1", "question": "x", "day": "2020-01-01"},
        {"ticket_id": 10**5000, "question": "x"},
        {"ticket_id": "T-1", "question": [10**5000]},
        {"ticket_id": "T 1", "question": "x"},
        {},
    ):
        with store(None, version()) as made:
            before = len(list(AuditLog(made).entries()))
            with pytest.raises(InvalidArguments):
                ServiceInstructions(made, ADA).call(arguments)
            *_, last = AuditLog(made).entries()
            assert last.sequence == before + 1
            assert (last.kind, last.data["outcome"]) == ("asked", "invalid_arguments")
            assert AuditLog(made).verify() == []


def test_a_document_that_is_another_under_the_same_id_is_refused_whole() -> None:
    cache = DocumentCache()
    first = ToolAnswer("", [{"id": "a", "content": "rule one"}])
    render_answer(cache, "rules", first)
    before = (dict(cache.seen_ledger), len(cache.documents))
    for documents in (
        [{"id": "b", "content": "x"}, {"id": "a", "content": "rule two"}],
        [{"id": "c", "content": "x"}, {"id": "c", "content": "y"}],
    ):
        with pytest.raises(ValueError, match="two documents with the id"):
            render_answer(cache, "rules", ToolAnswer("", documents))
        assert (dict(cache.seen_ledger), len(cache.documents)) == before
    assert "[seen:" in render_answer(cache, "rules", first)


@pytest.mark.parametrize("ticket_id", ["T 7", "", "-T", "T" * 65, "Т-1", "T-1\n"])
def test_tickets_that_nobody_can_ask_about_are_none(ticket_id) -> None:
    with pytest.raises(ValueError, match="ticket_id must be 1 to 64"):
        ticket(ticket_id)


def test_policies_that_cannot_be() -> None:
    for given in ({"passages": 1.5}, {"passage_tokens": True}):
        with pytest.raises(TypeError, match="integers"):
            AskPolicy(**given)
    for given in ({"passages": 0}, {"coverage": 0}, {"coverage": float("nan")}):
        with pytest.raises(ValueError, match="at least 1"):
            AskPolicy(**given)


def test_coverage_is_the_number_that_is_written() -> None:
    terms = [f"t{number}" for number in range(25)]
    for matched in range(26):
        for hundredths in range(1, 101):
            one = Ranked(None, 1.0, matched, 1)  # type: ignore[arg-type]
            expected = matched >= 1 and 100 * matched >= hundredths * 25
            assert bool(supported([one], terms, hundredths / 100)) == expected
