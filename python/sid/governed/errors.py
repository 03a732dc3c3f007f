"""What can be wrong with a store of governed documents, and with what is put into one."""

from __future__ import annotations

from ..backends.errors import UnusableIndex

__all__ = ["Refused", "UnusableStore"]


class UnusableStore(UnusableIndex):
    """A file that is no store of governed documents, or is damaged, of another version, or opened for reading only."""


class Refused(ValueError):
    """A change that would make authority contradict itself. Nothing of it was written.

    The message names the versions; it is for whoever loads documents, not for those who ask.
    """
