"""Checks of a whole toolset before a model is given it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from .adapt import MAX_NAME_LENGTH
from .json_schema import UncheckableValue, schema_faults, value_errors
from .schemas import REPORT_NAME, Tool, report_tool

__all__ = ["MAX_TOOLS", "InvalidToolset", "ToolExample", "validate_toolset"]

MAX_TOOLS = 19
"""Tools that a model is given at most; with more it chooses worse."""

_NAME = re.compile(rf"[A-Za-z0-9_-]{{1,{MAX_NAME_LENGTH}}}")


class ToolExample(TypedDict):
    """One call that shows the model how a tool is used."""

    name: str
    arguments: Mapping[str, Any]
    caption: NotRequired[str]


class InvalidToolset(ValueError):
    """A toolset that a model must not be given.

    Attributes
    ----------
    faults : tuple[str, ...]
        Everything that is wrong, a sentence each.
    """

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__(f"the toolset has {len(faults)} fault{'s' if len(faults) != 1 else ''}: " + "; ".join(faults))
        self.faults = tuple(faults)

    def __reduce__(self) -> tuple[type[InvalidToolset], tuple[tuple[str, ...]]]:
        # By its faults: an exception's own way is by its message.
        return type(self), (self.faults,)


def validate_toolset(tools: Sequence[Tool], tool_examples: Sequence[ToolExample]) -> None:
    """Check tools and their examples as a whole.

    Parameters
    ----------
    tools
        What the model is given: ``REPORT_TOOL``, unchanged, among them.
    tool_examples
        At least one for each tool: its ``name``, the ``arguments`` of a call, and a ``caption`` if you like.

    Raises
    ------
    InvalidToolset
        With every fault at once: ``REPORT_TOOL`` missing or changed, a tool that is malformed, named as another is or
        without an example, an example that is malformed, of no tool, or with arguments that its tool refuses, 20 tools
        or more.
    TypeError
        If either is no sequence.
    ImportError
        If ``jsonschema`` is not installed.

    Examples
    --------
    >>> from sid import tools
    >>> validate_toolset([tools.READ_TOOL], [{"name": "reed", "arguments": {"id": "004218"}}])
    Traceback (most recent call last):
        ...
    sid.tools.toolset.InvalidToolset: the toolset has 3 faults: report_helpful_ids is missing: add REPORT_TOOL; tool \
'read' has no example; example 1 is of no tool: it names 'reed', the tools are 'read'
    """
    for what, given in (("tools", tools), ("tool_examples", tool_examples)):
        if isinstance(given, str) or not isinstance(given, Sequence):
            raise TypeError(f"{what} must be a sequence of dicts, got {given!r:.100}")
    sound: dict[str, Tool] = {}
    faults = [*_tool_faults(tools, sound), *_example_faults(tools, sound, tool_examples)]
    if faults:
        raise InvalidToolset(faults)


def _tool_faults(tools: Sequence[Tool], sound: dict[str, Tool]) -> Iterator[str]:
    """Find what is wrong with the tools, and note those whose parameters can be applied."""
    if len(tools) > MAX_TOOLS:
        yield f"there are {len(tools)} tools, at most {MAX_TOOLS} are accepted"
    reports = [tool for tool in tools if _name(tool) == REPORT_NAME]
    if not reports:
        yield f"{REPORT_NAME} is missing: add REPORT_TOOL"
    elif any(tool != report_tool() for tool in reports):
        yield f"{REPORT_NAME} is changed: the model is trained on REPORT_TOOL as it is, so add that"
    names: set[str] = set()
    for number, tool in enumerate(tools, 1):
        name = _name(tool)
        if name is None or not _NAME.fullmatch(name):
            yield (
                f"tool {number} must be a dict with a name of 1 to {MAX_NAME_LENGTH} letters, digits, underscores and "
                f"dashes, got {tool if name is None else name!r:.100}"
            )
            continue
        if name in names:
            yield f"tool {name!r} is there twice"
        names.add(name)
        if tool.get("type") != "function":
            yield f'tool {name!r} must have "type": "function", got {tool.get("type")!r:.100}'
        if not isinstance(tool.get("description"), str) or not tool["description"].strip():
            yield f"tool {name!r} needs a description: it is all that the model knows of it"
        faults = schema_faults(tool.get("parameters"))
        yield from (f"tool {name!r}: {fault}" for fault in faults)
        if not faults:
            sound[name] = tool


def _example_faults(
    tools: Sequence[Tool], sound: Mapping[str, Tool], tool_examples: Sequence[ToolExample]
) -> Iterator[str]:
    names = dict.fromkeys(name for tool in tools if (name := _name(tool)) is not None)
    shown = {_name(example) for example in tool_examples}
    yield from (f"tool {name!r} has no example" for name in names if name not in shown)
    for number, example in enumerate(tool_examples, 1):
        name = _name(example)
        arguments = example.get("arguments") if isinstance(example, Mapping) else None
        if name is None or not isinstance(arguments, Mapping) or not isinstance(example.get("caption", ""), str):
            yield (
                f"example {number} must have a name, arguments (an object) and perhaps a caption (a text), "
                f"got {example!r:.100}"
            )
        elif name not in names:
            known = ", ".join(map(repr, names))
            yield f"example {number} is of no tool: it names {name!r:.100}, the tools are {known}"
        elif name in sound:
            yield from (f"example {number} of tool {name!r}: {fault}" for fault in _refusals(sound[name], arguments))


def _refusals(tool: Tool, arguments: Mapping[str, Any]) -> Iterator[str]:
    schema = tool["parameters"]
    declared = schema.get("properties", {})
    if not schema.get("additionalProperties") and not schema.get("patternProperties"):
        yield from (
            f"it gives {name!r:.100}, which the tool does not declare" for name in arguments if name not in declared
        )
    try:
        yield from [f"{error.message:.300}" for error in value_errors(schema, dict(arguments))]
    except UncheckableValue as error:
        yield str(error)


def _name(holder: object) -> str | None:
    name = holder.get("name") if isinstance(holder, Mapping) else None
    return name if isinstance(name, str) else None
