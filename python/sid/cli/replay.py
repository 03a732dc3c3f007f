"""``sid replay``: an episode run again from its transcript, shown as its model saw it."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from ._events import print_event

if TYPE_CHECKING:
    from ..episode import EpisodeResult

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> int:
    """Replay a transcript; give 0, or 1 if an observation differs, or 2 if it is none that can be replayed."""
    from ..episode import EpisodeError, ReplayMismatch, replay

    try:
        result = replay(arguments.transcript, on_event=None if arguments.json else print_event)
    except (EpisodeError, ImportError) as error:
        print(f"sid replay: {error}", file=sys.stderr)
        return 1 if isinstance(error, ReplayMismatch) else 2
    _sum_up(result, as_json=arguments.json)
    return 0


def _sum_up(result: EpisodeResult, *, as_json: bool) -> None:
    observations = sum(event["event"] == "observation" for event in result.transcript)
    if as_json:
        record = {
            "ended": result.ended,
            "detail": result.detail,
            "turns": result.turns,
            "observations": observations,
            "reported": list(result.data_ids),
        }
        print(json.dumps(record))
        return
    for rank, data_id in enumerate(result.data_ids, start=1):
        print(f"{rank}. {data_id}")
    detail = f" ({result.detail})" if result.detail else ""
    print(f"{result.turns} turns, {observations} observations, none other than recorded; ended: {result.ended}{detail}")
