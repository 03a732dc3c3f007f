"""Events of an episode, shown as its model lives through them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..episode import Event

__all__ = ["print_event"]


def print_event(event: Event) -> None:
    """Print a call, or what the model was shown for one; other events are not shown."""
    if event["event"] == "call":
        print(f">>> {event['name']} {event['arguments']}\n")
    elif event["event"] == "observation":
        print(f"<<< call {event['call']} of turn {event['turn']}\n{event['output']}\n")
