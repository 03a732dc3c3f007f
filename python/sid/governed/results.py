"""What those who ask are given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from .locators import Locator, VersionKey

__all__ = [
    "Answer",
    "CheckedAnswer",
    "CheckedClaim",
    "Citation",
    "Claim",
    "Found",
    "NoApplicableInstruction",
    "Opened",
    "Passage",
    "Reason",
    "Unavailable",
]


@dataclass(frozen=True)
class Passage:
    """An exact passage of a version.

    Parameters
    ----------
    locator
        What names it for ever, as ``str(locator)`` writes it.
    title
        The version's.
    text
        The passage: characters ``locator.start`` to ``locator.end`` of the version's text.
    digest
        The SHA-256 of the text, as UTF-8, in hexadecimal. That of the version is not given: who else may see it could
        be guessed from that.
    """

    locator: Locator
    title: str
    text: str
    digest: str

    @property
    def document_id(self) -> str:
        """The document that it is of."""
        return self.locator.key.document_id

    @property
    def version(self) -> int:
        """The version that it is of."""
        return self.locator.key.version


@dataclass(frozen=True)
class Found:
    """Passages that apply, the best first."""

    passages: tuple[Passage, ...]


@dataclass(frozen=True)
class NoApplicableInstruction:
    """The read was allowed, and nothing that applies supports the question: a person will look at it."""

    review_id: str


@dataclass(frozen=True)
class Unavailable:
    """There is no such thing, or not for this principal: which of both, nothing tells."""


Answer: TypeAlias = Found | NoApplicableInstruction | Unavailable
"""What a question is answered with: exactly one of these."""


@dataclass(frozen=True)
class Opened:
    """A citation that opens.

    Parameters
    ----------
    passage
        As it was when it was cited.
    is_current
        Whether its version is in force now.
    superseded_by_visible
        Which of the versions in its place the principal may open too.
    """

    passage: Passage
    is_current: bool
    superseded_by_visible: tuple[VersionKey, ...]

    @property
    def text(self) -> str:
        """The passage's text."""
        return self.passage.text


Citation: TypeAlias = tuple[str, str]
"""A locator, and the words that are quoted from there."""

Claim: TypeAlias = tuple[str, list[Citation]]
"""What is claimed, and the citations that it rests on."""

Reason: TypeAlias = Literal["missing_citation", "quote_not_found", "not_accessible", "superseded"]


@dataclass(frozen=True)
class CheckedClaim:
    """A claim, and why it is not quoted.

    Parameters
    ----------
    text
        What is claimed.
    reasons
        What is wrong, with the locator that it is wrong with; none if the claim is quoted.
    """

    text: str
    reasons: tuple[tuple[Reason, str | None], ...]

    @property
    def quoted(self) -> bool:
        """Whether every quote stands where its citation says, in a version in force. That does not make it true."""
        return not self.reasons


@dataclass(frozen=True)
class CheckedAnswer:
    """An answer's claims, and the review that it went to unless all of them are quoted."""

    claims: tuple[CheckedClaim, ...]
    review_id: str | None

    @property
    def quoted(self) -> bool:
        """Whether all claims are quoted. It does not say that they are true."""
        return all(claim.quoted for claim in self.claims)
