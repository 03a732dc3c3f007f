"""What the model is shown, and what it means by the ids that it writes.

One episode's documents, ids and ledger live here. Nothing here waits: results come in, texts go out, in the order of
the calls, so that what an earlier call showed a later one masks.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from ..backends.router import CorpusRouter
from ..document_cache import DocumentCache
from ..document_rendering import ID_SEPARATOR, parse_rendered_model_facing_id
from ..id_stream import IdStream
from ..ranges import InvalidCharacterRange, resolve_char_range
from ..tools import ToolAnswer, ToolError
from ..tools.extra import ExtraDocument, render_answer
from .errors import BackendError
from .fetch import Search
from .hits import CONTENT, ID

__all__ = ["NO_RESULTS", "READ_CHARACTERS", "Observations"]

READ_CHARACTERS = 10_000
"""Characters of a document that one read shows at most, as the tool's description says."""

NO_RESULTS = "No documents match this query. Try other words, or fewer of them."


class Observations:
    """The documents of one episode, as its model sees them.

    Parameters
    ----------
    router
        The corpora.
    language
        Whose stopwords to drop when snippets are chosen.
    seed
        Of the stream of model-facing ids.
    """

    def __init__(self, router: CorpusRouter, language: str, seed: int) -> None:
        self.cache = DocumentCache(language)
        self.cache.model_facing_id_stream = IdStream(seed=seed)
        self._router = router

    def knows(self, search: Search, original_id: str) -> bool:
        """Say whether a document that a search found is in the cache."""
        return self._data_id(search, original_id) in self.cache

    def search(self, search: Search, hits: Sequence[Mapping[str, Any]]) -> str:
        """Show the results of a search, which are plain, and record what is shown."""
        if not hits:
            return NO_RESULTS
        fields = _with_content(search.corpus.display_fields)
        results = []
        for hit in hits:
            absent = dict.fromkeys(name for name in fields or () if name not in hit)
            results.append({**hit, **absent, ID: self._data_id(search, hit[ID])})
        return self.cache.render_results(results, search.query, snippet_size=search.snippet_size, display_fields=fields)

    def answer(self, tool: str, answer: ToolAnswer) -> str:
        """Show what an extra tool gave, whose documents are plain, and record what is shown.

        Raises
        ------
        BackendError
            If a document has the id of another that was shown before.
        """
        try:
            return render_answer(self.cache, tool, answer) or NO_RESULTS
        except ValueError as error:
            raise BackendError(str(error)) from error

    def read(self, reference: str) -> str:
        """Show a document, or a range of it, from the start of what is asked and at most `READ_CHARACTERS`.

        Raises
        ------
        ToolError
            If the reference is malformed, or of no document or no range that there is.
        """
        try:
            model_id, char_range = parse_rendered_model_facing_id(reference.strip())
        except ValueError as error:
            raise ToolError(str(error)) from None
        if not self.cache.contains_model_facing_id(model_id):
            raise ToolError(f"there is no document {model_id!r:.100}: read takes the ids that search results show")
        data_id = self.cache.to_data_id(model_id)
        length = len(self.cache.get_document(data_id)[CONTENT])
        try:
            # As the cache would, but for the error, which names the data id.
            start, end = resolve_char_range(char_range or (0, length), length, mode="lenient", document_id=model_id)
        except InvalidCharacterRange:
            raise ToolError(
                f"reference {reference!r:.100} names no part of document {model_id}, which has {length} characters: "
                f"ask for a range between 0 and {length}"
            ) from None
        view = self.cache.get_single_span_document_view(
            data_id, CONTENT, (start, min(end, start + READ_CHARACTERS)), self._display_fields(data_id)
        )
        rendered = view.render_xml()
        self.cache.update_seen(view)
        return rendered

    def report(self, references: Sequence[str]) -> list[Hashable]:
        """Give the data ids of reported references: each document once, in order, unknown ones left out."""
        model_ids = [reference.partition(ID_SEPARATOR)[0].strip() for reference in references]
        known = [model_id for model_id in model_ids if self.cache.contains_model_facing_id(model_id)]
        return [self.cache.to_data_id(model_id) for model_id in dict.fromkeys(known)]

    def sources(self, data_ids: Sequence[Hashable]) -> list[tuple[str | None, str]]:
        """Give the corpus, or the extra tool, and the original id of each data id."""
        return [
            (data_id.tool, data_id.original_id)
            if isinstance(data_id, ExtraDocument)
            else self._router.resolve(str(data_id))
            for data_id in data_ids
        ]

    def _data_id(self, search: Search, original_id: str) -> str:
        return self._router.data_id(search.corpus.name, original_id)

    def _display_fields(self, data_id: Hashable) -> list[str] | None:
        if isinstance(data_id, ExtraDocument):
            return None
        corpus, _ = self._router.resolve(str(data_id))
        return _with_content(self._router.corpus(corpus).display_fields)


def _with_content(display_fields: Sequence[str] | None) -> list[str] | None:
    """Give the fields that a view displays: its text among them, and not its id, which every view shows."""
    if display_fields is None:
        return None
    return [name for name in dict.fromkeys((*display_fields, CONTENT)) if name != ID]
