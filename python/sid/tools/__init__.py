"""The tools a model is given: trained schemas, how to adapt them, and checks of toolsets and of arguments.

``SEARCH_TOOL``, ``TEXT_SEARCH_TOOL``, ``READ_TOOL`` and ``REPORT_TOOL`` are plain dicts, ready for the Responses API.
Each access gives a new one, so that changing it changes nothing for anyone else.

`validate_toolset` and `parse_arguments` need the package ``jsonschema``: ``pip install 'sid-native[tools]'``.

Examples
--------
>>> from sid import tools
>>> tool = tools.for_corpus(tools.TEXT_SEARCH_TOOL, "email", "All mail since 2019.")
>>> tool["name"]
'email_text_search'
>>> tools.parse_arguments(tool, '{"query": "invoice", "limit": 3, "snippet_size": null}')
{'query': 'invoice', 'limit': 3}
"""

from __future__ import annotations

from collections.abc import Callable

from . import schemas
from .adapt import for_corpus, strict, with_parameters
from .arguments import ToolError, parse_arguments
from .extra import ExtraTool, ToolAnswer, render_answer
from .schemas import Tool
from .toolset import InvalidToolset, ToolExample, validate_toolset

__all__ = [
    "READ_TOOL",
    "REPORT_TOOL",
    "SEARCH_TOOL",
    "TEXT_SEARCH_TOOL",
    "ExtraTool",
    "InvalidToolset",
    "Tool",
    "ToolAnswer",
    "ToolError",
    "ToolExample",
    "for_corpus",
    "parse_arguments",
    "render_answer",
    "strict",
    "validate_toolset",
    "with_parameters",
]

# Only said here: `__getattr__` gives them.
SEARCH_TOOL: Tool
"""Search for what is meant: ``search``."""
TEXT_SEARCH_TOOL: Tool
"""Search for words: ``text_search``."""
READ_TOOL: Tool
"""Read a document or a range of it: ``read``."""
REPORT_TOOL: Tool
"""Report the documents that help, which ends an episode: ``report_helpful_ids``."""

_TRAINED: dict[str, Callable[[], Tool]] = {
    "SEARCH_TOOL": schemas.search_tool,
    "TEXT_SEARCH_TOOL": schemas.text_search_tool,
    "READ_TOOL": schemas.read_tool,
    "REPORT_TOOL": schemas.report_tool,
}


def __getattr__(name: str) -> Tool:
    if name in _TRAINED:
        return _TRAINED[name]()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
