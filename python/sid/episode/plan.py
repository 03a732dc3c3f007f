"""What an episode is made with, fixed before it starts: the part of every request that never changes."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._options import validate_language
from ..backends.corpus import Corpus
from ..backends.router import CorpusRouter
from ..tools import ExtraTool, Tool, ToolAnswer, ToolExample, for_corpus, validate_toolset, with_parameters
from ..tools.schemas import read_tool, report_tool, search_tool, text_search_tool
from .sendable import sendable

__all__ = [
    "DEFAULT_INSTRUCTIONS",
    "MAX_LIMIT",
    "MAX_OUTPUT_TOKENS",
    "REWARDS",
    "Plan",
    "default_examples",
    "require_within",
    "tools_of",
]

REWARDS = ("f1", "ndcg")
"""What the model aims at: the right set of documents, or the right order."""

MAX_OUTPUT_TOKENS = 4096

MAX_LIMIT = 100
"""Results that one search shows at most, however many the model asks for."""

DEFAULT_INSTRUCTIONS = """\
You find the documents that help to answer a question. You do not answer the question yourself.

Search from several sides: put the question in other words, look for each thing that it asks about, and follow what \
the results mention. You may make several calls in one turn. Results show snippets; read a document where a snippet \
does not tell whether it helps.

When you have found what there is, or when one turn remains, call report_helpful_ids, alone, with the ids of the \
documents that help, the most helpful first. That ends the search, so do not call it before you have searched."""


@dataclass(frozen=True)
class Plan:
    """An episode's settings, as plain data but for the router and the extra tools."""

    question: str
    model: str
    instructions: str
    tools: Sequence[Tool]
    tool_examples: Sequence[ToolExample]
    reward: str
    reasoning_effort: str
    max_turns: int
    default_limit: int
    language: str
    seed: int
    router: CorpusRouter
    extra_tools: Mapping[str, ExtraTool]

    def checked(self) -> Plan:
        """Give it if an episode can be made with it.

        Raises
        ------
        InvalidToolset
            If tools and examples do not fit.
        ValueError
            If another setting is wrong, or holds what JSON cannot.
        """
        for name in ("question", "model", "reasoning_effort"):
            text = getattr(self, name)
            if not isinstance(text, str) or not text.strip():
                raise ValueError(f"{name} must be a non-empty str, got {text!r:.100}")
        if not isinstance(self.instructions, str):
            raise ValueError(f"instructions must be a str, got {self.instructions!r:.100}")
        require_within("max_turns", self.max_turns, 2, None)
        require_within("default_limit", self.default_limit, 1, MAX_LIMIT)
        if self.reward not in REWARDS:
            raise ValueError(f"unknown reward {self.reward!r:.100}; supported values: {', '.join(REWARDS)}")
        if not isinstance(self.seed, int) or isinstance(self.seed, bool):
            raise ValueError(f"seed must be an integer, got {self.seed!r:.100}")
        validate_language(self.language)
        validate_toolset(self.tools, self.tool_examples)
        try:
            self.fixed_request("")
        except (TypeError, ValueError, RecursionError) as error:
            raise ValueError(f"tools and examples must be JSON data: {error!s:.200}") from error
        return self

    def fixed_request(self, session: str) -> str:
        """Give all of a request but its input, as JSON: made once, so that every turn's is the same.

        Parameters
        ----------
        session
            What tells the service that requests belong together.
        """
        request = json.dumps(
            {
                "model": self.model,
                "instructions": self.instructions,
                "tools": self.tools,
                "store": False,
                "include": ["reasoning.encrypted_content"],
                "max_output_tokens": MAX_OUTPUT_TOKENS,
                "reasoning": {"effort": self.reasoning_effort},
                "extra_body": {"sid": {"tool_examples": self.tool_examples, "reward": self.reward}},
                "extra_headers": {"x-session-affinity": session},
            },
            ensure_ascii=False,
            allow_nan=False,
        )
        return sendable(request)

    def as_event(self) -> dict[str, Any]:
        """Give it as the first event of a transcript tells it."""
        corpora = [
            {
                "name": corpus.name,
                "contents": corpus.contents,
                "modes": list(corpus.modes()),
                "filters": dict(corpus.filters),
                "display_fields": None if corpus.display_fields is None else list(corpus.display_fields),
            }
            for corpus in self.router.corpora
        ]
        settings = {name: value for name, value in vars(self).items() if name not in ("router", "extra_tools")}
        return {**settings, "corpora": corpora, "extra_tools": list(self.extra_tools)}

    @classmethod
    def from_event(cls, event: Mapping[str, Any]) -> Plan:
        """Make it from what `as_event` gave; its corpora cannot be searched.

        Raises
        ------
        KeyError, TypeError, ValueError
            If the event is not what `as_event` gives.
        """
        corpora = [
            Corpus(
                name=recorded["name"],
                contents=recorded["contents"],
                filters=recorded["filters"],
                display_fields=recorded["display_fields"],
                **dict.fromkeys(recorded["modes"], _Recorded()),
            )
            for recorded in event["corpora"]
        ]
        names = [name for name in cls.__dataclass_fields__ if name not in ("router", "extra_tools")]
        extra: dict[str, ExtraTool] = {name: _RecordedTool() for name in event.get("extra_tools", ())}
        plan = cls(**{name: event[name] for name in names}, router=CorpusRouter(corpora), extra_tools=extra)
        return plan.checked()


def require_within(name: str, number: int, least: int, most: int | None) -> None:
    """Raise `ValueError` if a setting is not an integer within bounds."""
    if (
        not isinstance(number, int)
        or isinstance(number, bool)
        or number < least
        or (most is not None and number > most)
    ):
        bounds = f"at least {least}" + (f" and at most {most}" if most is not None else "")
        raise ValueError(f"{name} must be an integer, {bounds}, got {number!r:.100}")


class _Recorded:
    """A backend of which only what it gave is left."""

    def search(
        self, query: str, *, limit: int, filters: Mapping[str, Any] | None = None
    ) -> Sequence[Mapping[str, Any]]:
        raise NotImplementedError("a replay searches nothing: what was found is in the transcript")


class _RecordedTool:
    """An extra tool of which only what it gave is left."""

    tool: Tool = {}  # noqa: RUF012  (what the model was told is among the recorded tools)
    tool_examples: Sequence[ToolExample] = ()

    def call(self, arguments: Mapping[str, Any]) -> ToolAnswer:
        raise NotImplementedError("a replay calls nothing: what was answered is in the transcript")


def tools_of(router: CorpusRouter, extra: Sequence[ExtraTool] = ()) -> list[Tool]:
    """Give the tools for some corpora: their searches, the extra ones, read and report. Nobody else holds them."""
    plain = {"search": search_tool(), "text_search": text_search_tool()}
    searches = [
        for_corpus(with_parameters(plain[mode], corpus.filters), corpus.name, corpus.contents)
        for corpus, mode in router.tool_names().values()
    ]
    return [*searches, *(copy.deepcopy(one.tool) for one in extra), read_tool(), report_tool()]


def default_examples(router: CorpusRouter, extra: Sequence[ExtraTool] = ()) -> list[ToolExample]:
    """Give an example of each tool of `tools_of`, filters included whose schemas give examples of values.

    Examples
    --------
    >>> from sid.backends import Corpus, CorpusRouter, SqliteBackend
    >>> author = {"type": "string", "examples": ["Ada Lovelace"]}
    >>> with SqliteBackend() as backend:
    ...     router = CorpusRouter([Corpus(text_search=backend, filters={"author": author})])
    ...     default_examples(router)[0]["arguments"]
    {'query': 'owl hearing prey snow', 'limit': 5, 'author': 'Ada Lovelace'}
    """
    queries = {
        "search": ("A search by meaning", "how owls find prey that moves under the snow"),
        "text_search": ("A search by words", "owl hearing prey snow"),
    }
    examples: list[ToolExample] = []
    for name, (corpus, mode) in router.tool_names().items():
        caption, query = queries[mode]
        given = {key: schema.get("examples") for key, schema in corpus.filters.items()}
        # What is no list is a fault of the schema, and told as such.
        filters = {key: values[0] for key, values in given.items() if isinstance(values, list) and values}
        examples.append({"caption": caption, "name": name, "arguments": {"query": query, "limit": 5, **filters}})
    return [
        *examples,
        *(example for one in extra for example in one.tool_examples),
        {"caption": "Reading on from character 800", "name": "read", "arguments": {"id": "123456#800:1600"}},
        {
            "caption": "The report that ends the search",
            "name": "report_helpful_ids",
            "arguments": {"ids": ["123456", "654321#0:240"]},
        },
    ]
