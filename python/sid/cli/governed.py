"""``sid governed``: a store of governed documents loaded, asked, opened, checked, reviewed and audited.

Whoever runs it is trusted, as is whoever calls the library: the principal is what the command line says.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from ._files import Unreadable, opened, shown_name
from ._indexes import CannotStart

if TYPE_CHECKING:
    from ..governed import GovernedStore, Opened, Passage, Principal, ReviewItem

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> int:
    """Run one of its commands; give 0, or 1 if something is refused or wrong, or 2 if nothing could be done."""
    import sqlite3

    from ..governed import ClaimLost, InvalidArguments, Refused, UnusableStore

    name = f"sid governed {arguments.command}"
    try:
        return _COMMANDS[arguments.command](arguments)
    except sqlite3.Error as error:
        print(
            f"{name}: the store cannot be used: {error}; see that there is room, that it may be written to, and that "
            "nobody else is writing for long",
            file=sys.stderr,
        )
        return 2
    except (CannotStart, UnusableStore) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    except (ClaimLost, InvalidArguments, Refused) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1


@contextlib.contextmanager
def _store(arguments: argparse.Namespace, *, read_only: bool = False, new: bool = False) -> Iterator[GovernedStore]:
    from pathlib import Path

    from ..governed import GovernedStore

    path = Path(arguments.store)
    try:
        there = path.is_file()
        if not (new or there):
            raise CannotStart(f"there is no governed store {arguments.store!r}; make it with sid governed load")
        with GovernedStore(arguments.store, read_only=read_only) as store:
            try:
                yield store
            except BaseException:
                if new and not there:
                    store.close()
                    for left in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
                        left.unlink(missing_ok=True)
                raise
    except OSError as error:
        raise CannotStart(f"the store {arguments.store!r:.200} cannot be used: {error.strerror or error}") from None


def _checked_by(arguments: argparse.Namespace) -> str:
    from ..governed.names import checked_name

    try:
        return checked_name("--by", arguments.by)
    except ValueError as error:
        raise CannotStart(str(error)) from None


def _load(arguments: argparse.Namespace) -> int:
    """Write all versions and tickets of the files, or nothing of them."""
    from ..governed import DocumentVersion, Ticket

    if not (arguments.source or arguments.tickets):
        raise CannotStart("name a file of versions, or --tickets and one of tickets")
    by = _checked_by(arguments)
    faults: list[str] = []
    versions = [one for source in arguments.source for one in _records(source, DocumentVersion.from_plain, faults)]
    tickets = [one for source in arguments.tickets for one in _records(source, Ticket.from_plain, faults)]
    if faults:
        for fault in faults:
            print(f"sid governed load: {fault}", file=sys.stderr)
        print("sid governed load: nothing was written", file=sys.stderr)
        return 1
    with _store(arguments, new=True) as store:
        added = store.load(versions, tickets, by=by)
    if arguments.json:
        print(json.dumps({"store": arguments.store, **asdict(added), "tickets": len(tickets)}))
    else:
        print(f"{arguments.store}: {added.added:,} added, {added.unchanged:,} unchanged; {len(tickets):,} tickets")
    return 0


def _records(source: str, make: Any, faults: list[str]) -> Iterator[Any]:
    from ..backends.jsonl import JsonlFault, json_object

    try:
        with opened(source) as lines:
            for number, raw in enumerate(lines, start=1):
                try:
                    record = json_object(number, raw)
                    if record is not None:
                        yield make(record)
                except JsonlFault as error:
                    faults.append(f"{shown_name(source)}:{error.line}:{error.column}: {error}")
                except (RecursionError, TypeError, ValueError) as error:
                    faults.append(f"{shown_name(source)}:{number}: {error}")
    except Unreadable as error:
        raise CannotStart(f"cannot read {shown_name(source)}: {error}") from None


def _status(arguments: argparse.Namespace) -> int:
    from ..governed import InvalidLocator, VersionKey

    try:
        key = VersionKey.parse(arguments.version)
    except InvalidLocator as error:
        raise CannotStart(str(error)) from None
    by = _checked_by(arguments)
    with _store(arguments) as store:
        store.set_status(*key, arguments.status, by=by)
    print(f"{key}: {arguments.status}")
    return 0


def _principal(arguments: argparse.Namespace) -> Principal:
    from ..governed import Principal

    try:
        return Principal(arguments.operator, arguments.organization, frozenset(arguments.entitlement))
    except ValueError as error:
        raise CannotStart(str(error)) from None


def _ask(arguments: argparse.Namespace) -> int:
    from ..document_cache import DocumentCache
    from ..governed import Found, NoApplicableInstruction
    from ..governed.tool import NAME, answer_of
    from ..tools import render_answer

    principal = _principal(arguments)
    with _store(arguments) as store:
        answer = store.read_service_instruction(principal, arguments.ticket, arguments.question)
    if arguments.json:
        record: dict[str, Any] = {"result": type(answer).__name__}
        if isinstance(answer, Found):
            record["passages"] = [_passage(passage) for passage in answer.passages]
        elif isinstance(answer, NoApplicableInstruction):
            record["review_id"] = answer.review_id
        print(json.dumps(record))
    else:
        print(_plain(render_answer(DocumentCache(), NAME, answer_of(answer))))
    return 0 if isinstance(answer, Found | NoApplicableInstruction) else 1


def _passage(passage: Passage) -> dict[str, Any]:
    return {
        "locator": str(passage.locator),
        "document_id": passage.document_id,
        "version": passage.version,
        "title": passage.title,
        "text": passage.text,
        "digest": passage.digest,
    }


def _open(arguments: argparse.Namespace) -> int:
    from ..governed import Opened

    principal = _principal(arguments)
    with _store(arguments) as store:
        found = store.open_citation(principal, arguments.locator)
    if not isinstance(found, Opened):
        print(json.dumps({"result": "Unavailable"}) if arguments.json else "Unavailable.")
        return 1
    successors = [str(key) for key in found.superseded_by_visible]
    if arguments.json:
        state = {"is_current": found.is_current, "superseded_by_visible": successors}
        print(json.dumps({"result": "Opened", **_passage(found.passage), **state}))
        return 0
    print(f"{found.passage.locator}: {found.passage.title} ({_state(found, successors)})\n\n{_plain(found.text)}")
    return 0


def _line(text: str) -> str:
    """Give a text on one line, what a terminal would act upon or hide written out."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def _plain(text: str) -> str:
    """Give a text whose lines stay lines, and tabs tabs, what else a terminal would act upon written out."""
    return "\n".join("\t".join(map(_line, line.split("\t"))) for line in text.split("\n"))


def _state(found: Opened, successors: list[str]) -> str:
    if found.is_current:
        return "in force"
    return "not in force any more" + (f"; see {', '.join(successors)}" if successors else "")


def _check(arguments: argparse.Namespace) -> int:
    principal = _principal(arguments)
    with _store(arguments) as store:
        try:
            checked = store.check_answer(principal, _claims(arguments.claims))
        except ValueError as error:
            raise CannotStart(str(error)) from None
    if arguments.json:
        claims = [{"text": claim.text, "quoted": claim.quoted, "reasons": claim.reasons} for claim in checked.claims]
        print(json.dumps({"quoted": checked.quoted, "claims": claims, "review_id": checked.review_id}))
    else:
        for claim in checked.claims:
            # What a model wrote stays on its line: it could forge the line of another verdict.
            reasons = [reason + (f" ({_line(locator)})" if locator else "") for reason, locator in claim.reasons]
            print(f"{'quoted' if claim.quoted else 'NOT QUOTED: ' + ', '.join(reasons)}\n    {_line(claim.text)}")
        print(f"review: {checked.review_id}" if checked.review_id else "Quoted is not true: it stands where it says.")
    return 0 if checked.quoted else 1


def _claims(source: str) -> Any:
    try:
        with opened(source) as lines:
            record = json.loads(b"".join(lines))
        return [
            (claim["text"], [(one["locator"], one["quote"]) for one in claim.get("citations", [])]) for claim in record
        ]
    except Unreadable as error:
        raise CannotStart(f"cannot read {shown_name(source)}: {error}") from None
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise CannotStart(
            f'{shown_name(source)} must be a JSON list of {{"text": …, "citations": [{{"locator": …, "quote": …}}]}}; '
            f"{type(error).__name__}: {error}"
        ) from None


def _review(arguments: argparse.Namespace) -> int:
    from ..governed import Reviewer, ReviewQueue

    with _store(arguments, read_only=arguments.step == "list") as store:
        queue = ReviewQueue(store)
        if arguments.step == "list":
            for item in queue.items(arguments.state):
                _print_item(item)
            return 0
        try:
            reviewer = Reviewer(arguments.reviewer, frozenset(getattr(arguments, "qualification", ())))
            if arguments.step == "claim":
                claimed = queue.claim(reviewer)
                if claimed is None:
                    print("sid governed review: nothing waits for this reviewer", file=sys.stderr)
                    return 1
                _print_item(claimed)
                return 0
            item = replace(queue.get(arguments.id), reviewer_id=reviewer.reviewer_id, claim=arguments.claim)
            if arguments.step == "release":
                queue.release(item)
            else:
                queue.resolve(item, arguments.note)
            _print_item(queue.get(arguments.id))
        except KeyError as error:
            raise CannotStart(error.args[0]) from None
        except ValueError as error:
            raise CannotStart(str(error)) from None
    return 0


def _print_item(item: ReviewItem) -> None:
    print(json.dumps(asdict(item)))


def _audit(arguments: argparse.Namespace) -> int:
    from ..governed import AuditLog

    if arguments.head == "":
        raise CannotStart("--head is empty; give N:HASH, as an earlier sid governed audit --verify printed it")
    with _store(arguments, read_only=True) as store:
        log = AuditLog(store)
        if arguments.head is None and not arguments.verify:
            for entry in log.entries():
                print(json.dumps(asdict(entry)))
            return 0
        faults = log.verify(arguments.head)
        for fault in faults:
            print(f"sid governed audit: {fault}", file=sys.stderr)
        if faults:
            return 1
        print(f"all is as it was written; head {log.head()}")
        return 0


_COMMANDS = {
    "load": _load,
    "status": _status,
    "ask": _ask,
    "open": _open,
    "check": _check,
    "review": _review,
    "audit": _audit,
}
