"""What ends an episode that is nobody's answer: never a mistake of the model, which is told and goes on."""

from __future__ import annotations

__all__ = ["BackendError", "EpisodeError", "ModelError", "ReplayMismatch", "TranscriptError"]


class EpisodeError(Exception):
    """An episode cannot go on."""


class ModelError(EpisodeError):
    """The model's service failed, or answered what cannot be used."""


class BackendError(EpisodeError):
    """A search failed, took too long or gave results that cannot be shown."""


class TranscriptError(EpisodeError):
    """A transcript cannot be written, or is none."""


class ReplayMismatch(EpisodeError):
    """A replay gave another observation than its transcript holds."""
