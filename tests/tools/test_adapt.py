"""Copies of tools for corpora, with filters, and strict ones."""

from __future__ import annotations

import copy
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from sid import tools

ALL = ("SEARCH_TOOL", "TEXT_SEARCH_TOOL", "READ_TOOL", "REPORT_TOOL")
AFTER = {"type": "string", "format": "date", "description": "ISO 8601"}


# --- for_corpus -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("tool", "name"), [("SEARCH_TOOL", "email_search"), ("TEXT_SEARCH_TOOL", "email_text_search")])
def test_a_corpus_gives_name_and_contents(tool, name) -> None:
    trained = getattr(tools, tool)
    adapted = tools.for_corpus(trained, "email", "All mail since 2019")
    assert adapted["name"] == name
    assert adapted["description"] == "Corpus email: All mail since 2019. " + trained["description"]
    assert adapted["parameters"] == trained["parameters"]
    assert trained == getattr(tools, tool)
    adapted["parameters"]["properties"].clear()
    assert trained == getattr(tools, tool)


def test_a_single_corpus_keeps_the_plain_name() -> None:
    assert tools.for_corpus(tools.SEARCH_TOOL, None) == tools.SEARCH_TOOL
    adapted = tools.for_corpus(tools.SEARCH_TOOL, None, " What happened? ")
    assert (adapted["name"], adapted["description"][:15]) == ("search", "What happened? ")


@pytest.mark.parametrize("name", ["", "1a", "a-b", "a b", "é", "a" * 60, "a:b", 5])
def test_corpus_names_that_cannot_begin_a_tool_name(name) -> None:
    with pytest.raises(ValueError, match="cannot begin a tool's name"):
        tools.for_corpus(tools.SEARCH_TOOL, name, "x")


@pytest.mark.parametrize("tool", ["READ_TOOL", "REPORT_TOOL"])
def test_only_search_tools_are_for_a_corpus(tool) -> None:
    with pytest.raises(ValueError, match="only search and text_search"):
        tools.for_corpus(getattr(tools, tool), "email", "x")


def test_a_tool_of_a_corpus_is_not_for_another() -> None:
    with pytest.raises(ValueError, match="'email_search'"):
        tools.for_corpus(tools.for_corpus(tools.SEARCH_TOOL, "email"), "files")


# --- with_parameters --------------------------------------------------------------------------------------------------


def test_parameters_are_added_to_a_copy() -> None:
    trained = tools.SEARCH_TOOL
    given_schema = {"type": "array", "items": {"type": "string"}}
    adapted = tools.with_parameters(trained, {"after": AFTER, "tags": given_schema}, required=["after"])
    assert list(adapted["parameters"]["properties"]) == ["query", "limit", "snippet_size", "after", "tags"]
    assert adapted["parameters"]["required"] == ["query", "after"]
    assert trained == tools.SEARCH_TOOL
    given_schema["items"]["type"] = "integer"
    assert adapted["parameters"]["properties"]["tags"]["items"] == {"type": "string"}


def test_the_report_tool_takes_none() -> None:
    with pytest.raises(ValueError, match="takes no more parameters"):
        tools.with_parameters(tools.REPORT_TOOL, {"after": AFTER})


@pytest.mark.parametrize(
    ("parameters", "required", "error", "message"),
    [
        ({"query": AFTER}, (), ValueError, "already"),
        ({"after": "date"}, (), TypeError, "must be a mapping"),
        ({"after": AFTER}, ["before"], ValueError, "required must list"),
        ({"after": AFTER}, "after", ValueError, "required must list"),
        ({}, ["query"], ValueError, "required must list"),
    ],
)
def test_wrong_parameters(parameters, required, error, message) -> None:
    with pytest.raises(error, match=message):
        tools.with_parameters(tools.SEARCH_TOOL, parameters, required)


def test_not_after_strict() -> None:
    with pytest.raises(ValueError, match="strict already"):
        tools.with_parameters(tools.strict(tools.SEARCH_TOOL), {"after": AFTER})


# --- strict -----------------------------------------------------------------------------------------------------------


def objects(schema: object):
    """Give every schema of an object within a schema."""
    if isinstance(schema, list):
        yield from itertools.chain.from_iterable(map(objects, schema))
    elif isinstance(schema, dict):
        kind = schema.get("type")
        if kind == "object" or (isinstance(kind, list) and "object" in kind):
            yield schema
        for key, one in schema.items():
            yield from (
                itertools.chain.from_iterable(map(objects, one.values())) if key == "properties" else objects(one)
            )


@pytest.mark.parametrize("name", ALL)
def test_strict(name) -> None:
    trained = getattr(tools, name)
    adapted = tools.strict(trained)
    assert adapted["strict"] is True
    assert trained == getattr(tools, name)
    for one in objects(adapted["parameters"]):
        assert one["additionalProperties"] is False
        assert one["required"] == list(one["properties"])
    for parameter, schema in adapted["parameters"]["properties"].items():
        optional = parameter not in trained["parameters"]["required"]
        assert (isinstance(schema["type"], list) and "null" in schema["type"]) == optional
    assert tools.strict(adapted) == adapted


LEAVES = st.sampled_from(
    [
        {"type": "string"},
        {"type": ["integer", "null"], "description": "a number"},
        {"enum": ["a", "b"]},
        {"type": "string", "enum": ["a", "b"]},
        {"const": 5},
        {"anyOf": [{"type": "string"}, {"type": "integer"}], "description": "either"},
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
        {"$ref": "#/$defs/leaf"},
        {},
        True,
    ]
)
NAMES = st.sampled_from("abcd")


def object_schemas(values):
    return st.builds(
        lambda properties, required, more: {
            "type": "object",
            "properties": properties,
            **({"required": [name for name in properties if name in required]} if required else {}),
            **more,
        },
        st.dictionaries(NAMES, values, max_size=3),
        st.sets(NAMES),
        st.sampled_from([{}, {"additionalProperties": True}, {"additionalProperties": {"type": "string"}}]),
    )


SCHEMAS = object_schemas(
    st.recursive(
        LEAVES,
        lambda inner: st.one_of(
            object_schemas(inner),
            st.builds(lambda items: {"type": "array", "items": items}, inner),
            st.builds(lambda one, two: {"anyOf": [one, two]}, inner, inner),
        ),
        max_leaves=8,
    )
)


@given(SCHEMAS)
def test_every_object_of_any_schema_becomes_strict(schema) -> None:
    schema = {**schema, "$defs": {"leaf": {"type": "object", "properties": {"x": {"type": "string"}}}}}
    tool = {"type": "function", "name": "t", "description": "d", "parameters": schema}
    before = copy.deepcopy(tool)
    adapted = tools.strict(tool)
    assert tool == before
    Draft202012Validator.check_schema(adapted["parameters"])
    for one in objects(adapted["parameters"]):
        assert one["additionalProperties"] is False
        assert one["required"] == list(one["properties"])
    assert tools.strict(adapted) == adapted
    # What was optional may be null; what was required may be so only if it could before.
    root = adapted["parameters"]
    for name, one in root["properties"].items():
        now = Draft202012Validator(root).evolve(schema=one).is_valid(None)
        could = Draft202012Validator(schema).evolve(schema=schema["properties"][name]).is_valid(None)
        assert now == (could or name not in schema.get("required", []))


A = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
B = {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]}


@pytest.mark.parametrize(
    "schema",
    [
        {"allOf": [A, B]},
        {**A, "allOf": [{"properties": {"b": {"type": "string"}}}]},
        {"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}]},
        {**A, "$ref": "#/$defs/b"},
        {**A, "anyOf": [B, {"type": "null"}]},
        {**A, "if": {"required": ["a"]}, "then": B},
        {"allOf": [{"allOf": [A]}, {"anyOf": [{"$ref": "#/$defs/b"}]}]},
    ],
)
def test_several_objects_at_once_cannot_be_strict(schema) -> None:
    tool = tools.with_parameters(tools.READ_TOOL, {"x": schema})
    tool["parameters"]["$defs"] = {"a": A, "b": B}
    with pytest.raises(ValueError, match="strict mode cannot express"):
        tools.strict(tool)


@pytest.mark.parametrize(
    "schema",
    [
        {"allOf": [A]},
        {"allOf": [{"$ref": "#/$defs/a"}], "description": "one"},
        {**A, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {"anyOf": [A, B]},
        {**A, "not": {"type": "object", "properties": {"a": {"const": "x"}}}},
        {**A, "if": {"properties": {"a": {"const": "x"}}}, "then": {"required": ["a"]}},
    ],
)
def test_what_was_callable_stays_so(schema) -> None:
    tool = tools.with_parameters(tools.READ_TOOL, {"x": schema}, required=["x"])
    tool["parameters"]["$defs"] = {"a": A, "b": B}
    strict = tools.strict(tool)["parameters"]
    assert Draft202012Validator(strict).is_valid({"id": "1", "x": {"a": "y"}})
    for key in ("not", "if"):
        if key in schema:
            assert strict["properties"]["x"][key] == schema[key]
    if "not" in schema:
        assert not Draft202012Validator(strict).is_valid({"id": "1", "x": {"a": "x"}})


def test_a_tree_can_be_strict() -> None:
    tool = tools.with_parameters(tools.READ_TOOL, {"tree": {"$ref": "#/$defs/tree"}})
    node = {"type": "object", "properties": {"more": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}
    tool["parameters"]["$defs"] = {"tree": node}
    assert tools.strict(tool)["parameters"]["$defs"]["tree"]["required"] == ["more"]


def test_arguments_of_a_wrong_type() -> None:
    with pytest.raises(TypeError, match="contents must be a str, got None"):
        tools.for_corpus(tools.SEARCH_TOOL, "a", None)
    for wrong in (["z"], None, "z"):
        with pytest.raises(TypeError, match="parameters must map names to schemas"):
            tools.with_parameters(tools.SEARCH_TOOL, wrong)
