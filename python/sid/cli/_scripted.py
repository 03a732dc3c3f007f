"""A model that follows a script, for a demonstration without a service."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["ScriptedModel"]

_RESULT = re.compile(r'^<doc id="(\d+)', re.MULTILINE)


class ScriptedModel:
    """Stands in for an OpenAI client: its turns are written down, and only the ids are taken from what it is shown.

    It searches twice at once, reads the first result from its start, and reports the first result of each search. If
    it is shown no result, it searches on.

    Parameters
    ----------
    searches
        Calls of the first turn: the names of tools and their arguments.
    read_characters
        How much it reads.

    Examples
    --------
    >>> model = ScriptedModel([("text_search", {"query": "owls"})], 100)
    >>> model.responses.create(input=[])["output"][0]["name"]
    'text_search'
    """

    def __init__(self, searches: Sequence[tuple[str, Mapping[str, Any]]], read_characters: int) -> None:
        self.responses = self
        self._searches = searches
        self._read_characters = read_characters

    def create(self, **request: Any) -> dict[str, Any]:
        """Give the response to the conversation that is the request's ``input``, as the service would write it."""
        shown = [item["output"] for item in request["input"] if item.get("type") == "function_call_output"]
        firsts = [result[1] for output in shown if (result := _RESULT.search(output))]
        if not firsts:
            return _response(self._searches)
        if len(shown) == len(self._searches):
            return _response([("read", {"id": f"{firsts[0]}#0:{self._read_characters}"})])
        return _response([("report_helpful_ids", {"ids": list(dict.fromkeys(firsts))})])


def _response(calls: Sequence[tuple[str, Mapping[str, Any]]]) -> dict[str, Any]:
    output = [
        {"type": "function_call", "call_id": f"call_{number}", "name": name, "arguments": json.dumps(arguments)}
        for number, (name, arguments) in enumerate(calls, start=1)
    ]
    return {"status": "completed", "output": output}
