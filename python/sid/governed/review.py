"""What waits for a person: questions that nothing answers, and answers that are not quoted."""

from __future__ import annotations

import hashlib
import hmac
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ..backends.sqlite_files import settings
from .audit import ID_KEY, append
from .names import checked_name, checked_names
from .packing import packed, readable, sha256, unpacked

if TYPE_CHECKING:
    from .store import GovernedStore

__all__ = ["GENERAL", "LEASE", "ClaimLost", "ReviewItem", "ReviewQueue", "Reviewer", "State", "file_review"]

GENERAL = "general"
"""The qualification for what belongs to no scope."""

LEASE = timedelta(hours=1)
"""How long a claim holds unless the reviewer says otherwise."""

NOTE_MAX = 10_000

State: TypeAlias = Literal["open", "claimed", "resolved"]

_COLUMNS = "id, qualification, subject, filed_at, state, claims, reviewer, claimed_until, resolution"

# The items of a qualification that are open, or whose claim has run out, oldest first.
_NEXT = (
    f"SELECT number, {_COLUMNS} FROM review WHERE qualification = ? AND (state = 'open' "  # noqa: S608
    "OR (state = 'claimed' AND claimed_until <= ?)) ORDER BY number"
)


class ClaimLost(Exception):
    """The item is not held by this claim: another reviewer's is in its place, or it is resolved or was given back."""


@dataclass(frozen=True)
class Reviewer:
    """Who handles items, as the application knows it.

    Parameters
    ----------
    reviewer_id
        The person.
    qualifications
        The scopes that the person may decide about; `GENERAL` for what belongs to none.

    Raises
    ------
    TypeError, ValueError
        If one of them is no name.
    """

    reviewer_id: str
    qualifications: frozenset[str]

    def __post_init__(self) -> None:
        checked_name("reviewer_id", self.reviewer_id)
        object.__setattr__(self, "qualifications", checked_names("qualifications", self.qualifications))


@dataclass(frozen=True)
class ReviewItem:
    """Something that waits for a person, or was handled by one.

    Parameters
    ----------
    id
        What the asker was told.
    qualification
        What a reviewer needs: a scope, or `GENERAL`.
    subject
        What it is about, as JSON has it.
    filed_at
        When, in UTC.
    state
        ``"open"``, ``"claimed"`` or ``"resolved"``.
    claim
        The number of the claim that holds it, or held it last; 0 if none did.
    reviewer_id
        Who made that claim.
    claimed_until
        When it runs out.
    resolution
        What the reviewer decided, once it is resolved.
    damaged
        What is wrong with the item if it is not as it was written; its subject is empty then, and nobody can claim it.
    """

    id: str
    qualification: str
    subject: dict[str, Any]
    filed_at: str
    state: State
    claim: int
    reviewer_id: str | None
    claimed_until: str | None
    resolution: str | None
    damaged: str | None = None


def file_review(
    connection: sqlite3.Connection, at: datetime, qualification: str, identity: dict[str, Any], detail: dict[str, Any]
) -> str:
    """Put something into the queue, in the transaction of what it comes of, and give its id.

    The same thing by the same operator is one item until it is resolved. Its id is a keyed digest of what the
    operator said and of how often this was resolved before: it tells nothing of other items, nor how many there are.
    """
    base = sha256(packed(identity))
    open_one = connection.execute("SELECT id FROM review WHERE base = ? AND state != 'resolved'", (base,)).fetchone()
    if open_one is not None:
        return str(open_one[0])
    (resolved,) = connection.execute("SELECT count(*) FROM review WHERE base = ?", (base,)).fetchone()
    key: bytes = settings(connection)[ID_KEY]
    review_id = "r-" + hmac.new(key, packed([identity, resolved]), hashlib.sha256).hexdigest()[:32]
    subject = packed({**identity, **detail})
    connection.execute(
        "INSERT INTO review(id, base, qualification, subject, filed_at, state, claims) "
        "VALUES (?, ?, ?, ?, ?, 'open', 0)",
        (review_id, base, qualification.encode(), subject, at.isoformat()),
    )
    said = {"review": review_id, "base": base, "qualification": qualification, "subject": sha256(subject)}
    append(connection, at, "review_filed", said)
    return review_id


class ReviewQueue:
    """The queue of a store.

    An item is open, then claimed by one reviewer, then resolved. A claim runs out, so that the item of a worker that
    died goes to another; whoever claims it then is the only one who can resolve it. Each step is one transaction.

    Parameters
    ----------
    store
        Whose.

    Examples
    --------
    >>> from sid.governed import GovernedStore, Principal
    >>> with GovernedStore() as store:
    ...     checked = store.check_answer(Principal("ada", "acme"), [("The valve is shut.", [])])
    ...     queue = ReviewQueue(store)
    ...     item = queue.claim(Reviewer("grace", {"general"}))
    ...     queue.resolve(item, "Asked the operator for the source.")
    ...     item.id == checked.review_id, queue.get(item.id).state
    (True, 'resolved')
    """

    def __init__(self, store: GovernedStore) -> None:
        self._store = store

    def items(self, state: State | None = None) -> list[ReviewItem]:
        """Give the items, oldest first; those of one state if it is named."""
        where, values = ("", ()) if state is None else ("WHERE state = ? ", (state,))
        with self._store.connections.reading() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM review {where}ORDER BY number",  # noqa: S608
                values,
            ).fetchall()
        return [_item(row) for row in rows]

    def get(self, review_id: str) -> ReviewItem:
        """Give an item.

        Raises
        ------
        KeyError
            If there is none.
        """
        with self._store.connections.reading() as connection:
            row = connection.execute(f"SELECT {_COLUMNS} FROM review WHERE id = ?", (review_id,)).fetchone()  # noqa: S608
        if row is None:
            raise KeyError(f"there is no review {review_id!r:.80}")
        return _item(row)

    def claim(self, reviewer: Reviewer, *, lease: timedelta = LEASE) -> ReviewItem | None:
        """Give the reviewer the oldest item that waits and that he or she is qualified for, if there is one.

        Parameters
        ----------
        lease
            How long the claim holds; after that the item waits again.

        Raises
        ------
        ValueError
            If the lease is not positive, or ends later than there are days.

        Examples
        --------
        >>> from sid.governed import GovernedStore
        >>> with GovernedStore() as store:
        ...     print(ReviewQueue(store).claim(Reviewer("lin", {"pumps"})))
        None
        """
        if lease <= timedelta(0):
            raise ValueError(f"lease must be positive, got {lease}")
        with self._store.writing() as (connection, now):
            try:
                until = _instant(now + lease)
            except OverflowError:
                raise ValueError(f"lease must end before the year 10000, got {lease}") from None
            firsts = (
                _first_whole(connection.execute(_NEXT, (qualification.encode(), _instant(now))))
                for qualification in reviewer.qualifications
            )
            found = [row for row in firsts if row is not None]
            if not found:
                return None
            number, *row = min(found)
            connection.execute(
                "UPDATE review SET state = 'claimed', claims = claims + 1, reviewer = ?, claimed_until = ? "
                "WHERE number = ?",
                (reviewer.reviewer_id.encode(), until, number),
            )
            claim = row[5] + 1
            self._log(connection, now, "review_claimed", row[0], reviewer.reviewer_id, claim, until=until)
            return self._read(connection, row[0])

    def resolve(self, item: ReviewItem, resolution: str) -> None:
        """Close an item with what its reviewer decided.

        Parameters
        ----------
        item
            As `claim` gave it.
        resolution
            What was decided: 1 to 10,000 characters.

        Raises
        ------
        ClaimLost
            If this claim holds it no more.
        KeyError
            If there is no such item.
        ValueError
            If the resolution is none.
        """
        if not isinstance(resolution, str) or not resolution.strip() or len(resolution) > NOTE_MAX:
            raise ValueError(f"resolution must have 1 to {NOTE_MAX} characters, got {resolution!r:.80}")
        with self._store.writing() as (connection, now):
            self._require_held(connection, item)
            connection.execute(
                "UPDATE review SET state = 'resolved', claimed_until = NULL, resolution = ? WHERE id = ?",
                (packed(resolution), item.id),
            )
            decided = {"resolution": sha256(packed(resolution))}
            self._log(connection, now, "review_resolved", item.id, item.reviewer_id, item.claim, **decided)

    def release(self, item: ReviewItem) -> None:
        """Give an item back, to be claimed by another.

        Raises
        ------
        ClaimLost
            If this claim holds it no more.
        KeyError
            If there is no such item.
        """
        with self._store.writing() as (connection, now):
            self._require_held(connection, item)
            connection.execute(
                "UPDATE review SET state = 'open', reviewer = NULL, claimed_until = NULL WHERE id = ?", (item.id,)
            )
            self._log(connection, now, "review_released", item.id, item.reviewer_id, item.claim)

    def _require_held(self, connection: sqlite3.Connection, item: ReviewItem) -> None:
        now = self._read(connection, item.id)
        if (now.state, now.claim, now.reviewer_id) != ("claimed", item.claim, item.reviewer_id):
            raise ClaimLost(f"review {item.id} is {now.state}, and not held by claim {item.claim} any more")

    def _read(self, connection: sqlite3.Connection, review_id: str) -> ReviewItem:
        row = connection.execute(f"SELECT {_COLUMNS} FROM review WHERE id = ?", (review_id,)).fetchone()  # noqa: S608
        if row is None:
            raise KeyError(f"there is no review {review_id!r:.80}")
        return _item(row)

    def _log(
        self,
        connection: sqlite3.Connection,
        at: datetime,
        kind: str,
        review: str,
        by: str | None,
        claim: int,
        **more: str,
    ) -> None:
        append(connection, at, kind, {"review": review, "reviewer": by, "claim": claim, **more})


def _instant(instant: datetime) -> str:
    """Give an instant so that texts compare as instants do."""
    return instant.isoformat(timespec="microseconds")


def _first_whole(rows: Iterable[tuple[Any, ...]]) -> tuple[Any, ...] | None:
    """Give the first row, a number before an item's, whose item is as it was written."""
    return next((row for row in rows if _item(row[1:]).damaged is None), None)


def _item(row: Sequence[Any]) -> ReviewItem:
    review_id, qualification, subject, filed_at, state, claims, reviewer, until, resolution = row
    try:
        return ReviewItem(
            review_id,
            qualification.decode(),
            unpacked(subject),
            filed_at,
            state,
            claims,
            None if reviewer is None else reviewer.decode(),
            until,
            None if resolution is None else unpacked(resolution),
        )
    except (AttributeError, TypeError, ValueError) as error:
        damaged = f"{type(error).__name__}: {error}"[:200]
        return ReviewItem(review_id, readable(qualification), {}, filed_at, state, claims, None, until, None, damaged)
