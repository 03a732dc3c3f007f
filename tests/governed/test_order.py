"""What is answered and what is changed meanwhile: the order of the log is the order of what it tells."""

from __future__ import annotations

import pytest

from sid.governed import AuditLog, Found, NoApplicableInstruction, Opened, Unavailable

from .builders import ADA, store, ticket, version

QUESTION = "How do I bleed the pump?"


def ask(made):
    return made.read_service_instruction(ADA, "T-1", QUESTION)


def open_it(made):
    return made.open_citation(ADA, "NS-1@1#0:4")


def check(made):
    return made.check_answer(ADA, [("x", [("NS-1@1#0:4", "Open")])]).quoted


def between_reading_and_logging(made, change) -> None:
    """Let something happen as soon as the next answer has been read and before it is logged."""
    writing = made.writing

    def changed_first():
        made.writing = writing
        change(made)
        return writing()

    made.writing = changed_first


def withdrawn(made) -> None:
    made.set_status("NS-1", 1, "withdrawn")


def superseded(made) -> None:
    made.add([version(number=2, supersedes={"NS-1@1"}, scope="boilers", effective_from="2026-02-01")])


def moved(made) -> None:
    made.put_tickets([ticket(organization_id="globex")])


def asked_by_another(made) -> None:
    made.read_service_instruction(ADA, "T-1", "unheard of")


@pytest.mark.parametrize("path", [None, "s"])
@pytest.mark.parametrize(
    ("answer", "change", "expected"),
    [
        (ask, asked_by_another, Found),
        (ask, withdrawn, NoApplicableInstruction),
        (ask, superseded, NoApplicableInstruction),
        (ask, moved, Unavailable),
        (open_it, asked_by_another, Opened),
        (open_it, withdrawn, Unavailable),
        (check, moved, True),
        (check, withdrawn, False),
        (check, superseded, False),
    ],
)
def test_no_answer_is_logged_after_what_it_rests_on_was_changed(tmp_path, path, answer, change, expected) -> None:
    with store(path and tmp_path / path, version()) as made:
        between_reading_and_logging(made, change)
        found = answer(made)
        assert found is expected if isinstance(expected, bool) else isinstance(found, expected)
        last = list(AuditLog(made).entries())[-1]
        outcome = {Found: "found", NoApplicableInstruction: "no_applicable_instruction", Opened: "opened",
                   Unavailable: "unavailable"}.get(expected)  # fmt: skip
        assert last.data.get("outcome") == outcome
        assert AuditLog(made).verify() == []


def test_a_superseded_citation_says_so_even_if_it_was_superseded_meanwhile() -> None:
    with store(None, version()) as made:
        between_reading_and_logging(made, superseded)
        opened = open_it(made)
        assert isinstance(opened, Opened)
        assert not opened.is_current
