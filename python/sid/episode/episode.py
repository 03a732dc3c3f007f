"""An episode: a question, a model that searches, and the documents that it reports."""

from __future__ import annotations

import copy
import os
import secrets
import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..backends.corpus import Corpus
from ..backends.router import CorpusRouter
from ..tools import ExtraTool, ToolExample
from ..tools.schemas import REPORT_NAME
from .client import aask, ask, default_async_client, default_client
from .fetch import RetryPolicy, fetch, fetch_blocking
from .loop import AskModel, Step, Steps, adrive, drive, steps
from .plan import DEFAULT_INSTRUCTIONS, Plan, default_examples, require_within, tools_of
from .result import EpisodeResult
from .transcript import OnEvent, Recorder

__all__ = ["Episode"]


class Episode:
    """One complete SID-2 episode.

    The model is given search tools for the corpora, ``read``, and ``report_helpful_ids``. It searches in turns, several
    searches a turn if it likes, until it reports. Each run has a cache, ids and a ledger of its own.

    Parameters
    ----------
    question
        What documents are to be found for.
    corpora
        Where to search: one corpus or several.
    client
        Anything with the OpenAI client's ``responses.create(**kwargs)``; share one between episodes. By default the
        ``openai`` package on ``SID_BASE_URL`` with ``SID_API_KEY``. An asynchronous client is for `arun` alone.
    model
        The model's name.
    max_turns
        Responses of the model, at least 2: it can report from the second on.
    reward
        ``"f1"`` for the right set of documents, ``"ndcg"`` for the right order.
    reasoning_effort
        As the API takes it.
    default_limit
        Results per search where the model does not say how many, at least 1 and at most `MAX_LIMIT`.
    max_parallel_fetches
        Searches at a time.
    instructions
        What the model is told before the question.
    tool_examples
        Calls that show the model how tools are used, at least one a tool. By default one of each, with the filters
        whose schemas give ``examples``.
    extra_tools
        Tools of the application that the model is given too; see `ExtraTool`.
    on_event
        Called with each event as it happens; see `sid.episode.transcript`. What it raises ends the episode.
    transcript
        A file to make, to which each event is written and flushed as it happens.
    retry
        Time-out and retries of searches. The client has its own for requests.
    language
        Whose stopwords to drop when snippets are chosen; see `DocumentCache`.
    seed
        Of the stream of model-facing ids; by default another one each run.

    Raises
    ------
    InvalidToolset
        If tools and examples do not fit; it names every fault.
    ValueError, TypeError
        If another argument is wrong, or holds what JSON cannot.
    ImportError
        If ``jsonschema`` is not installed.

    Examples
    --------
    >>> from sid.backends import Corpus, SqliteBackend
    >>> from sid.episode import Episode
    >>> class Scripted:
    ...     # Stands in for an OpenAI client: searches once, then reports what came first.
    ...     def __init__(self):
    ...         self.responses = self
    ...     def create(self, *, input, **request):
    ...         shown = input[-2].get("output", "") if len(input) > 1 else ""
    ...         name, arguments = "text_search", '{"query": "owls"}'
    ...         if shown:
    ...             name, arguments = "report_helpful_ids", '{"ids": ["%s"]}' % shown.split('"')[1]
    ...         call = {"type": "function_call", "call_id": "c", "name": name, "arguments": arguments}
    ...         return {"output": [call]}
    >>> with SqliteBackend() as backend:
    ...     _ = backend.add([{"id": "birds/1", "content": "Owls hunt at night."}])
    ...     Episode("Who hunts at night?", corpora=Corpus(text_search=backend), client=Scripted()).run().data_ids
    ('birds/1',)
    """

    def __init__(
        self,
        question: str,
        *,
        corpora: Corpus | Sequence[Corpus],
        client: Any = None,
        model: str = "sid-2",
        max_turns: int = 10,
        reward: str = "f1",
        reasoning_effort: str = "low",
        default_limit: int = 5,
        max_parallel_fetches: int = 8,
        instructions: str = DEFAULT_INSTRUCTIONS,
        tool_examples: Sequence[ToolExample] | None = None,
        extra_tools: Sequence[ExtraTool] = (),
        on_event: OnEvent | None = None,
        transcript: str | os.PathLike[str] | None = None,
        retry: RetryPolicy | None = None,
        language: str = "english",
        seed: int | None = None,
    ) -> None:
        require_within("max_parallel_fetches", max_parallel_fetches, 1, None)
        if on_event is not None and not callable(on_event):
            raise TypeError(f"on_event must be callable, got {on_event!r:.100}")
        if retry is not None and not isinstance(retry, RetryPolicy):
            raise TypeError(f"retry must be a RetryPolicy, got {retry!r:.100}")
        if transcript is not None and not isinstance(transcript, str | os.PathLike):
            raise TypeError(f"transcript must be a path, got {transcript!r:.100}")
        router = CorpusRouter([corpora] if isinstance(corpora, Corpus) else corpora)
        extra_tools = list(extra_tools)
        extra = _named(extra_tools, router)
        self._plan = Plan(
            question=question,
            model=model,
            instructions=instructions,
            tools=tools_of(router, extra_tools),
            tool_examples=copy.deepcopy(
                default_examples(router, extra_tools) if tool_examples is None else list(tool_examples)
            ),
            reward=reward,
            reasoning_effort=reasoning_effort,
            max_turns=max_turns,
            default_limit=default_limit,
            language=language,
            seed=0 if seed is None else seed,
            router=router,
            extra_tools=extra,
        ).checked()
        self._client = client
        self._seeded = seed is not None
        self._max_parallel_fetches = max_parallel_fetches
        self._on_event = on_event
        self._transcript = transcript
        self._retry = RetryPolicy() if retry is None else retry

    def run(self) -> EpisodeResult:
        """Run the episode.

        Raises
        ------
        ModelError
            If the model's service fails.
        BackendError
            If a search fails for good.
        TranscriptError
            If the transcript's file exists or cannot be written.
        EpisodeError
            If there is neither a client nor ``SID_API_KEY``.
        """
        if self._client is not None:
            return self._run(self._client)
        with default_client() as client:
            return self._run(client)

    def _run(self, client: Any) -> EpisodeResult:
        def perform(step: Step) -> Any:
            if isinstance(step, AskModel):
                return ask(client, step.request)
            return fetch_blocking(step.wanted, self._retry, self._max_parallel_fetches, step.done)

        return drive(self._steps(), perform)

    async def arun(self) -> EpisodeResult:
        """Run the episode without blocking the event loop; raises as `run` does."""
        if self._client is not None:
            return await self._arun(self._client)
        async with default_async_client() as client:
            return await self._arun(client)

    async def _arun(self, client: Any) -> EpisodeResult:
        async def perform(step: Step) -> Any:
            if isinstance(step, AskModel):
                return await aask(client, step.request)
            return await fetch(step.wanted, self._retry, self._max_parallel_fetches, step.done)

        return await adrive(self._steps(), perform)

    def _steps(self) -> Steps:
        plan = self._plan if self._seeded else replace(self._plan, seed=secrets.randbits(64))
        return steps(plan, uuid.uuid4().hex, Recorder(self._transcript, self._on_event))


def _named(extra_tools: Sequence[ExtraTool], router: CorpusRouter) -> dict[str, ExtraTool]:
    """Give the extra tools by their names, which must be theirs alone."""
    named = {str(one.tool.get("name")): one for one in extra_tools}
    taken = {*router.tool_names(), "read", REPORT_NAME, *(corpus.name for corpus in router.corpora)}
    for name in named:
        if name in taken:
            raise ValueError(f"an extra tool cannot be called {name!r:.80}: a tool or a corpus of the episode is")
    if len(named) < len(extra_tools):
        raise ValueError(f"two extra tools have one name; they are {', '.join(map(repr, named))}")
    return named
