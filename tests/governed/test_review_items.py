"""Which questions and answers are one item of the queue, and which are items of their own."""

from __future__ import annotations

from datetime import timedelta

from sid.governed import NoApplicableInstruction, Reviewer, ReviewQueue

from .builders import ADA, Clock, store, ticket, version

QUESTION = "How do I bleed the pump?"


def asked(made) -> str:
    answer = made.read_service_instruction(ADA, "T-1", QUESTION)
    assert isinstance(answer, NoApplicableInstruction)
    return answer.review_id


def checked(made, *citations: tuple[str, str]) -> str:
    review_id = made.check_answer(ADA, [("It is so.", list(citations))]).review_id
    assert review_id is not None
    return review_id


def test_a_question_whose_ticket_moves_is_a_new_item_for_the_qualified() -> None:
    with store() as made:
        first = asked(made)
        assert asked(made) == first
        made.put_tickets([ticket(scope="boilers")])
        second = asked(made)
        assert second != first
        queue = ReviewQueue(made)
        assert [(one.id, one.qualification, one.subject["scope"]) for one in queue.items()] == [
            (first, "pumps", "pumps"),
            (second, "boilers", "boilers"),
        ]
        assert queue.claim(Reviewer("grace", frozenset({"boilers"}))).id == second
        made.put_tickets([ticket()])
        assert asked(made) == first


def test_a_question_is_one_item_however_many_days_go_by() -> None:
    clock = Clock()
    with store(None, clock=clock) as made:
        made.put_tickets([ticket(opened_at="2026-12-01T00:00Z")])
        first = asked(made)
        clock.now += timedelta(days=40)
        assert asked(made) == first


def test_damage_is_an_item_of_its_own() -> None:
    with store(None, version(text="Shut the gauge.", title="Gauge")) as made:
        first = asked(made)
        with made.connections.connection() as connection:
            connection.execute("DROP TRIGGER version_no_update")
            connection.execute("UPDATE version SET text = CAST('other' AS BLOB)")
        second = asked(made)
        assert second != first
        assert [item.subject["reason"] for item in ReviewQueue(made).items()] == ["nothing_supports_it", "damaged"]


def test_an_answer_with_something_else_wrong_is_a_new_item() -> None:
    clock = Clock()
    citation = ("NS-1@1#0:34", "Shut")
    with store(None, version(), version("B", scope="boilers"), clock=clock) as made:
        first = checked(made, citation)
        assert checked(made, citation) == first
        made.add([version(number=2, effective_from="2026-06-20", supersedes={"NS-1@1"})])
        assert checked(made, citation) == first
        clock.now += timedelta(days=10)
        second = checked(made, citation)
        assert second != first
        made.set_status("NS-1", 1, "withdrawn")
        third = checked(made, citation)
        both = checked(made, citation, ("B@1#0:34", "Shut"))
        items = {item.id: item for item in ReviewQueue(made).items()}
        assert list(items) == [first, second, third, both]
        assert [item.qualification for item in items.values()] == ["pumps", "pumps", "general", "boilers"]
        assert items[second].subject["reasons"] == [[["quote_not_found", citation[0]], ["superseded", citation[0]]]]
