"""A toolset is refused with all its faults."""

from __future__ import annotations

import copy
import pickle

import pytest

from sid import tools
from sid.tools import InvalidToolset, validate_toolset

EXAMPLES = [
    {"caption": "A search", "name": "text_search", "arguments": {"query": "owls", "limit": 3}},
    {"name": "read", "arguments": {"id": "004218#0:70"}},
    {"name": "report_helpful_ids", "arguments": {"ids": ["004218"]}},
]


def nested(depth: int) -> dict:
    """Make an object in an object in an object…, a schema and a value."""
    value: dict = {}
    for _ in range(depth):
        value = {"not": value}
    return value


def toolset() -> list[dict]:
    return [tools.TEXT_SEARCH_TOOL, tools.READ_TOOL, tools.REPORT_TOOL]


def faults(the_tools, examples) -> tuple[str, ...]:
    with pytest.raises(InvalidToolset) as refused:
        validate_toolset(the_tools, examples)
    assert isinstance(refused.value, ValueError)
    assert all(fault in str(refused.value) for fault in refused.value.faults)
    return refused.value.faults


def test_a_sound_toolset() -> None:
    validate_toolset(toolset(), EXAMPLES)
    validate_toolset([tools.REPORT_TOOL], EXAMPLES[2:])


def places(value, path=()):
    """Give the place of every text in a JSON value, keys too."""
    if isinstance(value, str):
        yield path
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from places(one, (*path, key))
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from places(one, (*path, index))


@pytest.mark.parametrize("path", list(places(tools.REPORT_TOOL)), ids=str)
def test_a_report_tool_changed_by_one_character(path) -> None:
    report = tools.REPORT_TOOL
    *way, last = path
    holder = report
    for step in way:
        holder = holder[step]
    holder[last] = holder[last][:-1] + "~"
    found = faults([*toolset()[:2], report], EXAMPLES)
    assert any("report_helpful_ids is changed" in fault or "report_helpful_ids is missing" in fault for fault in found)


def test_more_in_the_report_tool() -> None:
    assert "changed" in faults([*toolset()[:2], tools.REPORT_TOOL | {"strict": False}], EXAMPLES)[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t, e: t.pop(), "report_helpful_ids is missing"),
        (lambda t, e: t.append(tools.READ_TOOL), "tool 'read' is there twice"),
        (lambda t, e: t.append(tools.REPORT_TOOL), "tool 'report_helpful_ids' is there twice"),
        (lambda t, e: e.pop(0), "tool 'text_search' has no example"),
        (lambda t, e: e.append({"name": "fetch", "arguments": {}}), "example 4 is of no tool: it names 'fetch'"),
        (lambda t, e: e[1].update(arguments={"id": 4218}), "example 2 of tool 'read': 4218 is not of type 'string'"),
        (lambda t, e: e[1].update(arguments={}), "'id' is a required property"),
        (lambda t, e: e[1].update(arguments={"id": "1", "page": 2}), "'page', which the tool does not declare"),
        (lambda t, e: e[1].update(arguments='{"id": "1"}'), "example 2 must have a name, arguments"),
        (lambda t, e: e[1].update(caption=5), "example 2 must have a name, arguments"),
        (lambda t, e: e.append("read"), "example 4 must have"),
        (lambda t, e: t.append("read"), "tool 4 must be a dict with a name"),
        (lambda t, e: t[1].update(name="read it"), "got 'read it'"),
        (lambda t, e: t[1].update(name="x" * 65), "1 to 64 letters"),
        (lambda t, e: t[1].update(type="custom"), '"type": "function"'),
        (lambda t, e: t[1].update(description=" "), "needs a description"),
        (lambda t, e: t[1].pop("parameters"), "parameters must be a JSON schema"),
        (lambda t, e: t[1].update(parameters={}), '"type": "object", got None'),
        (lambda t, e: t[1].update(parameters={"type": "array"}), '"type": "object", got \'array\''),
        (lambda t, e: t[1]["parameters"].update(properties=[]), "parameters.properties: [] is not of type 'object'"),
        (lambda t, e: t[1]["parameters"]["properties"]["id"].update(type="text"), "parameters.properties.id.type"),
        (lambda t, e: t[1]["parameters"].update(required="id"), "parameters.required"),
        (lambda t, e: t[1]["parameters"].update(required=["id", "page"]), "requires 'page', which its properties"),
        (lambda t, e: t[1]["parameters"]["properties"].update(x={"$ref": "#/$defs/x"}), "names nothing within"),
        (lambda t, e: t[1]["parameters"]["properties"].update(x={"$ref": "http://127.0.0.1:9/x"}), "names nothing"),
        (lambda t, e: t[1]["parameters"]["properties"].update(x={"type": "object", "required": ["y"]}), "requires 'y'"),
        (lambda t, e: t[1]["parameters"]["properties"].update(x={"pattern": "("}), "no regular expression"),
        (lambda t, e: t[1]["parameters"].update(patternProperties={"[": {}}), "no regular expression"),
        (lambda t, e: t[1]["parameters"]["properties"].update(x={"$ref": "#/properties/x"}), "without end"),
        (lambda t, e: t[1]["parameters"].update(allOf=[{"$ref": "#"}]), "without end"),
        (lambda t, e: t[1]["parameters"]["properties"].update(x={"not": {"$ref": "#/properties/x"}}), "without end"),
        (lambda t, e: t[1]["parameters"]["properties"].update(x=nested(50_000)), "nested too deep"),
        (lambda t, e: e[1].update(arguments={"id": nested(50_000)}), "nested too deep"),
    ],
)
def test_each_fault(change, message) -> None:
    the_tools, examples = toolset(), copy.deepcopy(EXAMPLES)
    change(the_tools, examples)
    assert any(message in fault for fault in faults(the_tools, examples))


def test_all_faults_at_once() -> None:
    the_tools = [tools.READ_TOOL, tools.READ_TOOL, tools.SEARCH_TOOL | {"parameters": {"type": 5}}]
    examples = [{"name": "fetch", "arguments": {}}, {"name": "read", "arguments": {"id": None}}]
    found = "\n".join(faults(the_tools, examples))
    for part in (
        "report_helpful_ids is missing",
        "twice",
        "parameters.type",
        "'search' has no example",
        "'fetch'",
        "None",
    ):
        assert part in found


def test_twenty_tools() -> None:
    def many(count: int):
        names = [f"corpus{number}" for number in range(count - 1)]
        searches = [tools.for_corpus(tools.SEARCH_TOOL, name, "x") for name in names]
        return [*searches, tools.REPORT_TOOL], [
            *({"name": tool["name"], "arguments": {"query": "q"}} for tool in searches),
            EXAMPLES[2],
        ]

    validate_toolset(*many(19))
    assert faults(*many(20)) == ("there are 20 tools, at most 19 are accepted",)


def test_strict_tools_need_whole_examples() -> None:
    strict = tools.strict(tools.TEXT_SEARCH_TOOL)
    example = {"name": "text_search", "arguments": {"query": "owls", "limit": None, "snippet_size": None}}
    validate_toolset([strict, tools.REPORT_TOOL], [example, EXAMPLES[2]])
    assert len(faults([strict, tools.REPORT_TOOL], [EXAMPLES[0], EXAMPLES[2]])) == 1


def test_the_faults_survive_pickle() -> None:
    error = InvalidToolset(["one", "two"])
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (again.faults, str(again)) == (("one", "two"), str(error))


@pytest.mark.parametrize("given", [None, 5, "tools", {}])
def test_what_is_no_sequence(given) -> None:
    with pytest.raises(TypeError, match="tools must be a sequence"):
        validate_toolset(given, EXAMPLES)
    with pytest.raises(TypeError, match="tool_examples must be a sequence"):
        validate_toolset(toolset(), given)
