"""The events of an episode, as they happen and as a file of them that can be replayed.

A transcript is JSON Lines in ASCII: one event a line, each an object with ``event`` (its kind) and ``at`` (seconds
since the episode began). It holds the whole episode: the question, instructions and tools, every response of the model
as the service sent it, every search result with its whole text when it first came up, and every observation. It does
not hold the API key.

``episode``
    First: all that the episode was made with, and the seed of its id stream.
``turn``
    A turn starts: ``turn``, from 1, ``of`` how many.
``response``
    What the model answered: ``turn``, ``response``.
``call``
    One call of it: ``turn``, ``call`` (its number in the turn, from 1), ``call_id``, ``name``, ``arguments`` (the text
    that the model wrote).
``fetched``
    A search is done: ``turn``, ``call``, ``corpus``, and ``hits`` or ``error`` (a mistake of the model). Of a document
    that an earlier turn has found, only the id is there. Searches of a turn are done in any order. Of an extra tool:
    ``turn``, ``call``, ``tool``, and ``text`` and ``documents``, or ``error``.
``observation``
    What the model is shown: ``turn``, ``call``, ``output``, ``refused`` (whether it was a mistake).
``report``
    The model reported: ``turn``, ``call``, ``ids`` (as it wrote them), ``data_ids`` (as they were understood).
``ended``
    Last: ``reason``, ``detail``, ``turns``.
``failed``
    Last instead: ``error``.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from .errors import TranscriptError

__all__ = ["FORMAT", "Event", "OnEvent", "Recorder", "read_transcript"]

FORMAT = 1
"""Version of the format of transcripts."""

Event: TypeAlias = dict[str, Any]
"""Something that happened: ``event``, its kind, and what belongs to it. Plain JSON data."""

OnEvent: TypeAlias = Callable[[Event], object]


class Recorder:
    """Writes events to a new file, keeps them, and passes them on.

    What is kept, and what is passed on, is read from the line that is written: whoever changes an event changes neither
    the episode nor what another holds.

    Parameters
    ----------
    path
        The file to make, if there is to be one.
    on_event
        Called with each event once it is written.

    Raises
    ------
    TranscriptError
        If the file exists or cannot be made.
    """

    def __init__(self, path: str | os.PathLike[str] | None, on_event: OnEvent | None) -> None:
        self.events: list[Event] = []
        self._on_event = on_event
        self._started = time.monotonic()
        self._path = path
        try:
            self._file = None if path is None else open(path, "xb")  # noqa: SIM115
        except FileExistsError:
            raise TranscriptError(f"the transcript {os.fspath(path)!r} exists: name another file") from None  # type: ignore[arg-type]
        except OSError as error:
            raise self._unwritable(error) from error

    def record(self, kind: str, **data: Any) -> None:
        """Record an event: in the file before anyone is told."""
        event = {"event": kind, "at": round(time.monotonic() - self._started, 6), **data}
        line = json.dumps(event, separators=(",", ":"))
        if self._file is not None:
            try:
                # Flushed, so that it is the system's: the process may be killed from here on.
                self._file.write(f"{line}\n".encode("ascii"))
                self._file.flush()
            except OSError as error:
                raise self._unwritable(error) from error
        self.events.append(json.loads(line))
        if self._on_event is not None:
            self._on_event(json.loads(line))

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            try:
                self._file.close()
            except OSError as error:  # a line that could not be flushed before cannot be now
                raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> TranscriptError:
        return TranscriptError(f"the transcript {str(self._path)!r} cannot be written: {error.strerror or error}")


def read_transcript(path: str | os.PathLike[str]) -> list[Event]:
    r"""Read a transcript up to its last whole line; what follows is of a run that was killed.

    Raises
    ------
    TranscriptError
        If the file cannot be read, has no whole line, or a whole line is no event.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b'{"event":"episode"}\n{"event":"turn","tu')
    ...     file.flush()
    ...     read_transcript(file.name)
    [{'event': 'episode'}]
    """
    name = os.fspath(path)
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        raise TranscriptError(f"the transcript {name!r} cannot be read: {error.strerror or error}") from error
    lines = raw.split(b"\n")[:-1]
    if not lines:
        raise TranscriptError(f"the transcript {name!r} has no whole line")
    events = []
    for number, line in enumerate(lines, 1):
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            event = None
        if not isinstance(event, dict) or not isinstance(event.get("event"), str):
            raise TranscriptError(f"{name}:{number}: not an event of a transcript: {line[:80]!r}")
        events.append(event)
    return events
