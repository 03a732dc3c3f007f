"""Whole episodes through the real client; `service.check_contract` looks at every byte that was sent."""

from __future__ import annotations

import asyncio
import json
import re
import time
import types

import openai
import pytest

from sid import tools
from sid.backends import Corpus
from sid.episode import API_URL, DEFAULT_INSTRUCTIONS, Episode, EpisodeError, ModelError, replay

from .corpora import birds, sqlite
from .service import Reply, call, prose, reasoning


def ids_in(text: str) -> list[str]:
    return re.findall(r'<doc id="(\d+)', text)


def outputs(conversation: list[dict]) -> list[str]:
    return [item["output"] for item in conversation if item.get("type") == "function_call_output"]


def whole_episode(turn: int, conversation: list[dict]):
    if turn == 1:
        return [
            reasoning(),
            prose("Let me see. ☃"),
            call("text_search", {"query": "owls night", "limit": 2}),
            reasoning(),
            call("text_search", {"query": "kites day", "snippet_size": 10}),
        ]
    first = ids_in(outputs(conversation)[0])[0]
    if turn == 2:
        return [reasoning(), call("read", {"id": f"{first}#0:19"})]
    return [call("report_helpful_ids", {"ids": [f"{first}#0:19", *ids_in(outputs(conversation)[1]), first, "nothing"]})]


USAGE = {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 3, "total_tokens": 13,
         "output_tokens_details": {"reasoning_tokens": 2}}  # fmt: skip


def test_a_whole_episode(run) -> None:
    def model(turn, conversation):
        return Reply(whole_episode(turn, conversation), more={"usage": USAGE} if turn > 1 else {})

    result = run(model, seed=1, reward="ndcg", reasoning_effort="high", max_turns=5)
    assert (result.ended, result.turns, result.detail) == ("reported", 3, "")
    assert result.data_ids[0] == "owl"
    assert sorted(result.data_ids) == sorted({"owl", *result.data_ids})
    assert result.sources == tuple((None, data_id) for data_id in result.data_ids)
    assert vars(result.usage) == {
        "input_tokens": 20, "cached_tokens": 8, "output_tokens": 6, "reasoning_tokens": 4, "total_tokens": 26,
    }  # fmt: skip

    requests = run.service.requests
    body = requests[0].body
    assert (body["model"], body["instructions"]) == ("sid-2", DEFAULT_INSTRUCTIONS)
    assert body["input"] == [{"role": "user", "content": "Who hunts at night?"}]
    assert body["tools"] == [tools.TEXT_SEARCH_TOOL, tools.READ_TOOL, tools.REPORT_TOOL]
    assert body["reasoning"] == {"effort": "high"}
    assert body["sid"]["reward"] == "ndcg"
    assert requests[0].headers["authorization"] == "Bearer test-key"
    assert len({request.session for request in requests}) == 1
    said = [item["content"] for item in requests[2].body["input"] if item.get("role") == "user"]
    assert said[1:] == ["4 turns remain.", "3 turns remain."]
    shown = outputs(requests[2].body["input"])
    assert shown[0].count("<doc id=") == 2
    assert "\nOwls hunt at night. ...\n" in shown[2]
    assert result.cache.seen_ledger["owl"][0][0] == 0


def test_every_episode_is_a_session_of_its_own(serve) -> None:
    service = serve(whole_episode)
    with openai.OpenAI(base_url=service.url, api_key="k") as client:
        episode = Episode("Who?", corpora=birds(), client=client)
        results = [episode.run(), episode.run(), Episode("Who?", corpora=birds(), client=client).run()]
    assert [len(requests) for requests in service.sessions().values()] == [3, 3, 3]
    assert {result.data_ids for result in results} == {results[0].data_ids}
    first = [outputs(requests[1].body["input"])[0] for requests in service.sessions().values()]
    assert len(set(first)) == 3, "the ids are drawn anew"


@pytest.mark.parametrize("kind", ["asynchronous", "synchronous"])
def test_asynchronously(serve, kind) -> None:
    service = serve(whole_episode)

    async def go():
        if kind == "synchronous":
            with openai.OpenAI(base_url=service.url, api_key="k") as client:
                return await Episode("Who?", corpora=birds(), client=client, seed=5).arun()
        async with openai.AsyncOpenAI(base_url=service.url, api_key="k") as client:
            return await Episode("Who?", corpora=birds(), client=client, seed=5).arun()

    result = asyncio.run(go())
    assert (result.ended, result.turns) == ("reported", 3)
    with openai.OpenAI(base_url=service.url, api_key="k") as client:
        again = Episode("Who?", corpora=birds(), client=client, seed=5).run()
    assert again.data_ids == result.data_ids
    one, two = service.sessions().values()
    assert outputs(one[2].body["input"]) == outputs(two[2].body["input"])


def test_run_within_a_running_loop(serve) -> None:
    service = serve(whole_episode)

    async def notebook():
        with openai.OpenAI(base_url=service.url, api_key="k") as client:
            return Episode("Who?", corpora=birds(), client=client).run()

    assert asyncio.run(notebook()).ended == "reported"


def test_the_default_client(serve, monkeypatch) -> None:
    service = serve(whole_episode)
    monkeypatch.setenv("SID_BASE_URL", service.url)
    monkeypatch.setenv("SID_API_KEY", " secret-key \n")
    assert Episode("Who?", corpora=birds()).run().ended == "reported"
    assert asyncio.run(Episode("Who?", corpora=birds()).arun()).ended == "reported"
    assert {request.headers["authorization"] for request in service.requests} == {"Bearer secret-key"}


def test_the_default_client_without_a_key(monkeypatch) -> None:
    monkeypatch.delenv("SID_API_KEY", raising=False)
    with pytest.raises(EpisodeError, match="SID_API_KEY is not set"):
        Episode("Who?", corpora=birds()).run()
    with pytest.raises(EpisodeError, match="SID_API_KEY is not set"):
        asyncio.run(Episode("Who?", corpora=birds()).arun())


def test_the_default_address(monkeypatch) -> None:
    from sid.episode.client import default_async_client, default_client

    monkeypatch.setenv("SID_API_KEY", "k")
    monkeypatch.delenv("SID_BASE_URL", raising=False)
    assert API_URL == "https://api.sid-1.com/v1"
    with default_client() as client:
        assert str(client.base_url) == API_URL + "/"
    assert str(default_async_client().base_url) == API_URL + "/"


def test_an_asynchronous_client_is_for_arun(serve) -> None:
    service = serve(whole_episode)
    client = openai.AsyncOpenAI(base_url=service.url, api_key="k")
    with pytest.raises(TypeError, match=r"await Episode\.arun\(\)"):
        Episode("Who?", corpora=birds(), client=client).run()
    assert not service.requests


# --- any client with responses.create ---------------------------------------------------------------------------------


class Plain:
    """A client that is not OpenAI's, and misuses what it is given."""

    def __init__(self, form: str) -> None:
        self.responses = self
        self.form = form
        self.requests: list[str] = []

    def create(self, **request):
        self.requests.append(json.dumps(request))
        items = whole_episode(len(self.requests), request["input"])
        request["input"].clear()
        request["tools"].clear()
        if self.form == "dict":
            return {"output": items}
        dumped = {"output": items, "status": "completed", "usage": None}
        return types.SimpleNamespace(model_dump=lambda mode, exclude_unset: dumped)


@pytest.mark.parametrize("form", ["dict", "model"])
def test_any_client(form) -> None:
    client = Plain(form)
    result = Episode("Who?", corpora=birds(), client=client).run()
    assert (result.ended, result.usage) == ("reported", None)
    requests = [json.loads(request) for request in client.requests]
    assert [len(request["tools"]) for request in requests] == [3, 3, 3]
    headers = {json.dumps(request["extra_headers"]) for request in requests}
    assert len(headers) == 1
    assert list(requests[0]["extra_headers"]) == ["x-session-affinity"]
    assert list(requests[0]["extra_body"]) == ["sid"]


# --- a service in trouble ---------------------------------------------------------------------------------------------


TROUBLES = {
    "429": Reply(code=429, headers={"Retry-After": "0.05"}, body=b'{"error":{"message":"slow down"}}'),
    "500": Reply(code=500, headers={"Retry-After": "0.05"}, body=b"oops"),
    "dropped": Reply(drop="before"),
    "cut": Reply(drop="within"),
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_trouble_that_passes(run, trouble) -> None:
    seen: dict[int, int] = {}

    def model(turn, conversation):
        seen[turn] = seen.get(turn, 0) + 1
        return TROUBLES[trouble] if seen[turn] == 1 else whole_episode(turn, conversation)

    assert run(model).ended == "reported"
    assert seen == {1: 2, 2: 2, 3: 2}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_trouble_that_stays(run, trouble) -> None:
    with pytest.raises(ModelError, match="the request to the model failed: ") as failed:
        run(lambda turn, conversation: TROUBLES[trouble], max_retries=1)
    assert isinstance(failed.value.__cause__, openai.OpenAIError)
    assert "\n" not in str(failed.value)
    assert len(run.service.requests) == 2


def test_a_refused_key(run) -> None:
    with pytest.raises(ModelError, match="Incorrect API key"):
        run(lambda *_: Reply(code=401, body=b'{"error":{"message":"Incorrect API key"}}'))
    assert len(run.service.requests) == 1


def test_a_slow_body(run) -> None:
    def model(turn, conversation):
        return Reply(whole_episode(turn, conversation), pause=0.05)

    assert run(model).ended == "reported"


def test_a_body_that_never_comes(serve) -> None:
    service = serve(lambda *_: Reply(pause=3.0, drop="late"))
    with (
        openai.OpenAI(base_url=service.url, api_key="k", timeout=0.2, max_retries=1) as client,
        pytest.raises(ModelError, match="APITimeoutError"),
    ):
        Episode("Who?", corpora=birds(), client=client).run()
    assert len(service.requests) == 2


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply(body=b"<html>busy</html>"), "something else than a response: '<html>busy</html>'"),
        (Reply(body=b"[" * 100_000), "something else than a response"),
        (Reply(body=b'{"id": "r"}'), "something else than a response"),
        (Reply(body=b'{"output": ["x"]}'), "an output item of the model's response is not an object: 'x'"),
        (Reply(body=b'{"output": [{"type": "function_call", "name": "read"}]}'), "has no call_id"),
        (Reply(status="failed", more={"error": {"code": "server_error", "message": "lost"}}), "status 'failed'.*lost"),
        (Reply(status="queued"), "status 'queued'"),
    ],
)
def test_responses_that_are_none(run, reply, message) -> None:
    with pytest.raises(ModelError, match=message):
        run(lambda *_: reply)


@pytest.mark.parametrize(
    ("details", "told"),
    [({"reason": "max_output_tokens"}, "max_output_tokens"), (None, "no reason is told"), ("odd", "no reason is told")],
)
def test_an_incomplete_response(run, details, told) -> None:
    def model(turn, conversation):
        if turn == 1:
            return whole_episode(turn, conversation)
        half = call("report_helpful_ids", '{"ids": ["')
        return Reply([half], status="incomplete", more={"incomplete_details": details})

    result = run(model)
    assert (result.ended, result.turns, result.data_ids) == ("incomplete", 2, ())
    assert told in result.detail


# --- settings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"question": " "}, "question"),
        ({"question": None}, "question"),
        ({"model": ""}, "model"),
        ({"max_turns": 1}, "max_turns must be an integer, at least 2, got 1"),
        ({"max_turns": True}, "max_turns"),
        ({"default_limit": 0}, "default_limit must be an integer, at least 1 and at most 100, got 0"),
        ({"max_parallel_fetches": 0}, "max_parallel_fetches"),
        ({"reward": "accuracy"}, "supported values: f1, ndcg"),
        ({"language": "klingon"}, "supported values: danish"),
        ({"seed": "x"}, "seed"),
        ({"corpora": []}, "at least one corpus"),
        ({"tool_examples": []}, "'text_search' has no example; tool 'read' has no example"),
    ],
)
def test_settings_that_are_refused(settings, message) -> None:
    settings = {"question": "Who?", "corpora": birds(), **settings}
    with pytest.raises(ValueError, match=message):
        Episode(settings.pop("question"), **settings)


def test_two_corpora_with_clashing_ids(run) -> None:
    mail = sqlite([{"id": "1", "content": "Owls were discussed in this mail."}])
    notes = sqlite([{"id": "1", "content": "A note says that owls sleep by day."}])
    author = {"type": "string", "description": "Who wrote it", "examples": ["Ada"]}
    corpora = [
        Corpus("mail", "All mail", text_search=mail),
        Corpus("notes", "All notes", text_search=notes, filters={"author": author}),
    ]

    def model(turn, conversation):
        if turn == 1:
            return [call("notes_text_search", {"query": "owls"}), call("mail_text_search", {"query": "owls"})]
        shown = outputs(conversation)
        assert "A note says" in shown[0]
        assert "in this mail" in shown[1]
        ids = [ids_in(text)[0] for text in shown[:2]]
        assert len(set(ids)) == 2
        if turn == 2:
            return [call("read", {"id": ids[1]})]
        assert "in this mail" in shown[2]
        return [call("report_helpful_ids", {"ids": ids})]

    result = run(model, corpora=corpora)
    assert result.data_ids == ("notes:1", "mail:1")
    assert result.sources == (("notes", "1"), ("mail", "1"))
    body = run.service.requests[0].body
    assert [tool["name"] for tool in body["tools"]] == [
        "mail_text_search", "notes_text_search", "read", "report_helpful_ids",
    ]  # fmt: skip
    assert body["tools"][0]["description"] == "Corpus mail: All mail. " + tools.TEXT_SEARCH_TOOL["description"]
    assert body["sid"]["tool_examples"][1]["arguments"]["author"] == "Ada"


def test_lone_surrogates_everywhere(run) -> None:
    corpora = Corpus(text_search=sqlite([{"id": "\udc80", "title": "\ud800", "content": "owls \udfff hunt " * 9}]))

    def model(turn, conversation):
        if turn == 1:
            return [call("text_search", '{"query": "owls \\ud800"}')]
        assert "owls � hunt" in outputs(conversation)[0]
        return [call("report_helpful_ids", {"ids": ids_in(outputs(conversation)[0])})]

    result = run(model, corpora=corpora, question="Who \udcff?")
    assert result.data_ids == ("\udc80",)
    assert run.service.requests[0].body["input"][0]["content"] == "Who �?"


def test_lone_surrogates_in_what_the_model_sends(run) -> None:
    def model(turn, conversation):
        if turn == 1:
            return [
                prose("half \ud83d"),
                {**reasoning(), "key \udc00": ["\ud800"]},
                call("text_search", '{"query": "owls \ud83d"}', call_id="c\ud83d"),
                call("text\ud83dsearch", "{\ud83d"),
            ]
        assert len(outputs(conversation)) == 2
        return [call("report_helpful_ids", {"ids": ids_in(outputs(conversation)[0])})]

    corpus = Corpus(contents="Notes \ud83d.", text_search=sqlite())
    result = run(model, corpora=corpus, instructions="Find \udfff.")
    assert result.ended == "reported"
    first, second = run.service.requests
    assert first.body["instructions"] == "Find \ufffd."
    assert first.body["tools"][0]["description"].startswith("Notes \ufffd.")
    answered = [item["call_id"] for item in second.body["input"] if item.get("type") == "function_call_output"]
    assert answered[0] == "c\ufffd"
    # The transcript tells what was sent; a replay does as the run did.
    sent = next(event["response"] for event in result.transcript if event["event"] == "response")
    assert sent["output"][0]["content"][0]["text"] == "half \ud83d"
    assert replay(result.transcript).data_ids == result.data_ids


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
@pytest.mark.parametrize("where", ['"output": [{"type": "message", "x": %s}]', '"output": [], "usage": {"a": [%s]}'])
def test_numbers_that_are_none(run, number, where) -> None:
    with pytest.raises(ModelError, match="holds what JSON cannot"):
        run(lambda *_: Reply(body=("{" + where % number + "}").encode()))


@pytest.mark.parametrize(
    "response",
    [{"output": [], "x": object()}, {"output": [], "x": 10**5000}, {"output": [{"x": float("nan")}]}, {"output": {1}}],
    ids=["object", "digits", "nan", "set"],
)
def test_a_client_that_gives_what_is_no_json(response) -> None:
    class Client:
        class responses:  # noqa: N801
            @staticmethod
            def create(**_):
                return response

    with pytest.raises(ModelError):
        Episode("Who?", corpora=birds(), client=Client).run()
    with pytest.raises(ModelError):
        asyncio.run(Episode("Who?", corpora=birds(), client=Client).arun())


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"instructions": 5}, ValueError, "instructions must be a str, got 5"),
        ({"instructions": None}, ValueError, "instructions must be a str"),
        ({"on_event": "print"}, TypeError, "on_event must be callable"),
        ({"retry": 3}, TypeError, "retry must be a RetryPolicy, got 3"),
        ({"transcript": 5}, TypeError, "transcript must be a path, got 5"),
    ],
)
def test_settings_of_a_wrong_type(settings, error, message) -> None:
    with pytest.raises(error, match=message):
        Episode("Who?", corpora=birds(), **settings)


def test_examples_that_json_cannot_hold() -> None:
    corpus = Corpus(text_search=sqlite(), filters={"size": {"type": "number"}})
    examples = [
        {"name": "text_search", "arguments": {"query": "x", "size": float("nan")}},
        {"name": "read", "arguments": {"id": "1"}},
        {"name": "report_helpful_ids", "arguments": {"ids": ["1"]}},
    ]
    with pytest.raises(ValueError, match="must be JSON data"):
        Episode("Who?", corpora=corpus, tool_examples=examples)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        *(
            ("SID_BASE_URL", url)
            for url in (":::", "api", "ftp://x/v1", "http://", "http://x:y/", "http://[::1", "http://a\x07b/")
        ),
        *((name, value) for name in ("HTTP_PROXY", "https_proxy", "ALL_PROXY") for value in (":::", "ftp://x:1")),
        ("SID_API_KEY", "a\x07b"),
        ("SID_API_KEY", "é"),
    ],
)
def test_an_environment_without_sense(monkeypatch, variable, value) -> None:
    monkeypatch.setenv("SID_API_KEY", "k")
    monkeypatch.setenv(variable, value)
    with pytest.raises(EpisodeError, match=variable):
        Episode("Who?", corpora=birds()).run()
    with pytest.raises(EpisodeError, match=variable):
        asyncio.run(Episode("Who?", corpora=birds()).arun())


@pytest.mark.parametrize("examples", [{"a": 1}, "x", 5])
def test_examples_of_a_filter_that_are_no_list(examples) -> None:
    corpus = Corpus(text_search=sqlite(), filters={"author": {"type": "string", "examples": examples}})
    with pytest.raises(tools.InvalidToolset, match="is not of type 'array'"):
        Episode("Who?", corpora=corpus)


# --- how long, and how often ------------------------------------------------------------------------------------------


def test_the_time_that_the_service_asks_for_is_waited(run) -> None:
    """Longer than the client would by itself, which is half a second at first."""
    asked: list[float] = []

    def model(turn, conversation):
        asked.append(time.monotonic())
        if len(asked) == 1:
            return Reply(code=429, headers={"Retry-After": "1.3"}, body=b"{}")
        return whole_episode(turn, conversation)

    assert run(model).ended == "reported"
    assert 1.3 <= asked[1] - asked[0] < 10


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("failures", [4, 5])
def test_the_default_client_tries_four_times_more(serve, monkeypatch, asynchronous, failures) -> None:
    asked = 0

    def model(turn, conversation):
        nonlocal asked
        asked += 1
        if asked <= failures:
            return Reply(code=503, headers={"Retry-After": "0.01"}, body=b"{}")
        return whole_episode(turn, conversation)

    service = serve(model)
    monkeypatch.setenv("SID_BASE_URL", service.url)
    monkeypatch.setenv("SID_API_KEY", "k")
    episode = Episode("Who?", corpora=birds())

    def go():
        return asyncio.run(episode.arun()) if asynchronous else episode.run()

    if failures == 4:
        assert go().ended == "reported"
    else:
        with pytest.raises(ModelError, match="InternalServerError"):
            go()
        assert asked == 5


def test_the_default_client_has_a_time_out(serve, monkeypatch) -> None:
    from sid.episode import client

    monkeypatch.setenv("SID_API_KEY", "k")
    with client.default_client() as made:
        assert made.timeout == client.TIMEOUT == 120.0
    assert client.default_async_client().timeout == 120.0
    service = serve(lambda *_: Reply(pause=2.0, drop="late"))
    monkeypatch.setenv("SID_BASE_URL", service.url)
    monkeypatch.setattr(client, "TIMEOUT", 0.2)
    monkeypatch.setattr(client, "RETRIES", 0)
    with pytest.raises(ModelError, match="APITimeoutError"):
        Episode("Who?", corpora=birds()).run()
