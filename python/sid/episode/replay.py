"""An episode run again from its transcript."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from ..tools import ToolAnswer, ToolError
from .client import checked_response
from .errors import EpisodeError, ReplayMismatch, TranscriptError
from .fetch import Found
from .loop import AskModel, Step, TranscriptEnds, drive, steps
from .plan import Plan
from .result import EpisodeResult
from .transcript import FORMAT, Event, OnEvent, Recorder, read_transcript

__all__ = ["replay"]


def replay(
    transcript: str | os.PathLike[str] | Iterable[Mapping[str, Any]], *, on_event: OnEvent | None = None
) -> EpisodeResult:
    """Run the recorded turns of the model again: nothing is asked or searched, all else is done anew.

    A transcript holds what came from outside: the question and settings with the seed of the ids, the model's
    responses, and the results of the searches; see `sid.episode.transcript`. Observations and the report are made from
    these and compared with those that the transcript holds.

    Parameters
    ----------
    transcript
        The file that an episode wrote, or its events (`EpisodeResult.transcript`). Of a file that was cut, all whole
        lines count.
    on_event
        Called with each event of the replay.

    Returns
    -------
    EpisodeResult
        As of the episode. Where the transcript ends early, because the run was killed or failed, so does the replay,
        with ``ended == "transcript_ends"``; its ``detail`` says where, and how the run failed.

    Raises
    ------
    TranscriptError
        If the transcript cannot be read, or is not one of this version's.
    ReplayMismatch
        If an observation or the report is not the recorded one.

    Examples
    --------
    >>> from sid.backends import Corpus, SqliteBackend
    >>> from sid.episode import Episode
    >>> class Idle:
    ...     # Stands in for a model that never calls a tool.
    ...     def __init__(self):
    ...         self.responses = self
    ...     def create(self, **request):
    ...         return {"output": []}
    >>> with SqliteBackend() as backend:
    ...     result = Episode("Why?", corpora=Corpus(text_search=backend), client=Idle(), max_turns=2).run()
    >>> replay(result.transcript).detail
    'no report in 2 turns'
    """
    given = read_transcript(transcript) if isinstance(transcript, str | os.PathLike) else list(transcript)
    if not all(isinstance(event, Mapping) and "event" in event for event in given):
        raise TranscriptError("this is no transcript of an episode: it holds what is no event")
    events = list(map(dict, given))
    if not events or events[0].get("event") != "episode":
        raise TranscriptError("this is no transcript of an episode: its first event must be 'episode'")
    if events[0].get("format") != FORMAT:
        raise TranscriptError(
            f"the transcript has format {events[0].get('format')!r:.60}, this version reads format {FORMAT}"
        )
    try:
        plan, recorded, comparison = Plan.from_event(events[0]), _Recorded(events), _Comparison(events)
    except ImportError:  # what is missing is not in the transcript
        raise
    except Exception as error:
        raise _damaged(error) from error
    listener = _Listener(on_event)

    def take(event: Event) -> None:
        comparison.take(event)
        listener.take(event)

    try:
        result = drive(steps(plan, "replay", Recorder(None, take)), recorded.perform)
        comparison.require_all(result)
    except EpisodeError:
        raise
    except Exception as error:
        if error is listener.raised:
            raise
        raise _damaged(error) from error
    return result


def _damaged(error: Exception) -> TranscriptError:
    return TranscriptError(f"the transcript is damaged: {type(error).__name__}: {error!s:.300}")


class _Listener:
    """Who hears the replay's events, and what it raised: that is no damage of the transcript."""

    def __init__(self, on_event: OnEvent | None) -> None:
        self.raised: Exception | None = None
        self._on_event = on_event

    def take(self, event: Event) -> None:
        if self._on_event is None:
            return
        try:
            self._on_event(event)
        except Exception as error:
            self.raised = error
            raise


class _Recorded:
    """Answers steps with what came from outside."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._responses = [event["response"] for event in events if event["event"] == "response"]
        failures = [f"; the episode failed: {event['error']}" for event in events if event["event"] == "failed"]
        self._failure = failures[-1] if failures else ""
        self._fetched: dict[_Place, Found] = {}
        whole: dict[tuple[str, str], Mapping[str, Any]] = {}
        for event in events:
            if event["event"] != "fetched":
                continue
            if "tool" in event and "error" not in event:
                self._fetched[_place(event)] = ToolAnswer(event["text"], event["documents"])
                continue
            if "error" in event:
                self._fetched[_place(event)] = ToolError(event["error"])
                continue
            hits = []
            for hit in event["hits"]:
                document = (event["corpus"], hit["id"])
                # Of a document that was in the cache only its id counts, and only that is there.
                hits.append(hit if len(hit) > 1 else whole[document])
                whole.setdefault(document, hit)
            self._fetched[_place(event)] = hits
        self._asked = 0

    def perform(self, step: Step) -> Any:
        if isinstance(step, AskModel):
            if self._asked == len(self._responses):
                raise TranscriptEnds(f"the transcript holds {self._asked} responses of the model{self._failure}")
            self._asked += 1
            return checked_response(self._responses[self._asked - 1])
        for search in step.wanted:
            place = (self._asked, search.number)
            if place not in self._fetched:
                raise TranscriptEnds(
                    f"the transcript does not hold what call {place[1]} of turn {place[0]} found{self._failure}"
                )
            step.done(search, self._fetched[place])
        return None


class _Comparison:
    """Compares what the model is shown, and what is reported, with what the transcript holds."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._expected = {_place(event): event for event in events if event["event"] in _COMPARED}

    def take(self, event: Event) -> None:
        if event["event"] in _COMPARED:
            expected = self._expected.pop(_place(event), None)
            if expected is not None and not _alike(event, expected):
                raise ReplayMismatch(
                    f"call {event['call']} of turn {event['turn']} gave another {event['event']}: "
                    f"{event.get('output', event.get('data_ids'))!r:.300}, "
                    f"not {expected.get('output', expected.get('data_ids'))!r:.300}"
                )

    def require_all(self, result: EpisodeResult) -> None:
        if self._expected:
            turn, call = min(self._expected)
            raise ReplayMismatch(
                f"call {call} of turn {turn} is in the transcript, and not in the replay, which ended after "
                f"{result.turns} turns: {result.ended}"
            )


_COMPARED = {"observation": ("output", "refused"), "report": ("data_ids",)}
"""What of which events must be the same."""

_Place: TypeAlias = tuple[int, int]
"""A call: the number of its turn, and its own in the turn."""


def _place(event: Event) -> _Place:
    return event["turn"], event["call"]


def _alike(one: Event, other: Event) -> bool:
    return one["event"] == other["event"] and all(one[name] == other.get(name) for name in _COMPARED[one["event"]])
