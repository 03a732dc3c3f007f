"""Tools of an application beside the trained ones: what one is, what it gives, and how a model is shown that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from ..document_cache import DocumentCache
from .schemas import Tool
from .toolset import ToolExample

__all__ = ["ExtraDocument", "ExtraTool", "ToolAnswer", "render_answer"]


@dataclass(frozen=True)
class ToolAnswer:
    """What a call of an extra tool gives.

    Parameters
    ----------
    text
        What the model is told, before any document.
    documents
        Mappings with ``"id"`` and ``"content"``, as search results are. All of their content is shown, except what this
        episode has shown of the same document before: give no more than the model may read.
    """

    text: str = ""
    documents: Sequence[Mapping[str, Any]] = ()


class ExtraTool(Protocol):
    """A tool that an episode offers beside its searches.

    ``call`` is made in a thread, once, never twice for one call of the model.
    """

    @property
    def tool(self) -> Tool:
        """What the model is told of it."""
        ...

    @property
    def tool_examples(self) -> Sequence[ToolExample]:
        """Calls that show how it is used; at least one."""
        ...

    def call(self, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Answer a call.

        Parameters
        ----------
        arguments
            What the model wrote, checked against the tool's schema; what that does not declare is dropped.

        Raises
        ------
        ToolError
            If the call is the model's mistake. Anything else ends the episode.
        """
        ...


class ExtraDocument(NamedTuple):
    """The data id of an extra tool's document: no document of a corpus can have it."""

    tool: str
    original_id: str

    def __str__(self) -> str:
        return f"{self.tool}:{self.original_id}"


def render_answer(cache: DocumentCache, tool: str, answer: ToolAnswer) -> str:
    """Show an answer as a model sees it, through a cache's ids and its ledger, and record what is shown.

    Parameters
    ----------
    cache
        Holds the documents that were shown, each as an `ExtraDocument`.
    tool
        The tool's name.
    answer
        What it gave.

    Raises
    ------
    ValueError
        If a document has the id of one that was shown before and is another; nothing of the answer is shown then.

    Examples
    --------
    >>> cache = DocumentCache()
    >>> answer = ToolAnswer("One rule applies.", [{"id": "rule-7", "content": "Wear gloves."}])
    >>> model_id = cache.add_document(ExtraDocument("rules", "rule-7"), {"content": "Wear gloves."})
    >>> print(render_answer(cache, "rules", answer).replace(model_id, "123456"))
    One rule applies.
    <doc id="123456" doc_length=12>
    Wear gloves.
    </doc>
    """
    known: dict[ExtraDocument, str] = {}
    for document in answer.documents:
        data_id = ExtraDocument(tool, document["id"])
        if data_id in cache:
            known[data_id] = cache.get_document(data_id)["content"]
        if known.setdefault(data_id, document["content"]) != document["content"]:
            raise ValueError(
                f"{tool} gave two documents with the id {document['id']!r:.100}: what was shown of the first would be "
                "masked in the second; give each text an id of its own"
            )
    shown = [answer.text] if answer.text else []
    for document in answer.documents:
        data_id = ExtraDocument(tool, document["id"])
        cache.add_document(data_id, {name: value for name, value in document.items() if name != "id"})
        # No text has more tokens than code points: all of it is the snippet.
        whole = max(1, len(cache.get_document(data_id)["content"]))
        view = cache.apply_snippet(data_id, "content", "", snippet_size=whole)
        shown.append(view.render_xml())
        cache.update_seen(view)
    return "\n".join(shown)
