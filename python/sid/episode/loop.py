"""The loop of an episode, without input or output.

`steps` is a generator. It gives a step, which says what is needed from outside (a response of the model, or results of
searches), and takes what came of it. Who drives it may be synchronous, asynchronous or a replay.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Generator, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..document_cache import SNIPPET_SIZE_DEFAULT
from ..tools import ToolAnswer, ToolError, parse_arguments
from ..tools.schemas import REPORT_NAME
from .extra import ExtraCall
from .fetch import Done, Found, Outside, Search
from .hits import ID, plain_hits
from .observations import Observations
from .plan import MAX_LIMIT, Plan
from .result import Ended, EpisodeResult, Usage
from .sendable import sendable, sendable_data
from .transcript import FORMAT, Recorder

__all__ = [
    "MAX_SNIPPET_SIZE",
    "AskModel",
    "Fetch",
    "Step",
    "Steps",
    "TranscriptEnds",
    "adrive",
    "drive",
    "steps",
]

MAX_SNIPPET_SIZE = 2_000
"""Words that one snippet shows at most, about as much as one read."""

_ERROR_CHARACTERS = 2_000


@dataclass(frozen=True)
class AskModel:
    """The model is to be asked: the answer is its response, as plain data."""

    request: dict[str, Any]


@dataclass(frozen=True)
class Fetch:
    """Searches and other calls are to be made, and ``done`` is to be told what each found; there is no answer."""

    wanted: Sequence[Outside]
    done: Done


Step: TypeAlias = AskModel | Fetch
Steps: TypeAlias = Generator[Step, Any, EpisodeResult]


class TranscriptEnds(Exception):
    """Thrown into the loop by a replay that has no more."""


Item: TypeAlias = dict[str, Any]


def steps(plan: Plan, session: str, recorder: Recorder) -> Steps:
    """Run an episode, step by step; the generator returns the result.

    An error that is thrown in, or that happens here, is recorded and raised.
    """
    episode = _Episode(plan, session, recorder)
    try:
        return (yield from episode.run())
    except BaseException as error:
        recorder.record("failed", error=f"{type(error).__name__}: {error}"[:_ERROR_CHARACTERS])
        raise
    finally:
        recorder.close()


def drive(loop: Steps, perform: Callable[[Step], Any]) -> EpisodeResult:
    """Take the steps, performing each, until there is a result."""
    try:
        step = next(loop)
        while True:
            try:
                answer = perform(step)
            except BaseException as error:
                step = loop.throw(error)
            else:
                step = loop.send(answer)
    except StopIteration as stop:
        result: EpisodeResult = stop.value
        return result


async def adrive(loop: Steps, perform: Callable[[Step], Awaitable[Any]]) -> EpisodeResult:
    """Do as `drive` does, asynchronously."""
    try:
        step = next(loop)
        while True:
            try:
                answer = await perform(step)
            except BaseException as error:
                step = loop.throw(error)
            else:
                step = loop.send(answer)
    except StopIteration as stop:
        result: EpisodeResult = stop.value
        return result


class _Episode:
    """One run: the conversation so far, and what the model has been shown."""

    def __init__(self, plan: Plan, session: str, recorder: Recorder) -> None:
        self.plan = plan
        self.recorder = recorder
        self.observations = Observations(plan.router, plan.language, plan.seed)
        self.tools = {tool["name"]: tool for tool in plan.tools}
        self.fixed_request = plan.fixed_request(session)
        self.input: list[Item] = [_user(plan.question)]
        self.usage: Usage | None = None
        self.turn = 0
        self.responses = 0
        self.found: dict[int, list[dict[str, Any]] | ToolAnswer | ToolError] = {}

    def run(self) -> Steps:
        self.recorder.record("episode", format=FORMAT, **self.plan.as_event())
        try:
            while True:
                self.turn += 1
                ended = yield from self.take_turn()
                if ended is not None:
                    return ended
        except TranscriptEnds as ends:
            return self.end("transcript_ends", str(ends))

    def take_turn(self) -> Generator[Step, Any, EpisodeResult | None]:
        """Ask the model and answer its calls."""
        self.record("turn", of=self.plan.max_turns)
        # Made anew each time: no client can change the next request.
        request = {**json.loads(self.fixed_request), "input": json.loads(json.dumps(self.input))}
        response = yield AskModel(request)
        self.record("response", response=response)
        self.responses += 1
        if isinstance(response.get("usage"), dict):
            self.usage = (self.usage or Usage()).plus(response["usage"])
        if response.get("status") == "incomplete":
            details = response.get("incomplete_details")
            reason = details.get("reason") if isinstance(details, dict) else None
            return self.end("incomplete", f"the model's response broke off: {reason or 'no reason is told'}")
        self.input += sendable_data(response["output"])
        calls = [item for item in response["output"] if item.get("type") == "function_call"]
        prepared = []
        for number, call in enumerate(calls, 1):
            told = {key: call.get(key) for key in ("call_id", "name", "arguments")}
            self.record("call", call=number, **told)
            prepared.append(self.prepare(number, call, alone=len(calls) == 1))
        for one in prepared:
            if isinstance(one, _Report):
                return self.end("reported", "", one.data_ids)
        if self.turn == self.plan.max_turns:  # nobody would read answers
            refused = [one for one in prepared if isinstance(one, ToolError)]
            last_words = f"; in the last: {refused[0]}" if refused else ""
            return self.end("max_turns", f"no report in {self.plan.max_turns} turns{last_words}"[:_ERROR_CHARACTERS])
        yield from self.answer(calls, prepared)
        self.input.append(_user(self.remaining(bool(calls))))
        return None

    def prepare(self, number: int, call: Item, *, alone: bool) -> _Prepared:
        """Understand a call: what is to be done, or what is wrong with it."""
        name = call.get("name")
        try:
            if not isinstance(name, str) or name not in self.tools:
                raise ToolError(f"there is no tool {name!r:.100}; the tools are {', '.join(self.tools)}")
            arguments = parse_arguments(self.tools[name], call.get("arguments"))  # type: ignore[arg-type]
            if name == REPORT_NAME:
                return self.report(number, arguments["ids"], alone=alone)
            if name == "read":
                return _Read(arguments["id"])
            if name in self.plan.extra_tools:
                return ExtraCall(number, name, self.plan.extra_tools[name], arguments)
            corpus, mode = self.plan.router.tool_names()[name]
            limit = min(arguments.pop("limit", self.plan.default_limit), MAX_LIMIT)
            size = min(arguments.pop("snippet_size", SNIPPET_SIZE_DEFAULT), MAX_SNIPPET_SIZE)
            query = arguments.pop("query")
            return Search(number, name, corpus, mode, query, limit, size, arguments or None)
        except ToolError as error:
            return error

    def report(self, number: int, references: list[str], *, alone: bool) -> _Report:
        if self.turn == 1:
            raise ToolError(f"{REPORT_NAME} is not accepted in the first turn: search first")
        if not alone:
            raise ToolError(f"{REPORT_NAME} must be the only call of its turn: look at the results first, then report")
        if not references:
            raise ToolError(f"{REPORT_NAME} needs at least one id: report the documents that help the most")
        data_ids = self.observations.report(references)
        if not data_ids:
            raise ToolError("none of these ids is of a document: report ids that search results show")
        self.record("report", call=number, ids=references, data_ids=list(map(str, data_ids)))
        return _Report(data_ids)

    def answer(self, calls: Sequence[Item], prepared: Sequence[_Prepared]) -> Generator[Step, Any, None]:
        """Make the searches at once, then answer each call in its order."""
        wanted = [one for one in prepared if isinstance(one, Search | ExtraCall)]
        self.found.clear()
        if wanted:
            yield Fetch(wanted, self.fetched)
        for number, (call, one) in enumerate(zip(calls, prepared, strict=True), 1):
            refused = False
            try:
                output = self.observe(one)
            except ToolError as error:
                output, refused = f"Error: {error}"[:_ERROR_CHARACTERS], True
            output = sendable(output)
            self.record("observation", call=number, output=output, refused=refused)
            call_id = sendable(call["call_id"])  # as it was echoed
            self.input.append({"type": "function_call_output", "call_id": call_id, "output": output})

    def fetched(self, search: Outside, found: Found) -> None:
        """Take what a search or another call found; a `BackendError` if that cannot be shown."""
        place: dict[str, Any] = {"call": search.number}
        place |= {"tool": search.tool} if isinstance(search, ExtraCall) else {"corpus": search.corpus.name}
        if isinstance(found, ToolError):
            self.found[search.number] = found
            self.record("fetched", **place, error=str(found))
            return
        if isinstance(search, ExtraCall):
            assert isinstance(found, ToolAnswer)  # noqa: S101  (`fetch` gives such calls nothing else)
            documents = plain_hits(search, found.documents)
            self.found[search.number] = ToolAnswer(found.text, documents)
            self.record("fetched", **place, text=found.text, documents=documents)
            return
        assert not isinstance(found, ToolAnswer)  # noqa: S101  (nor searches)
        hits = self.found[search.number] = plain_hits(search, found)
        knows = self.observations.knows
        self.record("fetched", **place, hits=[{ID: hit[ID]} if knows(search, hit[ID]) else hit for hit in hits])

    def observe(self, one: _Prepared) -> str:
        """Give what the model is shown for a call; a `ToolError` if that is its mistake."""
        if isinstance(one, _Read):
            return self.observations.read(one.reference)
        if isinstance(one, Search):
            found = self.found[one.number]
            if isinstance(found, ToolError):
                raise found
            assert not isinstance(found, ToolAnswer)  # noqa: S101  (see `fetched`)
            return self.observations.search(one, found)
        if isinstance(one, ExtraCall):
            answered = self.found[one.number]
            if isinstance(answered, ToolError):
                raise answered
            assert isinstance(answered, ToolAnswer)  # noqa: S101  (see `fetched`)
            return self.observations.answer(one.tool, answered)
        assert isinstance(one, ToolError)  # noqa: S101  (a report that is accepted has ended the episode)
        raise one

    def remaining(self, called: bool) -> str:
        """Give what the model is told at the end of a turn."""
        left = self.plan.max_turns - self.turn
        nudge = "" if called else f"You called no tool. Every turn must call one; {REPORT_NAME} ends the search. "
        if left == 1:
            return f"{nudge}1 turn remains. In it you must call {REPORT_NAME}, alone, with the most helpful ids."
        return f"{nudge}{left} turns remain."

    def end(self, reason: Ended, detail: str, data_ids: Sequence[Hashable] = ()) -> EpisodeResult:
        self.recorder.record("ended", reason=reason, detail=detail, turns=self.responses)
        return EpisodeResult(
            tuple(map(str, data_ids)),
            tuple(self.observations.sources(data_ids)),
            reason,
            detail,
            self.responses,
            self.usage,
            self.observations.cache,
            self.recorder.events,
        )

    def record(self, kind: str, **data: Any) -> None:
        self.recorder.record(kind, turn=self.turn, **data)


@dataclass(frozen=True)
class _Read:
    reference: str


@dataclass(frozen=True)
class _Report:
    data_ids: Sequence[Hashable]


_Prepared: TypeAlias = Search | ExtraCall | _Read | _Report | ToolError
"""A call, understood: what is to be done, or the model's mistake."""


def _user(text: str) -> Item:
    return {"role": "user", "content": sendable(text)}
