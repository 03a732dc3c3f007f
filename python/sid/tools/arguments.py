"""What a model sends as a call's arguments, checked."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from .json_schema import AppliedSchemas, UncheckableValue, value_errors
from .schemas import Tool

if TYPE_CHECKING:
    from jsonschema import ValidationError

__all__ = ["POSITIVE_PARAMETERS", "ToolError", "parse_arguments"]

POSITIVE_PARAMETERS = ("limit", "snippet_size")
"""Parameters that must be positive, of every tool that has them."""

_SHOWN_ERRORS = 5
_QUOTED_CHARACTERS = 100


class ToolError(Exception):
    """A mistake of the model. The message is meant for it: it says what was wrong and what is right."""


def parse_arguments(tool: Tool, raw_json: str) -> dict[str, Any]:
    """Check the arguments that a model sent.

    Arguments that the tool does not declare are dropped, and so are ``null`` and ``""``, which models write for
    "none"; in nested objects too, wherever their schemas are. What must be given and may be ``null`` must be there, if
    only as ``null``; a strict tool's may be left out. An integer written as ``5.0`` becomes ``5``.

    Parameters
    ----------
    tool
        The tool that was called; strict ones work too.
    raw_json
        The arguments as the API gives them: a JSON text.

    Returns
    -------
    dict
        The arguments that are left. Each fits its schema.

    Raises
    ------
    ToolError
        If the text is not a JSON object, a required argument is missing, a value does not fit its schema, or ``limit``
        or ``snippet_size`` is not a positive integer. The message names every fault and the tool's parameters.
    ImportError
        If ``jsonschema`` is not installed.

    Examples
    --------
    >>> from sid import tools
    >>> parse_arguments(tools.READ_TOOL, '{"id": "004218#0:70", "page": 2}')
    {'id': '004218#0:70'}
    >>> parse_arguments(tools.SEARCH_TOOL, '{"limit": 0}')
    Traceback (most recent call last):
        ...
    sid.tools.arguments.ToolError: search was called with wrong arguments: 'query' is missing; 'limit' must be a \
positive integer, got 0. It takes {"query": string, "limit"?: integer, "snippet_size"?: integer}.
    """
    value = _decoded(tool, raw_json)
    try:
        return _checked(tool, value)
    except UncheckableValue as error:
        _refuse(tool, str(error))
    except RecursionError:
        _refuse(tool, "they are nested too deep")


def _checked(tool: Tool, value: dict[str, Any]) -> dict[str, Any]:
    schema = tool.get("parameters") or {}
    applied = AppliedSchemas(schema)
    kept = _pruned(value, [schema], applied, keep_null=True)
    if tool.get("strict"):
        schema = _without_nullable_required(schema, applied)
    faults = [_sentence(error) for error in value_errors(schema, kept)]
    for name in POSITIVE_PARAMETERS:
        number = kept.get(name)
        if number is not None and not _is_positive_integer(number):
            faults.append(f"{name!r} must be a positive integer, got {_shown(number)}")
    if faults:
        _refuse(tool, "; ".join(dict.fromkeys(faults[:_SHOWN_ERRORS])))
    final: dict[str, Any] = _pruned(kept, [schema], applied, keep_null=False)
    return {name: int(one) if name in POSITIVE_PARAMETERS else one for name, one in final.items()}


def _is_positive_integer(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 1 and value == int(value)


def _decoded(tool: Tool, raw_json: object) -> dict[str, Any]:
    try:
        if not isinstance(raw_json, str):
            raise ValueError(f"they are not a text but {type(raw_json).__name__}")
        value = json.loads(raw_json or "{}", parse_constant=_no_number, parse_float=_finite)
    except json.JSONDecodeError as error:
        _refuse(tool, f"they are not JSON: {error.msg} at character {error.pos}")
    except (ValueError, RecursionError) as error:
        _refuse(tool, f"they are not JSON that can be read: {str(error)[:_QUOTED_CHARACTERS]}")
    if not isinstance(value, dict):
        _refuse(tool, f"they must be one JSON object, got {_shown(value)}")
    return value


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number is too large")
    return number


def _pruned(value: Any, schemas: Sequence[Any], applied: AppliedSchemas, *, keep_null: bool) -> Any:
    """Drop what is undeclared, ``null`` or ``""`` from every object whose schemas declare properties.

    With ``keep_null`` the ``null`` of what must be given and may be ``null`` stays, so that it can be told from what is
    missing. Without, integers are made of numbers such as ``5.0`` where an integer is wanted.
    """
    parts = applied.of(schemas)
    if isinstance(value, list):
        items = [part["items"] for part in parts if "items" in part]
        firsts = [part["prefixItems"] for part in parts if isinstance(part.get("prefixItems"), list)]
        return [
            _pruned(
                item,
                [first[place] for first in firsts if place < len(first)] or items,
                applied,
                keep_null=keep_null,
            )
            for place, item in enumerate(value)
        ]
    if isinstance(value, float) and not keep_null:
        return int(value) if value.is_integer() and any(map(_wants_integer, parts)) else value
    declaring = [part for part in parts if isinstance(part.get("properties"), dict)]
    if not isinstance(value, dict) or not declaring:
        return value
    open_ended = any(part.get("additionalProperties") or "patternProperties" in part for part in parts)
    pruned: dict[str, Any] = {}
    for name, one in value.items():
        its = [part["properties"][name] for part in declaring if name in part["properties"]]
        if not its and not open_ended:
            continue
        if one is None or one == "":
            required = any(name in part.get("required", ()) for part in parts)
            if keep_null and required and any(map(applied.takes_null, its)):
                pruned[name] = None
            continue
        pruned[name] = _pruned(one, its, applied, keep_null=keep_null)
    return pruned


def _without_nullable_required(schema: Any, applied: AppliedSchemas) -> Any:
    """Give a strict tool's schema as it was before: what takes ``null`` is not required, wherever it is."""
    if isinstance(schema, list):
        return [_without_nullable_required(one, applied) for one in schema]
    if not isinstance(schema, dict):
        return schema
    adapted = {
        key: value if key in ("enum", "const", "default", "examples") else _without_nullable_required(value, applied)
        for key, value in schema.items()
    }
    properties, required = schema.get("properties"), schema.get("required")
    if isinstance(properties, dict) and isinstance(required, list):
        adapted["required"] = [
            name for name in required if name not in properties or not applied.takes_null(properties[name])
        ]
    return adapted


def _wants_integer(schema: dict[str, Any]) -> bool:
    kind = schema.get("type")
    return kind == "integer" or (isinstance(kind, list) and "integer" in kind and "number" not in kind)


def _sentence(error: ValidationError) -> str:
    """Say for the model what is wrong."""
    if error.validator == "anyOf" and error.context:
        meant = [inner for inner in error.context if inner.validator_value != "null"]
        # What may also be null has one other form, which is the one that was meant.
        if len({inner.schema_path[0] for inner in meant}) == 1:
            return _sentence(meant[0])
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path)[1:]
    name = f"'{path}'" if path else "the object"
    rule: Any = error.validator_value
    instance: Any = error.instance
    if error.validator == "required":
        missing = [f"{path}.{key}" if path else key for key in rule if key not in instance]
        return f"{' and '.join(map(repr, missing))} {'is' if len(missing) == 1 else 'are'} missing"
    got = _shown(instance)
    if error.validator == "type":
        kinds = rule if isinstance(rule, list) else [rule]
        wanted = " or ".join(kind for kind in kinds if kind != "null")
        article = "an" if wanted[:1] in "aeiou" else "a"
        positive = "positive " if path in POSITIVE_PARAMETERS and wanted == "integer" else ""
        return f"{name} must be {'a' if positive else article} {positive}{wanted}, got {got}"
    if error.validator == "enum":
        options = ", ".join(_shown(option) for option in rule if option is not None)
        return f"{name} must be one of {options}, got {got}"
    if error.validator == "format":
        return f"{name} must be an ISO 8601 {rule}, got {got}"
    return f"{name}: {error.message[: 2 * _QUOTED_CHARACTERS]}"


def _shown(value: object) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= _QUOTED_CHARACTERS else f"{text[:_QUOTED_CHARACTERS]}…"


def _refuse(tool: Tool, fault: str) -> NoReturn:
    raise ToolError(
        f"{tool.get('name')} was called with wrong arguments: {fault}. It takes {_signature(tool)}."
    ) from None


def _signature(tool: Tool) -> str:
    """Give the tool's parameters at a glance; a question mark follows the optional ones."""
    schema = tool.get("parameters") or {}
    if tool.get("strict"):
        schema = _without_nullable_required(schema, AppliedSchemas(schema))
    required = schema.get("required", [])
    parts = []
    for name, one in schema.get("properties", {}).items():
        kind = one.get("type", "value") if isinstance(one, dict) else "value"
        kind = "/".join(option for option in kind if option != "null") if isinstance(kind, list) else kind
        parts.append(f'"{name}"{"" if name in required else "?"}: {kind}')
    return "{" + ", ".join(parts) + "}"
