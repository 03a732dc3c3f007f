"""What comes out of an episode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from ..document_cache import DocumentCache
from .transcript import Event

__all__ = ["Ended", "EpisodeResult", "Usage"]

Ended: TypeAlias = Literal["reported", "max_turns", "incomplete", "transcript_ends"]
"""Why an episode ended. The last is of replays alone: the run that wrote the transcript was cut short."""


@dataclass(frozen=True)
class Usage:
    """Tokens, summed over the turns whose responses tell them."""

    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    total_tokens: int = 0

    def plus(self, told: Mapping[str, Any]) -> Usage:
        """Add the usage of one response, as it tells it.

        Examples
        --------
        >>> Usage(input_tokens=5).plus({"input_tokens": 2, "input_tokens_details": {"cached_tokens": 1}})
        Usage(input_tokens=7, cached_tokens=1, output_tokens=0, reasoning_tokens=0, total_tokens=0)
        """
        return Usage(
            self.input_tokens + _number(told, "input_tokens"),
            self.cached_tokens + _number(told.get("input_tokens_details"), "cached_tokens"),
            self.output_tokens + _number(told, "output_tokens"),
            self.reasoning_tokens + _number(told.get("output_tokens_details"), "reasoning_tokens"),
            self.total_tokens + _number(told, "total_tokens"),
        )


def _number(told: object, name: str) -> int:
    value = told.get(name) if isinstance(told, Mapping) else None
    return value if isinstance(value, int) else 0


@dataclass(frozen=True)
class EpisodeResult:
    """How an episode ended.

    Attributes
    ----------
    data_ids : tuple[str, ...]
        The reported documents, in the order of the report, as they are in the cache, those of extra tools as
        ``tool:id``; empty unless ``ended`` is ``"reported"``.
    sources : tuple[tuple[str | None, str], ...]
        For each of them its corpus, or the extra tool that gave it, and its id there.
    ended : str
        ``"reported"``, ``"max_turns"``, ``"incomplete"`` (a response broke off) or, in a replay, ``"transcript_ends"``.
    detail : str
        More about it, in words; may be empty.
    turns : int
        How many responses of the model there were.
    usage : Usage | None
        Tokens, if the service told.
    cache : DocumentCache
        The documents, their ids and the ledger of what was shown.
    transcript : list[dict]
        The events; see `sid.episode.transcript`.
    """

    data_ids: tuple[str, ...]
    sources: tuple[tuple[str | None, str], ...]
    ended: Ended
    detail: str
    turns: int
    usage: Usage | None
    cache: DocumentCache = field(repr=False)
    transcript: list[Event] = field(repr=False)
