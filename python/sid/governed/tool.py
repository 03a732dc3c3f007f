"""The tool that a model is given: ``read_service_instruction``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..tools import Tool, ToolAnswer, ToolExample, strict
from .asking import QUESTION_MAX, InvalidArguments, TicketReader, log_invalid
from .principal import Principal
from .results import Answer, Found, NoApplicableInstruction, Passage
from .store import GovernedStore

__all__ = ["UNAVAILABLE", "ServiceInstructions", "answer_of", "service_instruction_tool"]

NAME = "read_service_instruction"

PARAMETERS = ("ticket_id", "question")

UNAVAILABLE = "Unavailable: there is no such ticket, or it may not be read."
"""What a model is told in both cases, and nothing else."""


def service_instruction_tool() -> Tool:
    """Give the tool as a model is told of it: strict, with two texts and nothing that names a person, document or day.

    Examples
    --------
    >>> service_instruction_tool()["parameters"]["required"]
    ['ticket_id', 'question']
    """
    return strict(
        {
            "type": "function",
            "name": NAME,
            "description": "Read the service instructions that apply to a ticket. Changes nothing. Which instructions "
            "apply follows from the ticket: its equipment, its date, and who asks. Gives exact passages, each with the "
            "locator to cite it by; or says that nothing applicable answers the question, in which case a person will "
            "look at it; or says that the ticket is unavailable.",
            "parameters": {
                "type": "object",
                "properties": {
                    "ticket_id": {"type": "string", "description": "The ticket's id, such as T-1042."},
                    "question": {
                        "type": "string",
                        "description": "What the instructions are to tell, as one question in the words of the trade; "
                        f"1 to {QUESTION_MAX} characters.",
                    },
                },
                "required": list(PARAMETERS),
            },
        }
    )


class ServiceInstructions:
    """The tool with what stands behind it, for one principal; an extra tool of `sid.episode.Episode`.

    Parameters
    ----------
    store
        Where the instructions are.
    principal
        Who asks: from the application's session. The model is never told, and cannot change it.
    tickets
        Gives the authoritative ticket, if it is not in the store.

    Examples
    --------
    >>> with GovernedStore() as store:
    ...     tool = ServiceInstructions(store, Principal("ada", "acme"))
    ...     tool.call({"ticket_id": "T-1", "question": "Which valve?"}).text
    'Unavailable: there is no such ticket, or it may not be read.'
    """

    def __init__(self, store: GovernedStore, principal: Principal, *, tickets: TicketReader | None = None) -> None:
        self._store = store
        self._principal = principal
        self._tickets = tickets
        self.tool: Tool = service_instruction_tool()
        self.tool_examples: Sequence[ToolExample] = [
            {
                "caption": "What applies to a ticket",
                "name": NAME,
                "arguments": {"ticket_id": "T-1042", "question": "bleeding sequence after a pump change"},
            }
        ]

    def call(self, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Answer a call.

        Raises
        ------
        InvalidArguments
            If the arguments are others than two texts of the form that they must have.
        """
        if extra := sorted(set(arguments).difference(PARAMETERS)):
            log_invalid(self._store, self._principal, *map(arguments.get, PARAMETERS))
            raise InvalidArguments(f"{NAME} takes ticket_id and question alone, not {extra[0]!a:.60}")
        ticket_id, question = (arguments.get(name) for name in PARAMETERS)
        given: Any = self._store.read_service_instruction  # which checks their types
        return answer_of(given(self._principal, ticket_id, question, tickets=self._tickets))


def answer_of(answer: Answer) -> ToolAnswer:
    """Give an answer as a model is shown it: passages as documents, each under its locator, the rest in words.

    A document is a passage, never a whole text: a cache that holds it holds nothing that was not shown, and nothing
    more can be read out of it.
    """
    if isinstance(answer, Found):
        return ToolAnswer(documents=[_document(passage) for passage in answer.passages])
    if isinstance(answer, NoApplicableInstruction):
        return ToolAnswer(
            "No applicable instruction: nothing that applies to this ticket answers the question. It went to a person "
            f"for review as {answer.review_id}; do not answer it from elsewhere."
        )
    return ToolAnswer(UNAVAILABLE)


def _document(passage: Passage) -> dict[str, Any]:
    return {
        "id": str(passage.locator),
        "document_id": passage.document_id,
        "version": passage.version,
        "title": passage.title,
        "locator": str(passage.locator),
        "digest": passage.digest,
        "content": passage.text,
    }
