"""What a model sends: kept, dropped, or refused with a lesson."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sid import tools
from sid.tools import ToolError, parse_arguments

FILTERS = {
    "after": {"type": "string", "format": "date"},
    "at": {"type": "string", "format": "date-time"},
    "kind": {"type": "string", "enum": ["mail", "note"]},
    "box": {
        "type": "object",
        "properties": {"left": {"type": "number"}, "name": {"type": "string"}},
        "required": ["left"],
    },
    "tags": {"type": "array", "items": {"type": "string"}},
}
TOOL = tools.with_parameters(tools.SEARCH_TOOL, FILTERS)


def refusal(raw: object, tool: dict = TOOL) -> str:
    with pytest.raises(ToolError) as refused:
        parse_arguments(tool, raw)  # type: ignore[arg-type]
    message = str(refused.value)
    assert message.startswith(f"{tool['name']} was called with wrong arguments: ")
    assert '"query": string, "limit"?: integer' in message or tool is not TOOL
    assert len(message) < 2000
    return message


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ({"query": "q"}, {"query": "q"}),
        ({"query": "q", "limit": 3, "snippet_size": 80}, {"query": "q", "limit": 3, "snippet_size": 80}),
        ({"query": "q", "limit": 5.0}, {"query": "q", "limit": 5}),
        ({"query": "q", "limit": None, "after": "", "kind": None}, {"query": "q"}),
        ({"query": "q", "page": 2, "Limit": 1}, {"query": "q"}),
        ({"query": "q", "after": "2024-02-29", "at": "2024-02-29T12:00:00Z"},) * 2,
        ({"query": "q", "box": {"left": 1, "name": None, "right": 5}}, {"query": "q", "box": {"left": 1}}),
        ({"query": "q", "tags": ["", "x"]}, {"query": "q", "tags": ["", "x"]}),
        ({"query": " "}, {"query": " "}),
        ({"query": "\ud800 日本 \x00"}, {"query": "\ud800 日本 \x00"}),
        ({"query": "q", "limit": 10**9}, {"query": "q", "limit": 10**9}),
    ],
)
@pytest.mark.parametrize("tool", [TOOL, tools.strict(TOOL)], ids=["plain", "strict"])
def test_what_is_kept(sent, kept, tool) -> None:
    parsed = parse_arguments(tool, json.dumps(sent))
    assert parsed == kept
    assert [type(value) for value in parsed.values()] == [type(value) for value in kept.values()]


@pytest.mark.parametrize(
    ("sent", "lesson"),
    [
        ({}, "'query' is missing"),
        ({"query": ""}, "'query' is missing"),
        ({"query": None}, "'query' is missing"),
        ({"query": 5}, "'query' must be a string, got 5"),
        ({"query": ["a"]}, "'query' must be a string, got [\"a\"]"),
        ({"query": "q", "limit": "5"}, "'limit' must be a positive integer, got \"5\""),
        ({"query": "q", "limit": 0}, "'limit' must be a positive integer, got 0"),
        ({"query": "q", "limit": -3}, "'limit' must be a positive integer, got -3"),
        ({"query": "q", "limit": 2.5}, "'limit' must be a positive integer, got 2.5"),
        ({"query": "q", "limit": 0.5}, "'limit' must be a positive integer, got 0.5"),
        ({"query": "q", "limit": True}, "'limit' must be a positive integer, got true"),
        ({"query": "q", "snippet_size": 0}, "'snippet_size' must be a positive integer"),
        ({"query": "q", "kind": "letter"}, '\'kind\' must be one of "mail", "note", got "letter"'),
        ({"query": "q", "after": "last week"}, "'after' must be an ISO 8601 date, got \"last week\""),
        ({"query": "q", "after": "2023-02-29"}, "'after' must be an ISO 8601 date"),
        ({"query": "q", "at": "noon"}, "'at' must be an ISO 8601 date-time"),
        ({"query": "q", "tags": "x"}, "'tags' must be an array, got \"x\""),
        ({"query": "q", "tags": ["x", 5]}, "'tags[1]' must be a string, got 5"),
        ({"query": "q", "box": {}}, "'box.left' is missing"),
        ({"query": "q", "box": {"left": "x"}}, "'box.left' must be a number"),
        ({"query": "x" * 100_000, "limit": "y" * 100_000}, "…"),
    ],
)
@pytest.mark.parametrize("tool", [TOOL, tools.strict(TOOL)], ids=["plain", "strict"])
def test_what_is_refused(sent, lesson, tool) -> None:
    assert lesson in refusal(json.dumps(sent), tool)


def test_all_faults_in_one_lesson() -> None:
    message = refusal('{"limit": "many", "snippet_size": -1, "kind": "x"}')
    for part in ("'query' is missing", "'limit' must", "'snippet_size' must", "'kind' must"):
        assert message.count(part) == 1


@pytest.mark.parametrize(
    ("raw", "lesson"),
    [
        ("{", "not JSON: Expecting property name"),
        ('{"query": "q"', "not JSON"),
        ("query=owls", "not JSON: Expecting value at character 0"),
        ("[]", "must be one JSON object, got []"),
        ('"owls"', 'must be one JSON object, got "owls"'),
        ("null", "must be one JSON object, got null"),
        ('{"query": "q", "limit": NaN}', "NaN"),
        ('{"query": "q", "limit": -Infinity}', "-Infinity"),
        ('{"query": "q", "limit": 1e999}', "too large"),
        ('{"query": "q", "limit": ' + "9" * 5000 + "}", "digits"),
        ("[" * 100_000, "recursion"),
        (None, "they are not a text but NoneType"),
        ({"query": "q"}, "they are not a text but dict"),
        ("", "'query' is missing"),
    ],
)
def test_what_is_no_json_object(raw, lesson) -> None:
    assert lesson in refusal(raw)


def test_a_tool_without_parameters() -> None:
    assert parse_arguments({"name": "now"}, "") == {}
    assert parse_arguments({"name": "now", "parameters": {"type": "object", "properties": {}}}, '{"x": 1}') == {}


def test_declared_open_objects_keep_their_keys() -> None:
    open_ended = {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": True}
    free = {"type": "object"}
    tool = tools.with_parameters(tools.READ_TOOL, {"open": open_ended, "free": free})
    sent = {"id": "1", "open": {"a": "x", "b": 1}, "free": {"c": None}}
    assert parse_arguments(tool, json.dumps(sent)) == sent


def test_references_within_the_schema_are_followed() -> None:
    tool = tools.strict(
        {
            "type": "function",
            "name": "t",
            "description": "d",
            "parameters": {
                "type": "object",
                "$defs": {"day": {"type": "string", "format": "date"}},
                "properties": {"day": {"$ref": "#/$defs/day"}, "until": {"$ref": "#/$defs/day"}},
                "required": ["day"],
            },
        }
    )
    assert parse_arguments(tool, '{"day": "2024-01-01", "until": null}') == {"day": "2024-01-01"}
    assert "'until' must be an ISO 8601 date" in refusal('{"day": "2024-01-01", "until": "then"}', tool)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@given(
    st.one_of(
        st.text(),
        JSON_VALUES.map(json.dumps),
        st.fixed_dictionaries(
            {}, optional=dict.fromkeys(("query", "limit", "snippet_size", *FILTERS), JSON_VALUES)
        ).map(json.dumps),
    )
)
def test_arguments_fit_or_the_model_is_told(raw) -> None:
    parsed = None
    with contextlib.suppress(ToolError):
        parsed = parse_arguments(TOOL, raw)
    if parsed is None:
        refusal(raw)
        return
    assert isinstance(parsed["query"], str)
    assert parsed["query"]
    for name in ("limit", "snippet_size"):
        assert name not in parsed or (type(parsed[name]) is int and parsed[name] > 0)
    assert set(parsed) <= set(TOOL["parameters"]["properties"])
    assert None not in parsed.values()


def test_what_ends_a_check_is_a_lesson_too() -> None:
    """Whatever stops the check itself: arithmetic, the stack, a regular expression."""
    tree = {"type": "object", "properties": {"more": {"$ref": "#/properties/tree"}}}
    schemas = {
        "number": {"type": "number", "multipleOf": 0.5},
        "text": {"type": "string", "pattern": "("},
        "list": {"type": "array", "uniqueItems": True},
        "tree": tree,
        "self": {"$ref": "#/properties/self"},
        "away": {"$ref": "http://127.0.0.1:9/x"},
    }
    tool = tools.with_parameters(tools.READ_TOOL, schemas)
    deep = "[" * 900 + "]" * 900
    sent = {
        "number": "9" * 400,
        "text": '"x"',
        "list": f"[{deep}, {deep}]",
        "tree": '{"more": ' * 900 + "{}" + "}" * 900,
        "self": "1",
        "away": "1",
    }
    for name, raw in sent.items():
        assert "deep" in (said := refusal(f'{{"id": "1", "{name}": {raw}}}', tool)) or "cannot be checked" in said


# --- schemas that say the same otherwise ------------------------------------------------------------------------------

INLINE = {
    "type": "object",
    "properties": {
        "left": {"type": "integer"},
        "name": {"type": "string"},
        "inner": {"type": "object", "properties": {"x": {"type": "string"}}},
    },
    "required": ["left"],
}
FORMS = {
    "inline": INLINE,
    "$ref": {"$ref": "#/$defs/box"},
    "$ref twice": {"$ref": "#/$defs/again"},
    "allOf": {"allOf": [{"$ref": "#/$defs/box"}], "description": "A box"},
    "anyOf": {"anyOf": [INLINE, {"type": "null"}]},
    "oneOf": {"oneOf": [{"type": "string"}, {"$ref": "#/$defs/box"}]},
    "allOf in parts": {
        "type": "object",
        "properties": {"left": {"type": "integer"}},
        "allOf": [{"properties": {k: v for k, v in INLINE["properties"].items() if k != "left"}}],
        "required": ["left"],
    },
}


def boxed(form: dict) -> dict:
    tool = tools.with_parameters(tools.READ_TOOL, {"box": form, "boxes": {"type": "array", "items": form}})
    tool["parameters"]["$defs"] = {"box": INLINE, "again": {"$ref": "#/$defs/box"}}
    return tool


@pytest.mark.parametrize("form", FORMS.values(), ids=list(FORMS))
def test_cleaning_reaches_through_every_form_of_a_schema(form) -> None:
    sent = {"left": 5.0, "name": None, "undeclared": 1, "inner": {"x": "", "y": 2}}
    parsed = parse_arguments(boxed(form), json.dumps({"id": "1", "box": sent, "boxes": [sent, {"left": 2}]}))
    kept = {"left": 5, "inner": {}}
    assert parsed == {"id": "1", "box": kept, "boxes": [kept, {"left": 2}]}
    assert type(parsed["box"]["left"]) is int
    for wrong in ({"name": "x"}, {"left": "x"}, {"left": None}):
        with pytest.raises(ToolError):
            parse_arguments(boxed(form), json.dumps({"id": "1", "box": wrong}))


def test_what_may_be_null_but_must_be_there() -> None:
    nullable = {"type": ["string", "null"]}
    for form in (nullable, {"anyOf": [{"type": "string"}, {"type": "null"}]}, {"$ref": "#/$defs/text"}):
        tool = tools.with_parameters(tools.READ_TOOL, {"author": form}, required=["author"])
        tool["parameters"]["$defs"] = {"text": nullable}
        assert "'author' is missing" in refusal('{"id": "1"}', tool)
        assert parse_arguments(tool, '{"id": "1", "author": null}') == {"id": "1"}
        assert parse_arguments(tool, '{"id": "1", "author": ""}') == {"id": "1"}
        assert parse_arguments(tool, '{"id": "1", "author": "Ada"}') == {"id": "1", "author": "Ada"}


@pytest.mark.parametrize("schema", [{"type": "number"}, {}, {"$ref": "#/$defs/count"}, {"anyOf": [{"type": "number"}]}])
def test_limits_are_positive_integers_whatever_the_schema_says(schema) -> None:
    for name in ("limit", "snippet_size"):
        tool = tools.with_parameters(tools.READ_TOOL, {name: schema})
        tool["parameters"]["$defs"] = {"count": {"type": "number"}}
        parsed = parse_arguments(tool, f'{{"id": "1", "{name}": 5.0}}')
        assert (parsed[name], type(parsed[name])) == (5, int)
        for wrong in ("2.5", "0", "-1", "0.5", "true", '"5"', "[5]"):
            with pytest.raises(ToolError):
                parse_arguments(tool, f'{{"id": "1", "{name}": {wrong}}}')
