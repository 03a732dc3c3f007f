"""The tools that SID-2 is trained with, as the API takes them.

The wording is a protocol: the model was trained on it. Each function gives a new dict.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from ..document_cache import SNIPPET_SIZE_DEFAULT

__all__ = ["REPORT_NAME", "SEARCH_NAMES", "Tool", "read_tool", "report_tool", "search_tool", "text_search_tool"]

Tool: TypeAlias = dict[str, Any]
"""A function tool as the Responses API takes it: ``type``, ``name``, ``description`` and ``parameters``."""

SEARCH_NAMES = ("search", "text_search")
"""Names of the search tools of a single corpus, which are the names of the retrieval modes."""

REPORT_NAME = "report_helpful_ids"


def _search_parameters(query: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": query},
            "limit": {"type": "integer", "description": "The number of results to return"},
            "snippet_size": {
                "type": "integer",
                "description": f"Words shown per result snippet (default {SNIPPET_SIZE_DEFAULT}). Must be a positive "
                "integer. Pass a larger value to see more of each document.",
            },
        },
        "required": ["query"],
    }


def search_tool() -> Tool:
    """Give the tool for semantic search."""
    return {
        "type": "function",
        "name": "search",
        "description": "Semantic (vector) search over the dataset. Best for conceptual or paraphrased queries: a long, "
        "descriptive query of what you want beats a few keywords; use text_search when you know the distinctive words "
        "a match would contain. Result ids may be ranged references 'id#start:end' naming the exact character span of "
        "the document shown; stretches you have already been shown are replaced by '[seen: \"#start:end\"]' markers "
        "instead of repeating, and doc_length gives the document's total character count.",
        "parameters": _search_parameters("The query to search the dataset with"),
    }


def text_search_tool() -> Tool:
    """Give the tool for keyword search."""
    return {
        "type": "function",
        "name": "text_search",
        "description": "Full-text keyword search over the dataset, ranked by BM25. Provide the terms you want matched "
        "as plain words separated by spaces: the distinctive content words a matching document would contain. Result "
        "ids may be ranged references 'id#start:end' naming the exact character span of the document shown; stretches "
        "you have already been shown are replaced by '[seen: \"#start:end\"]' markers instead of repeating, and "
        "doc_length gives the document's total character count.",
        "parameters": _search_parameters("Plain space-separated content words to match (BM25)."),
    }


def read_tool() -> Tool:
    """Give the tool for reading a document or a range of it."""
    return {
        "type": "function",
        "name": "read",
        "description": "Search results show only short snippets. Read up to 10,000 characters of a document per call. "
        "A bare ID starts at character 0; a ranged reference starts at its requested offset. Use further ranged reads "
        "to continue.",
        "parameters": {
            "type": "object",
            "properties": {
                "id": {
                    "type": "string",
                    "description": "The id of the document to read. Also accepts a ranged reference 'id#start:end' "
                    "(character offsets, e.g. '123456#800:1600') to read only that part of the document's text; a "
                    "range that runs past the end of the document is trimmed to the part that overlaps it. doc_length "
                    "on every result tells you how far a document actually runs.",
                },
            },
            "required": ["id"],
        },
    }


def report_tool() -> Tool:
    """Give the tool that ends an episode; it may not be changed at all."""
    return {
        "type": "function",
        "name": REPORT_NAME,
        "description": "Report the most helpful document ids from the search results. This is required in the last "
        "step. Each id may be reported at most once; repeated ids are penalized. Ids may be whole documents "
        "('123456') or ranged references ('123456#800:1600'); a ranged reference counts as its whole document, so "
        "there is no need to strip the '#start:end' part.",
        "parameters": {
            "type": "object",
            "properties": {
                "ids": {
                    "type": "array",
                    "description": "The ids of the most helpful documents from the search results.",
                    "items": {"type": "string"},
                },
            },
            "required": ["ids"],
        },
    }
