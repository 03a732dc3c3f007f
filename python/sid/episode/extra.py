"""Calls of the application's own tools that the model made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..tools.extra import ExtraTool
from .errors import BackendError

__all__ = ["ExtraCall"]


@dataclass(frozen=True)
class ExtraCall:
    """A call of an extra tool that the model made, checked. ``number`` is that of the call in the turn."""

    number: int
    tool: str
    extra: ExtraTool = field(repr=False)
    arguments: Mapping[str, Any]

    def failed(self, reason: str) -> BackendError:
        """Give the error that ends the episode because this call failed."""
        return BackendError(f"{self.tool} failed: {reason}")
