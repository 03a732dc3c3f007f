"""Copies of tools, adapted to a corpus, with more parameters, or for strict function calling."""

from __future__ import annotations

import copy
import re
from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import unquote

from .schemas import REPORT_NAME, SEARCH_NAMES, Tool

__all__ = ["MAX_NAME_LENGTH", "for_corpus", "strict", "validate_corpus_name", "with_parameters"]

MAX_NAME_LENGTH = 64
"""Characters that the API takes in a tool's name."""

_CORPUS_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def validate_corpus_name(corpus: str) -> str:
    """Give the name if tools can be named after it.

    Raises
    ------
    ValueError
        If it is not an identifier of ASCII letters, digits and underscores, or is too long.

    Examples
    --------
    >>> validate_corpus_name("email")
    'email'
    """
    longest = MAX_NAME_LENGTH - max(len(f"_{name}") for name in SEARCH_NAMES)
    if not isinstance(corpus, str) or not _CORPUS_NAME.fullmatch(corpus) or len(corpus) > longest:
        raise ValueError(
            f"corpus name {corpus!r:.100} cannot begin a tool's name: it must be of ASCII letters, digits and "
            f"underscores, not begin with a digit, and have at most {longest} characters"
        )
    return corpus


def for_corpus(tool: Tool, corpus: str | None, contents: str = "") -> Tool:
    """Copy a search tool for one corpus.

    Parameters
    ----------
    tool
        ``SEARCH_TOOL`` or ``TEXT_SEARCH_TOOL``, or a copy with more parameters.
    corpus
        The corpus's name, which begins the tool's. ``None``, for a single corpus, keeps the plain name.
    contents
        What the corpus holds, in a sentence or more. It comes before the trained wording.

    Raises
    ------
    ValueError
        If the tool is not a search tool under its plain name, or the corpus name cannot begin a tool's name.
    TypeError
        If the contents are not a ``str``.

    Examples
    --------
    >>> from sid import tools
    >>> email = for_corpus(tools.SEARCH_TOOL, "email", "All mail since 2019")
    >>> email["name"], email["description"][:72]
    ('email_search', 'Corpus email: All mail since 2019. Semantic (vector) search over the dat')
    """
    if tool.get("name") not in SEARCH_NAMES:
        raise ValueError(
            f"tool {tool.get('name')!r:.100} cannot be made for a corpus: only {' and '.join(SEARCH_NAMES)} can; the "
            "other tools serve every corpus"
        )
    if not isinstance(contents, str):
        raise TypeError(f"contents must be a str, got {contents!r:.100}")
    adapted = copy.deepcopy(tool)
    about = contents.strip()
    if about and about[-1] not in ".!?":
        about += "."
    if corpus is not None:
        validate_corpus_name(corpus)
        adapted["name"] = f"{corpus}_{tool['name']}"
        about = f"Corpus {corpus}: {about}" if about else f"Corpus {corpus}."
    if about:
        adapted["description"] = f"{about} {tool['description']}"
    return adapted


def with_parameters(tool: Tool, parameters: Mapping[str, Mapping[str, Any]], required: Collection[str] = ()) -> Tool:
    """Copy a tool with more parameters, such as filters.

    Parameters
    ----------
    tool
        Any tool but ``REPORT_TOOL``, which may not be changed.
    parameters
        For each new parameter its JSON schema. Describe it there; ``"format": "date"`` and ``"date-time"`` are checked.
    required
        Those of the new parameters that a call must give.

    Raises
    ------
    ValueError
        If the tool is ``REPORT_TOOL`` or already strict, it has such a parameter, or ``required`` names none of the
        new ones.
    TypeError
        If the parameters, or the schema of one, are not a mapping.

    Examples
    --------
    >>> from sid import tools
    >>> after = {"type": "string", "format": "date", "description": "Only what was published after it (ISO 8601)"}
    >>> tool = with_parameters(tools.SEARCH_TOOL, {"published_after": after})
    >>> list(tool["parameters"]["properties"])
    ['query', 'limit', 'snippet_size', 'published_after']
    """
    if not isinstance(parameters, Mapping):
        raise TypeError(f"parameters must map names to schemas, got {parameters!r:.100}")
    name = tool.get("name")
    if name == REPORT_NAME:
        raise ValueError(f"{REPORT_NAME} takes no more parameters: the model is trained on it as it is")
    if tool.get("strict"):
        raise ValueError(f"tool {name!r} is strict already: add parameters first, then make it strict")
    adapted = copy.deepcopy(tool)
    schema = adapted.setdefault("parameters", {"type": "object", "properties": {}})
    properties = schema.setdefault("properties", {})
    for parameter, its_schema in parameters.items():
        if parameter in properties:
            raise ValueError(f"tool {name!r} has a parameter {parameter!r} already")
        if not isinstance(its_schema, Mapping):
            raise TypeError(f"the schema of parameter {parameter!r} must be a mapping, got {its_schema!r:.100}")
        properties[parameter] = copy.deepcopy(dict(its_schema))
    unknown = [parameter for parameter in required if parameter not in parameters]
    if isinstance(required, str) or unknown:
        raise ValueError(f"required must list new parameters ({', '.join(parameters)}), got {required!r:.100}")
    if required:
        schema["required"] = [*schema.get("required", []), *required]
    return adapted


def strict(tool: Tool) -> Tool:
    """Copy a tool for strict function calling.

    Every object, nested ones included, takes no undeclared properties and requires all that it declares; those that
    were optional take ``null``.

    Parameters
    ----------
    tool
        The tool; it is not changed. One that is strict already gives an equal copy.

    Raises
    ------
    ValueError
        If a value must be several objects at once, as by ``allOf``: no call could be made.

    Examples
    --------
    >>> from sid import tools
    >>> parameters = strict(tools.READ_TOOL | {"name": "fetch"})["parameters"]
    >>> parameters["required"], parameters["additionalProperties"]
    (['id'], False)
    >>> strict(tools.SEARCH_TOOL)["parameters"]["properties"]["limit"]["type"]
    ['integer', 'null']
    """
    adapted = copy.deepcopy(tool)
    adapted["strict"] = True
    parameters = adapted.get("parameters", {"type": "object", "properties": {}})
    adapted["parameters"] = _strict(parameters, parameters)
    return adapted


# Not those of "not" and "if": what they refuse, or ask, would be another thing.
_ONE_SCHEMA = ("items", "additionalItems", "contains", "then", "else", "propertyNames")
_LISTS_OF_SCHEMAS = ("anyOf", "allOf", "oneOf", "prefixItems")
_MAPS_OF_SCHEMAS = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")


def _is_object(schema: Any) -> bool:
    """Say whether a schema is made strict as an object."""
    if not isinstance(schema, dict):
        return False
    kind = schema.get("type")
    return "properties" in schema or kind == "object" or (isinstance(kind, list) and "object" in kind)


def _object_parts(schema: Any, root: Any, seen: frozenset[int] = frozenset()) -> int:
    """Count the objects that a value must be all at once."""
    if not isinstance(schema, dict) or id(schema) in seen:
        return 0
    seen |= {id(schema)}
    inner = [*schema.get("allOf", ()), schema.get("then"), schema.get("else")]
    if isinstance(schema.get("dependentSchemas"), dict):
        inner += schema["dependentSchemas"].values()
    if isinstance(schema.get("$ref"), str):
        inner.append(_target(root, schema["$ref"]))
    count = sum(_object_parts(one, root, seen) for one in inner)
    for key in ("anyOf", "oneOf"):
        count += max((_object_parts(one, root, seen) for one in schema.get(key, ())), default=0)
    return count + _is_object(schema)


def _target(root: Any, reference: str) -> Any:
    """Give what a pointer within the schema leads to, if it leads anywhere."""
    found = root
    for step in reference.removeprefix("#").split("/")[1:]:
        step = unquote(step).replace("~1", "/").replace("~0", "~")
        found = found.get(step) if isinstance(found, dict) else None
    return found if reference.startswith("#") else None


def _strict(schema: Any, root: Any) -> Any:
    """Make a schema and all within it strict, in place, and give it."""
    if not isinstance(schema, dict):
        return schema  # true and false are schemas too
    if _object_parts(schema, root) > 1:
        raise ValueError(
            "strict mode cannot express an object that combines several (allOf, then, dependentSchemas, or $ref beside "
            "properties): each would refuse the properties of the others; write one object with all of them"
        )
    for key in _ONE_SCHEMA:
        if key in schema:
            schema[key] = _strict(schema[key], root)
    for key in _LISTS_OF_SCHEMAS:
        if isinstance(schema.get(key), list):
            schema[key] = [_strict(one, root) for one in schema[key]]
    for key in _MAPS_OF_SCHEMAS:
        if isinstance(schema.get(key), dict):
            schema[key] = {name: _strict(one, root) for name, one in schema[key].items()}
    if _is_object(schema):
        properties = schema.setdefault("properties", {})
        required = schema.get("required", [])
        for name, one in properties.items():
            if name not in required:
                properties[name] = _nullable(one)
        schema["required"] = list(properties)
        schema["additionalProperties"] = False
    return schema


def _nullable(schema: Any) -> Any:
    """Give a schema that takes ``null`` too."""
    if not isinstance(schema, dict):
        return schema if schema is True else {"type": "null"}
    kind = schema.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    # A description stays where the model looks for it: at the parameter.
    if "type" not in schema or "const" in schema or any(key in schema for key in ("anyOf", "oneOf", "allOf", "$ref")):
        options = schema.get("anyOf")
        if set(schema) <= {"anyOf", "description"} and isinstance(options, list):
            if {"type": "null"} in options:
                return schema
            return {**schema, "anyOf": [*options, {"type": "null"}]}
        inner = {key: value for key, value in schema.items() if key != "description"}
        about = {"description": schema["description"]} if "description" in schema else {}
        return {**about, "anyOf": [inner, {"type": "null"}]}
    adapted = dict(schema)
    if "null" not in kinds:
        adapted["type"] = [*kinds, "null"]
    if isinstance(schema.get("enum"), list) and None not in schema["enum"]:
        adapted["enum"] = [*schema["enum"], None]
    return adapted
