"""Governed retrieval: only what its asker may see, exactly quoted, and open to checks.

`GovernedStore` holds versions of documents with authoritative metadata. A question is answered from the versions that
its asker may see and that apply, found before anything is ranked; what cannot be seen changes nothing. See
docs/governed.md for what is promised and how that is tested.

What is named here is imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .asking import AskPolicy as AskPolicy
    from .asking import InvalidArguments as InvalidArguments
    from .audit import AuditEntry as AuditEntry
    from .audit import AuditLog as AuditLog
    from .errors import Refused as Refused
    from .errors import UnusableStore as UnusableStore
    from .locators import InvalidLocator as InvalidLocator
    from .locators import Locator as Locator
    from .locators import VersionKey as VersionKey
    from .principal import Principal as Principal
    from .results import CheckedAnswer as CheckedAnswer
    from .results import CheckedClaim as CheckedClaim
    from .results import Found as Found
    from .results import NoApplicableInstruction as NoApplicableInstruction
    from .results import Opened as Opened
    from .results import Passage as Passage
    from .results import Unavailable as Unavailable
    from .review import ClaimLost as ClaimLost
    from .review import Reviewer as Reviewer
    from .review import ReviewItem as ReviewItem
    from .review import ReviewQueue as ReviewQueue
    from .store import Added as Added
    from .store import GovernedStore as GovernedStore
    from .tickets import Ticket as Ticket
    from .tool import ServiceInstructions as ServiceInstructions
    from .versions import EVERYONE as EVERYONE
    from .versions import DocumentVersion as DocumentVersion

_MODULES = {
    "EVERYONE": "versions",
    "Added": "store",
    "AskPolicy": "asking",
    "AuditEntry": "audit",
    "AuditLog": "audit",
    "CheckedAnswer": "results",
    "CheckedClaim": "results",
    "ClaimLost": "review",
    "DocumentVersion": "versions",
    "Found": "results",
    "GovernedStore": "store",
    "InvalidArguments": "asking",
    "InvalidLocator": "locators",
    "Locator": "locators",
    "NoApplicableInstruction": "results",
    "Opened": "results",
    "Passage": "results",
    "Principal": "principal",
    "Refused": "errors",
    "ReviewItem": "review",
    "ReviewQueue": "review",
    "Reviewer": "review",
    "ServiceInstructions": "tool",
    "Ticket": "tickets",
    "Unavailable": "results",
    "UnusableStore": "errors",
    "VersionKey": "locators",
}

__all__ = list(_MODULES)


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_MODULES[name]}", __name__), name)
