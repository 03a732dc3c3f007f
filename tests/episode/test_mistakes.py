"""What a model does wrong: it is told, and the episode goes on, or ends as specified."""

from __future__ import annotations

import asyncio
import itertools
import re

import numpy as np
import pytest

from sid import tools
from sid.backends import Corpus, FusedBackend
from sid.backends.protocol import InvalidFilter
from sid.episode import MAX_LIMIT, MAX_SNIPPET_SIZE, BackendError, Episode, RetryPolicy
from sid.episode.observations import NO_RESULTS

from .corpora import BIRDS, WordBackend, sqlite
from .service import call, prose, reasoning
from .test_contract import ids_in, outputs

SEARCH = ("text_search", {"query": "owls"})


def shown_after(run, *calls, before: bool = True, **settings) -> list[str]:
    """Give what the model is shown for calls in a turn; ``ID`` in their arguments is a document it was shown."""
    shown: list[str] = []

    def model(turn, conversation):
        if turn == 1 and before:
            return [call(*SEARCH)]
        if turn == 1 + before:
            known = ids_in(outputs(conversation)[0])[0] if before else ""
            return [call(name, re.sub("ID", known, text) if isinstance(text, str) else text) for name, text in calls]
        shown[:] = outputs(conversation)[before:][: len(calls)]
        known = ids_in("".join(outputs(conversation)))
        return [call("report_helpful_ids", {"ids": known[:1]})] if known else [call(*SEARCH)]

    result = run(model, **settings)
    assert result.ended == "reported"
    observations = [
        event for event in result.transcript if event["event"] == "observation" and event["turn"] == 1 + before
    ]
    for event, text in zip(observations, shown, strict=True):
        assert event["output"] == text
        assert event["refused"] == text.startswith("Error: ")
    return shown


MISTAKES = [
    (("browse", "{}"), "there is no tool 'browse'; the tools are text_search, read, report_helpful_ids"),
    (("search", '{"query": "owls"}'), "there is no tool 'search'"),
    (("x" * 100_000, "{}"), "there is no tool 'xxx"),
    (("text_search", "owls"), "not JSON"),
    (("text_search", ""), "'query' is missing"),
    (("text_search", "[]"), "must be one JSON object"),
    (("text_search", '{"query": 7}'), "'query' must be a string, got 7"),
    (("text_search", '{"query": "owls", "limit": 0}'), "'limit' must be a positive integer, got 0"),
    (("text_search", '{"query": "owls", "limit": -1}'), "'limit' must be a positive integer"),
    (("text_search", '{"query": "owls", "limit": "five"}'), "'limit' must be a positive integer"),
    (("text_search", '{"query": "owls", "snippet_size": 0}'), "'snippet_size' must be a positive integer"),
    (("text_search", '{"query": "owls", "limit": ' + "9" * 5000 + "}"), "digits"),
    (("read", "{}"), "'id' is missing"),
    (("read", '{"id": 123456}'), "'id' must be a string"),
    (("read", '{"id": ["ID"]}'), "'id' must be a string"),
    (("read", '{"id": "no-such-id"}'), "there is no document 'no-such-id'"),
    (("read", '{"id": "owl"}'), "there is no document 'owl'"),
    (("read", '{"id": "' + "9" * 100_000 + '"}'), "there is no document '999"),
    (("read", '{"id": "#0:5"}'), "no id before '#'"),
    (("read", '{"id": "ID#"}'), "exactly two offsets"),
    (("read", '{"id": "ID#5"}'), "exactly two offsets"),
    (("read", '{"id": "ID#1:2:3"}'), "exactly two offsets"),
    (("read", '{"id": "ID#a:b"}'), "character offsets"),
    (("read", '{"id": "ID#1.5:3"}'), "character offsets"),
    (("read", '{"id": "ID#5:5"}'), "start must be < end"),
    (("read", '{"id": "ID#9:3"}'), "start must be < end"),
    (("read", '{"id": "ID#5000:6000"}'), "names no part of document ID, which has 1620 characters"),
    (("read", '{"id": "ID#-9:-3"}'), "names no part of document ID"),
    (("read", '{"id": "ID#' + "9" * 4000 + ":" + "9" * 4001 + '"}'), "names no part of document ID"),
    (("read", '{"id": "ID#0:' + "9" * 5000 + '"}'), "too many digits"),
    (("read", '{"id": "ID:0:5"}'), "there is no document"),
    (("report_helpful_ids", "{}"), "'ids' is missing"),
    (("report_helpful_ids", '{"ids": []}'), "needs at least one id"),
    (("report_helpful_ids", '{"ids": "ID"}'), "'ids' must be an array"),
    (("report_helpful_ids", '{"ids": [5]}'), "'ids[0]' must be a string"),
    (("report_helpful_ids", '{"ids": [null]}'), "'ids[0]' must be a string"),
    (("report_helpful_ids", '{"ids": ["", "nothing", "#0:5", "owl"]}'), "none of these ids is of a document"),
]


@pytest.mark.parametrize(("mistake", "lesson"), MISTAKES, ids=lambda value: str(value)[:60])
def test_a_mistake_is_answered(run, mistake, lesson) -> None:
    (shown,) = shown_after(run, mistake)
    assert shown.startswith("Error: ")
    assert lesson in re.sub(r"document \d{6},", "document ID,", shown)
    assert len(shown) <= 2000
    assert "Traceback" not in shown


def test_a_mistake_does_not_harm_its_neighbours(run) -> None:
    shown = shown_after(run, *(mistake for mistake, _ in MISTAKES if mistake[0] != "report_helpful_ids"), SEARCH)
    assert all(text.startswith("Error: ") for text in shown[:-1])
    assert shown[-1].startswith("<doc id=")


def test_data_ids_do_not_leak(run) -> None:
    (shown,) = shown_after(run, ("read", '{"id": "ID#5000:6000"}'))
    assert "owl" not in shown


@pytest.mark.parametrize(
    ("reference", "text"),
    [
        ("ID#-5:4", "\nOwls ...\n"),
        ("ID#1610:99999", "\n... the snow. \n"),
        ("ID# 0 : 4 ", "\nOwls ...\n"),
        (" ID ", "\nOwls hunt"),
    ],
)
def test_odd_references_that_are_right(run, reference, text) -> None:
    (shown,) = shown_after(run, ("read", f'{{"id": "{reference}"}}'))
    assert text in shown


# --- search -----------------------------------------------------------------------------------------------------------


def test_limits_and_sizes_that_are_too_large(run) -> None:
    backend = WordBackend([{"id": str(n), "content": "owls " * 3000} for n in range(300)])
    shown = shown_after(
        run,
        ("text_search", {"query": "owls", "limit": 10**9, "snippet_size": 10**9}),
        ("text_search", {"query": "owls", "limit": 10**30}),
        before=False,
        corpora=Corpus(text_search=backend),
    )
    assert [text.count("<doc id=") for text in shown] == [MAX_LIMIT, MAX_LIMIT]
    assert [limit for _, limit, _ in backend.asked] == [MAX_LIMIT, MAX_LIMIT]
    assert f"#0:{MAX_SNIPPET_SIZE * 5 - 1}" in shown[0]


def test_the_default_limit(run) -> None:
    backend = WordBackend([{"id": str(n), "content": "owls"} for n in range(9)])
    (shown,) = shown_after(run, SEARCH, before=False, corpora=Corpus(text_search=backend), default_limit=3)
    assert shown.count("<doc id=") == 3
    assert backend.asked[0] == ("owls", 3, None)


def test_nothing_found(run) -> None:
    shown = shown_after(run, ("text_search", {"query": "xyzzy"}))
    assert shown == [NO_RESULTS]
    assert not NO_RESULTS.startswith("Error")


def test_arguments_that_say_nothing_are_dropped(run) -> None:
    author = {"type": "string", "examples": ["Ada"]}
    backend = WordBackend([{"id": "1", "author": "Ada", "content": "owls"}])
    corpus = Corpus(search=backend, filters={"author": author})
    shown_after(
        run,
        ("search", {"query": "owls", "limit": None, "author": "", "colour": "grey"}),
        ("search", {"query": "owls", "author": "Ada"}),
        ("search", {"query": "owls", "author": "Bob"}),
        before=False,
        corpora=corpus,
    )
    assert sorted(str(filters) for _, _, filters in backend.asked) == ["None", "{'author': 'Ada'}", "{'author': 'Bob'}"]


@pytest.mark.parametrize(
    "error", [tools.ToolError("no such author; there are Ada, Bob"), InvalidFilter("no such author")]
)
def test_a_backend_can_blame_the_model(run, error) -> None:
    class Choosy(WordBackend):
        def search(self, query, *, limit, filters=None):
            if filters:
                raise error
            return super().search(query, limit=limit)

    corpus = Corpus(text_search=Choosy(), filters={"author": {"type": "string"}})
    shown = shown_after(run, ("text_search", {"query": "owls", "author": "Eve"}), SEARCH, before=False, corpora=corpus)
    assert shown[0].startswith("Error: no such author")
    assert shown[1].startswith("<doc")


# --- turns without calls ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("items", [[], [prose("I am done.")], [reasoning()], [{"type": "web_search_call", "id": "w"}]])
def test_a_turn_without_a_call_goes_on(run, items) -> None:
    def model(turn, conversation):
        if turn == 1:
            return [call(*SEARCH)]
        if turn in (2, 3):
            return items
        said = [item["content"] for item in conversation if item.get("role") == "user"]
        assert all("You called no tool" in text for text in said[2:4])
        assert "You called no tool" not in said[1]
        assert said[3].endswith(" 6 turns remain.")
        return [call("report_helpful_ids", {"ids": ids_in(outputs(conversation)[0])[:1]})]

    assert (run(model, max_turns=9).data_ids) == ("owl",)


def test_a_model_that_only_talks(run) -> None:
    result = run(lambda *_: [prose("Owls.")], max_turns=4)
    assert (result.ended, result.turns, result.data_ids) == ("max_turns", 4, ())
    assert result.detail == "no report in 4 turns"
    said = [item["content"] for item in run.service.requests[-1].body["input"] if item.get("role") == "user"]
    assert "report_helpful_ids" in said[-1]
    assert "1 turn remains. In it you must call report_helpful_ids" in said[-1]


def test_the_last_turn_searches_nothing(run) -> None:
    backend = WordBackend()
    result = run(lambda *_: [call(*SEARCH)], max_turns=3, corpora=Corpus(text_search=backend))
    assert (result.ended, result.turns) == ("max_turns", 3)
    assert len(backend.asked) == 2


@pytest.mark.parametrize("max_turns", [2, 3, 10])
def test_the_model_is_told_when_to_report(run, max_turns) -> None:
    run(lambda *_: [call(*SEARCH)], max_turns=max_turns)
    said = [item["content"] for item in run.service.requests[-1].body["input"] if item.get("role") == "user"][1:]
    left = list(range(max_turns - 1, 0, -1))
    assert [int(text.split()[0]) for text in said] == left
    assert ["must call report_helpful_ids" in text for text in said] == [number == 1 for number in left]


# --- the report -------------------------------------------------------------------------------------------------------


def test_a_report_in_the_first_turn(run) -> None:
    (shown,) = shown_after(run, ("report_helpful_ids", {"ids": ["123456"]}), before=False)
    assert "not accepted in the first turn" in shown


def test_a_report_beside_other_calls(run) -> None:
    shown = shown_after(run, ("report_helpful_ids", '{"ids": ["ID"]}'), ("text_search", '{"query": "kites"}'))
    assert "must be the only call of its turn" in shown[0]
    assert shown[1].startswith("<doc")
    shown = shown_after(run, *[("report_helpful_ids", '{"ids": ["ID"]}')] * 2)
    assert all("must be the only call" in text for text in shown)


def test_a_report_of_all_kinds_of_ids(run) -> None:
    def model(turn, conversation):
        if turn == 1:
            return [reasoning(), call("text_search", {"query": "owls mouse marks", "limit": 4})]
        a, b, c, d = ids_in(outputs(conversation)[0])
        reported = [c, f"{a}#0:5", "999", "", c, a, f"{a}#x:y", f" {b} ", f"{b}#", "nothing#1:2", f"{d}#900000:900001"]
        return [prose("Here they are"), call("report_helpful_ids", {"ids": reported}), reasoning()]

    result = run(model)
    order = [event["hits"][n]["id"] for event in result.transcript if event["event"] == "fetched" for n in (2, 0, 1, 3)]
    assert list(result.data_ids) == order
    assert result.sources == tuple((None, data_id) for data_id in order)


def test_a_report_in_the_last_turn_that_is_refused(run) -> None:
    def model(turn, conversation):
        return [call(*SEARCH)] if turn == 1 else [call("report_helpful_ids", {"ids": ["nothing"]})]

    result = run(model, max_turns=2)
    assert (result.ended, result.detail) == (
        "max_turns",
        "no report in 2 turns; in the last: none of these ids is of a document: report ids that search results show",
    )


def test_ids_with_marks_survive_the_round_trip(run) -> None:
    def model(turn, conversation):
        if turn == 1:
            return [call("wild_text_search", {"query": "marks"})]
        return [call("report_helpful_ids", {"ids": ids_in(outputs(conversation)[0])})]

    result = run(model, corpora=[Corpus("wild", text_search=sqlite())])
    assert (result.data_ids, result.sources) == (("wild:a:b#1",), (("wild", "a:b#1"),))


# --- what is not the model's mistake ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hits", "message"),
    [
        ([{"content": "x"}], "result 1 must have a non-empty str as 'id', got None"),
        ([{"id": 5, "content": "x"}], "as 'id', got 5"),
        ([BIRDS[0], {"id": "x"}], "result 2 must have a non-empty str as 'content', got None"),
        ([{"id": "x", "content": ""}], "as 'content', got ''"),
        (["owl"], "result 1 must be a mapping, got 'owl'"),
        (None, "TypeError: 'NoneType' object is not iterable"),
    ],
)
def test_hits_that_cannot_be_shown_end_it(run, hits, message) -> None:
    class Broken:
        def search(self, query, *, limit, filters=None):
            return hits

    with pytest.raises(BackendError) as failed:
        run(lambda *_: [call(*SEARCH)], corpora=Corpus(text_search=Broken()))
    assert message in str(failed.value)
    assert str(failed.value).startswith("text_search failed for the query 'owls': ")


def test_display_fields(run) -> None:
    documents = [
        {"id": "1", "year": 1999, "title": "T", "secret": "s", "content": "owls"},
        {"id": "2", "content": "owls"},
    ]
    corpus = Corpus(text_search=WordBackend(documents), display_fields=["id", "title", "year", "title"])
    shown = shown_after(run, SEARCH, before=False, corpora=corpus)
    assert re.sub(r"\d{6}", "N", shown[0]) == (
        '<doc id="N" doc_length=4 title="T" year=1999>\nowls\n</doc>\n<doc id="N" doc_length=4>\nowls\n</doc>'
    )


def test_what_a_listener_raises_ends_it(run) -> None:
    class Stop(Exception):
        pass

    def listen(event):
        if event["event"] == "fetched":
            raise Stop

    with pytest.raises(Stop):
        run(lambda *_: [call(*SEARCH)], on_event=listen)


def test_an_episode_is_checked_before_it_runs() -> None:
    filters = {"author": {"type": "text"}}
    with pytest.raises(tools.InvalidToolset, match="'text' is not valid"):
        Episode("Who?", corpora=Corpus(text_search=WordBackend(), filters=filters))


class Mute:
    """Says nothing of itself."""

    def __str__(self) -> str:
        raise RuntimeError("mute")

    __repr__ = __str__


class MuteError(Exception):
    """Says nothing of itself either."""

    def __str__(self) -> str:
        raise RuntimeError("mute")


def cyclic() -> list:
    value: list = []
    value.append(value)
    return value


def deep(depth: int) -> dict:
    value: dict = {}
    for _ in range(depth):
        value = {"x": [value]}
    return value


ODD_VALUES = {
    "array": np.arange(3),
    "cyclic": cyclic(),
    "cyclic in a list": [cyclic()],
    "deep": deep(300),
    "very deep": deep(5000),
    "digits": 10**5000,
    "digits within": {"x": [10**5000]},
    "mute": Mute(),
    "mute within": [Mute()],
    "mute key": {Mute(): 1},
}


@pytest.mark.parametrize("value", ODD_VALUES.values(), ids=list(ODD_VALUES))
def test_fields_that_cannot_be_shown_end_it(run, value) -> None:
    class Broken:
        def search(self, query, *, limit, filters=None):
            return [BIRDS[0], {**BIRDS[1], "odd": value}]

    with pytest.raises(BackendError) as failed:
        run(lambda *_: [call(*SEARCH)], corpora=Corpus(text_search=Broken()))
    assert str(failed.value).startswith("text_search failed for the query 'owls': field 'odd' of result 2 cannot be")
    assert len(str(failed.value)) < 500


@pytest.mark.parametrize(
    "hit", [Mute(), {"id": Mute(), "content": "x"}, {**BIRDS[0], Mute(): 5}], ids=["hit", "id", "name"]
)
def test_hits_that_say_nothing_of_themselves(run, hit) -> None:
    class Broken:
        def search(self, query, *, limit, filters=None):
            return [hit]

    with pytest.raises(BackendError, match="a value of type Mute"):
        run(lambda *_: [call(*SEARCH)], corpora=Corpus(text_search=Broken()))


def test_an_error_that_says_nothing_of_itself(run) -> None:
    class Broken:
        def search(self, query, *, limit, filters=None):
            raise MuteError

    policy = RetryPolicy(attempts=1)
    with pytest.raises(BackendError, match="MuteError: no more is told"):
        run(lambda *_: [call(*SEARCH)], corpora=Corpus(text_search=Broken()), retry=policy)


@pytest.mark.parametrize("form", ["search", "asearch", "search_many", "fused"])
def test_results_without_end_are_taken_up_to_the_limit(form) -> None:
    def endless(query, *, limit, filters=None):
        return ({"id": str(number), "content": f"owls {number}"} for number in itertools.count())

    class Endless:
        search = staticmethod(endless)

    class Asynchronous(Endless):
        async def asearch(self, query, *, limit, filters=None):
            return endless(query, limit=limit)

    class Many(Endless):
        def search_many(self, queries, *, limit, filters=None):
            return [endless(query, limit=limit) for query in queries]

    backend = {"search": Endless, "asearch": Asynchronous, "search_many": Many}.get(form, Endless)()
    if form == "fused":
        backend = FusedBackend([backend, Many()])

    class Client:
        class responses:  # noqa: N801
            @staticmethod
            async def create(**_):
                return {"output": [call(*SEARCH), call("text_search", {"query": "kites"})]}

    episode = Episode("Who?", corpora=Corpus(text_search=backend), client=Client, max_turns=2)
    result = asyncio.run(asyncio.wait_for(episode.arun(), 30))
    assert [len(event["hits"]) for event in result.transcript if event["event"] == "fetched"] == [5, 5]
