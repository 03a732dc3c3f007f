"""A store of governed documents in one SQLite file: the one that answers, opens, checks and logs."""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from ..backends.sqlite_connections import SqliteConnections
from ..backends.sqlite_files import prepare
from .asking import AskPolicy, TicketReader, ask
from .audit import ID_KEY, append
from .citations import check_answer, open_citation
from .days import as_instant, utc_now
from .errors import Refused
from .locators import Locator, VersionKey
from .names import checked_name
from .principal import Principal
from .results import Answer, CheckedAnswer, Claim, Opened, Unavailable
from .schema import STORE
from .standing import Damaged
from .tickets import Ticket, write_ticket
from .versions import STATUSES, DocumentVersion, Status
from .writing import change_status, write

__all__ = ["Added", "GovernedStore"]

ID_KEY_BYTES = 32


@dataclass(frozen=True)
class Added:
    """What became of versions: how many were written, and how many were there already, just as they are."""

    added: int
    unchanged: int


class GovernedStore:
    """Versions of documents, the tickets that are asked about, the reviews and the audit log.

    Parameters
    ----------
    path
        The file, made if it is not there; ``None`` is in memory.
    read_only
        Only read; the file must be there. Nothing is answered then, as nothing could be logged.
    clock
        Gives the instant that it is, as an aware ``datetime``.
    policy
        How questions are answered.
    id_key
        The secret that ids of reviews of a new store are made with, 32 bytes; by default a random one.
    check
        Look through the whole file for damage before anything else.

    Raises
    ------
    UnusableStore
        If the file is damaged, another program's, or of another version.

    Notes
    -----
    Whoever can write to the file can change everything in it: keep it where only the application can. What that would
    leave to be seen says `AuditLog.verify`.

    It may be used from several threads and processes at once. `close` it, or use it in a ``with`` statement.

    Examples
    --------
    >>> from datetime import date
    >>> with GovernedStore() as store:
    ...     store.add([
    ...         DocumentVersion(document_id="NS-1", version=1, title="Bleeding a pump", text="Open valve A.",
    ...                         scope="pumps", effective_from=date(2026, 1, 1), audience="everyone"),
    ...     ])
    ...     store.put_tickets([
    ...         Ticket(ticket_id="T-1", organization_id="acme", scope="pumps", opened_at="2026-02-03T10:00Z"),
    ...     ])
    ...     ada, mallory = Principal("ada", "acme"), Principal("mallory", "globex")
    ...     found = store.read_service_instruction(ada, "T-1", "Which valve bleeds a pump?")
    ...     str(found.passages[0].locator), found.passages[0].text
    ...     store.read_service_instruction(mallory, "T-1", "Which valve bleeds a pump?")
    ...     store.open_citation(ada, "NS-1@1#0:4").text
    Added(added=1, unchanged=0)
    ('NS-1@1#0:13', 'Open valve A.')
    Unavailable()
    'Open'
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        read_only: bool = False,
        clock: Callable[[], datetime] = utc_now,
        policy: AskPolicy | None = None,
        id_key: bytes | None = None,
        check: bool = True,
    ) -> None:
        if id_key is not None and (not isinstance(id_key, bytes) or len(id_key) != ID_KEY_BYTES):
            raise ValueError(f"id_key must be {ID_KEY_BYTES} bytes")
        self.policy = AskPolicy() if policy is None else policy
        self._clock = clock
        self.connections = SqliteConnections(path, STORE, writable=not read_only)
        try:
            first = {ID_KEY: secrets.token_bytes(ID_KEY_BYTES) if id_key is None else id_key}
            prepare(self.connections, first, check=check)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> GovernedStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self.connections.close()

    def today(self) -> date:
        """Give the day that it is: that of UTC."""
        return self._now().date()

    @contextlib.contextmanager
    def writing(self) -> Iterator[tuple[sqlite3.Connection, datetime]]:
        """Give a connection whose changes are made together or not at all, and the instant that they are made at."""
        with self.connections.writing() as connection:
            yield connection, self._now()

    def _now(self) -> datetime:
        return as_instant("what the clock gives", self._clock())

    def add(self, versions: Iterable[DocumentVersion], *, by: str = "application") -> Added:
        """Write versions, all of them or none.

        Versions that are there already, just as they are, are left alone: after an interruption, add the same again.

        Parameters
        ----------
        versions
            The versions. Those that they supersede are among them or there already.
        by
            Who writes, for the audit log.

        Raises
        ------
        Refused
            If a version is there already and is another, one supersedes what is not there, some supersede each other
            in a circle, or two of one document would be in force on one day for one organization.
        TypeError
            If something is not a version.

        Examples
        --------
        >>> def version(number, **more):
        ...     return DocumentVersion(document_id="NS-1", version=number, title="Bleeding", text="Open valve A.",
        ...                            scope="pumps", effective_from=f"2026-0{number}-01", audience={"acme"}, **more)
        >>> with GovernedStore() as store:
        ...     _ = store.add([version(1)])
        ...     store.add([version(2)])
        Traceback (most recent call last):
            ...
        sid.governed.errors.Refused: NS-1@2 and NS-1@1 would both be in force on 2026-02-01 for acme: let the later \
supersede the earlier, or end that before
        >>> with GovernedStore() as store:
        ...     store.add([version(1), version(2, supersedes={"NS-1@1"})])
        Added(added=2, unchanged=0)
        """
        return self.load(versions, (), by=by)

    def load(self, versions: Iterable[DocumentVersion], tickets: Iterable[Ticket], *, by: str = "application") -> Added:
        """Write versions, as `add` does, and tickets, as `put_tickets` does: all of them or none.

        Raises
        ------
        Refused, TypeError
            As `add` and `put_tickets` do.
        """
        given, others = list(versions), list(tickets)
        for version in given:
            if type(version) is not DocumentVersion:
                raise TypeError(f"versions must be DocumentVersion objects, got {version!r:.80}")
        for ticket in others:
            if type(ticket) is not Ticket:
                raise TypeError(f"tickets must be Ticket objects, got {ticket!r:.80}")
        checked_name("by", by)
        with self._authority() as (connection, now):
            written = write(connection, given)
            if written:
                digests = {str(metadata.key): metadata.digest for metadata in written}
                append(connection, now, "added", {"by": by, "versions": digests})
            if others:
                digests = {ticket.ticket_id: write_ticket(connection, ticket) for ticket in others}
                append(connection, now, "tickets", {"by": by, "tickets": digests})
        return Added(len(written), len(given) - len(written))

    def set_status(self, document_id: str, version: int, status: Status, *, by: str = "application") -> None:
        """Change what a version's status is: a draft's to active or withdrawn, an active one's to withdrawn.

        Raises
        ------
        Refused
            If there is no such version, its status cannot become that, or two of its document would be in force on
            one day for one organization.
        ValueError
            If there is no such status.
        """
        if status not in STATUSES:
            raise ValueError(f"status must be one of {', '.join(STATUSES)}; got {status!r:.60}")
        checked_name("by", by)
        key = VersionKey(document_id, version)
        with self._authority() as (connection, now):
            if change_status(connection, key, status, now.date()):
                said = {"by": by, "version": str(key), "status": status, "day": now.date().toordinal()}
                append(connection, now, "status", said)

    def put_tickets(self, tickets: Iterable[Ticket], *, by: str = "application") -> None:
        """Write tickets, each in the place of one with the same id, all of them or none.

        Raises
        ------
        TypeError
            If something is not a ticket.
        """
        self.load((), tickets, by=by)

    def read_service_instruction(
        self, principal: Principal, ticket_id: str, question: str, *, tickets: TicketReader | None = None
    ) -> Answer:
        """Answer a question about a ticket from what applies to it and its asker may see.

        The ticket decides scope and day: its own day, but never one that is still to come. What is eligible is found
        before anything is ranked, and ranked by its own statistics. Before anything is given it is in the audit log.

        Parameters
        ----------
        principal
            Who asks: from the application's session, never from a model.
        ticket_id, question
            What is asked, by a model perhaps.
        tickets
            Gives the authoritative ticket, if it is not in this store.

        Returns
        -------
        Found
            With exact passages.
        NoApplicableInstruction
            If nothing that is eligible supports the question, or something that may is damaged: it went to review.
        Unavailable
            If there is no such ticket, or it is not for this principal; nothing tells which.

        Raises
        ------
        InvalidArguments
            If the arguments do not have the form of a ticket's id and a question of at most 2,000 characters.
        """
        return ask(self, principal, ticket_id, question, tickets)

    def open_citation(self, principal: Principal, locator: Locator | str) -> Opened | Unavailable:
        """Open a citation, if the principal may see it today.

        Returns
        -------
        Opened
            With the exact text, and whether its version is in force today.
        Unavailable
            If there is no such passage, it is not for this principal, it is a draft or withdrawn or its days are
            still to come, or it is not as it was written; nothing tells which.
        """
        return open_citation(self, principal, str(locator))

    def check_answer(self, principal: Principal, claims: Sequence[Claim]) -> CheckedAnswer:
        """Check whether an answer's claims are *quoted*: each quote stands, word by word, where its citation says.

        That is not whether they are true. A claim is listed with what is wrong with it: no citation
        (``missing_citation``), a citation that does not open for this principal (``not_accessible``) or is not in
        force today (``superseded``), a quote that is not in the cited passage (``quote_not_found``). An answer with
        such a claim goes to review.

        Parameters
        ----------
        claims
            ``(text, [(locator, quote), ...])`` each; at least one.

        Raises
        ------
        ValueError
            If the claims are not of that form, or too many or too long.
        """
        return check_answer(self, principal, claims)

    @contextlib.contextmanager
    def _authority(self) -> Iterator[tuple[sqlite3.Connection, datetime]]:
        """Give what `writing` does, where damage among what is written about is a reason to refuse."""
        try:
            with self.writing() as writing:
                yield writing
        except Damaged as error:
            raise Refused(f"the store is damaged: {error.what}") from None
