"""Citations opened, with access checked anew, and answers checked against what they cite."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

from .answering import read_then_log
from .audit import append
from .gate import Openable, admit
from .locators import InvalidLocator, Locator
from .principal import Principal
from .quoting import QuotedText
from .ranking import passage_at
from .results import CheckedAnswer, CheckedClaim, Claim, Opened, Passage, Reason, Unavailable
from .review import GENERAL, file_review
from .standing import Damaged

if TYPE_CHECKING:
    from .store import GovernedStore

__all__ = ["CHARACTERS_MAX", "CITATIONS_MAX", "CLAIMS_MAX", "check_answer", "open_citation"]

CLAIMS_MAX, CITATIONS_MAX, CHARACTERS_MAX = 200, 50, 10_000
"""Claims of an answer, citations of a claim, and code points of a claim, a locator or a quote, at most."""


def open_citation(store: GovernedStore, principal: Principal, locator: str) -> Opened | Unavailable:
    """Open a citation; see `GovernedStore.open_citation`."""

    def read(connection: sqlite3.Connection) -> tuple[_Opener, Opened | Unavailable]:
        opener = _Opener(connection, principal, store.today())
        return opener, opener.open(str(locator))

    with read_then_log(store, read) as (connection, now, (opener, opened)):
        who = principal.logged()
        if opener.damaged:
            append(connection, now, "damaged", {**who, "damaged": sorted(opener.damaged)})
        outcome = "opened" if isinstance(opened, Opened) else "unavailable"
        append(connection, now, "opened", {**who, "locator": f"{locator!s:.{CHARACTERS_MAX}}", "outcome": outcome})
    return opened


def check_answer(store: GovernedStore, principal: Principal, claims: Sequence[Claim]) -> CheckedAnswer:
    """Check an answer; see `GovernedStore.check_answer`."""
    checked_claims = _claims(claims)

    def read(connection: sqlite3.Connection) -> tuple[_Opener, tuple[CheckedClaim, ...]]:
        opener = _Opener(connection, principal, store.today())
        return opener, tuple(CheckedClaim(text, _reasons(opener, citations)) for text, citations in checked_claims)

    with read_then_log(store, read) as (connection, now, (opener, checked)):
        who = principal.logged()
        if opener.damaged:
            append(connection, now, "damaged", {**who, "damaged": sorted(opener.damaged)})
        reasons = [[[reason, locator] for reason, locator in claim.reasons] for claim in checked]
        review_id = None
        if not all(claim.quoted for claim in checked):
            scopes = opener.scopes
            qualification = next(iter(scopes)) if len(scopes) == 1 else GENERAL
            # The same answer with something else wrong, or for somebody else to look at, is an item of its own.
            said = {"claims": [list(claim) for claim in checked_claims], "reasons": reasons}
            identity = {"kind": "unsupported_answer", **who, "qualification": qualification, **said}
            review_id = file_review(connection, now, qualification, identity, {})
        cited = [[locator for locator, _ in citations] for _, citations in checked_claims]
        append(connection, now, "checked", {**who, "cited": cited, "reasons": reasons, "review": review_id})
    return CheckedAnswer(checked, review_id)


class _Opener:
    """Opens citations for one principal on one day, in one state of the store."""

    def __init__(self, connection: sqlite3.Connection, principal: Principal, day: date) -> None:
        self._connection = connection
        self._principal = principal
        self._day = day
        self._known: dict[object, Openable | None] = {}
        self._texts: dict[object, str] = {}
        self._quoted: dict[object, QuotedText] = {}
        self.damaged: set[str] = set()
        self.scopes: set[str] = set()

    def open(self, text: str) -> Opened | Unavailable:
        try:
            locator = Locator.parse(text)
        except InvalidLocator:
            return Unavailable()
        if locator.key not in self._known:
            try:
                self._known[locator.key] = admit(self._connection, self._principal, locator.key, self._day)
            except Damaged as error:
                self._known[locator.key] = None
                self.damaged.add(error.what)
        found = self._known[locator.key]
        if found is None or locator.end > found.admitted.metadata.text_length:
            return Unavailable()
        self.scopes.add(found.admitted.metadata.scope)
        self._texts[locator.key] = found.admitted.text
        return Opened(passage_at(found.admitted, locator), found.is_current, found.superseded_by_visible)

    def holds(self, passage: Passage, quote: str) -> bool:
        """Say whether a quote stands in a passage that was opened."""
        key = passage.locator.key
        if key not in self._quoted:
            self._quoted[key] = QuotedText(self._texts[key])
        return self._quoted[key].holds(quote, passage.locator)


def _reasons(opener: _Opener, citations: Sequence[tuple[str, str]]) -> tuple[tuple[Reason, str | None], ...]:
    if not citations:
        return (("missing_citation", None),)
    reasons: list[tuple[Reason, str | None]] = []
    for locator, quote in citations:
        opened = opener.open(locator)
        if isinstance(opened, Unavailable):
            # Nothing more is said: whether the words stand there is not for this principal to know.
            reasons.append(("not_accessible", locator))
            continue
        if not opener.holds(opened.passage, quote):
            reasons.append(("quote_not_found", locator))
        if not opened.is_current:
            reasons.append(("superseded", locator))
    return tuple(reasons)


def _claims(claims: Sequence[Claim]) -> list[tuple[str, list[tuple[str, str]]]]:
    if isinstance(claims, str) or not isinstance(claims, Sequence) or not 0 < len(claims) <= CLAIMS_MAX:
        raise ValueError(f"claims must be a list of 1 to {CLAIMS_MAX}, got {claims!r:.80}")
    checked = []
    for claim in claims:
        if not isinstance(claim, Sequence) or isinstance(claim, str) or len(claim) != 2:
            raise ValueError(f"a claim must be (text, citations), got {claim!r:.80}")
        text, citations = claim
        if not isinstance(citations, Sequence) or isinstance(citations, str) or len(citations) > CITATIONS_MAX:
            raise ValueError(
                f"the citations of a claim must be a list of at most {CITATIONS_MAX}, got {citations!r:.80}"
            )
        pairs = []
        for citation in citations:
            if not isinstance(citation, Sequence) or isinstance(citation, str) or len(citation) != 2:
                raise ValueError(f"a citation must be (locator, quote), got {citation!r:.80}")
            pairs.append((_text("a locator", citation[0]), _text("a quote", citation[1])))
        checked.append((_text("a claim's text", text), pairs))
    return checked


def _text(what: str, value: object) -> str:
    if isinstance(value, Locator):
        value = str(value)
    if not isinstance(value, str) or len(value) > CHARACTERS_MAX:
        raise ValueError(f"{what} must be a str of at most {CHARACTERS_MAX} characters, got {value!r:.80}")
    return value
