"""Complete SID-2 episodes: a question, a model that searches corpora in turns, and the documents that it reports.

The default client is the ``openai`` package: ``pip install 'sid-native[openai]'``.
"""

from __future__ import annotations

from .client import API_URL
from .episode import Episode
from .errors import BackendError, EpisodeError, ModelError, ReplayMismatch, TranscriptError
from .fetch import RetryPolicy
from .loop import MAX_SNIPPET_SIZE
from .observations import READ_CHARACTERS
from .plan import DEFAULT_INSTRUCTIONS, MAX_LIMIT
from .replay import replay
from .result import EpisodeResult, Usage
from .transcript import Event, read_transcript

__all__ = [
    "API_URL",
    "DEFAULT_INSTRUCTIONS",
    "MAX_LIMIT",
    "MAX_SNIPPET_SIZE",
    "READ_CHARACTERS",
    "BackendError",
    "Episode",
    "EpisodeError",
    "EpisodeResult",
    "Event",
    "ModelError",
    "ReplayMismatch",
    "RetryPolicy",
    "TranscriptError",
    "Usage",
    "read_transcript",
    "replay",
]
