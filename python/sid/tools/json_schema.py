"""What this package asks of ``jsonschema``, and no more."""

from __future__ import annotations

import datetime
import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema import ValidationError
    from jsonschema.protocols import Validator

__all__ = ["schema_faults", "value_errors"]


def value_errors(schema: dict[str, Any], value: Any) -> list[ValidationError]:
    """Give what is wrong with a value, in the order of the places where it is.

    Only references within the schema are followed: nothing is fetched.
    """
    errors = _validator()(schema, registry=_registry(), format_checker=_formats()).iter_errors(value)
    return sorted(errors, key=lambda error: [str(step) for step in error.absolute_path])


def schema_faults(schema: object) -> list[str]:
    """Give what is wrong with the schema of a tool's parameters."""
    if not isinstance(schema, dict):
        return [f"parameters must be a JSON schema, an object, got {schema!r:.100}"]
    validator = _validator()
    faults = [
        f"parameters{_at(error.absolute_path)}: {error.message:.300}"
        for error in validator(validator.META_SCHEMA).iter_errors(schema)
    ]
    if not faults:
        faults += _reference_faults(schema, schema, "parameters")
        faults += _object_faults(schema, "parameters")
        if schema.get("type") != "object":
            faults.append(f'parameters must have "type": "object", got {schema.get("type")!r:.100}')
    return faults


def _object_faults(schema: object, where: str) -> Iterator[str]:
    """Find objects that require what they do not declare."""
    for place, one in _subschemas(schema, where):
        if one.get("type") != "object" and "properties" not in one:
            continue
        missing = [name for name in one.get("required", []) if name not in one.get("properties", {})]
        if missing and not one.get("patternProperties"):
            yield f"{place} requires {', '.join(map(repr, missing))}, which its properties do not declare"


def _reference_faults(root: dict[str, Any], schema: object, where: str) -> Iterator[str]:
    """Find references that lead nowhere within the schema."""
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import DRAFT202012

    resolver = _registry().resolver_with_root(DRAFT202012.create_resource(root))
    for place, one in _subschemas(schema, where):
        for keyword in ("$ref", "$dynamicRef"):
            reference = one.get(keyword)
            if not isinstance(reference, str):
                continue
            try:
                if reference.startswith("#"):
                    resolver.lookup(reference)
                    continue
            except Unresolvable:
                pass
            yield f"{place}.{keyword} {reference!r:.100} names nothing within the schema"


def _subschemas(schema: object, where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give a schema and every dict within it, with its place."""
    if isinstance(schema, dict):
        yield where, schema
        for key, value in schema.items():
            if key not in ("enum", "const", "default", "examples"):
                yield from _subschemas(value, f"{where}.{key}")
    elif isinstance(schema, list):
        for index, value in enumerate(schema):
            yield from _subschemas(value, f"{where}[{index}]")


def _at(path: Any) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)


@functools.cache
def _validator() -> type[Validator]:
    try:
        from jsonschema import Draft202012Validator
    except ImportError as error:
        raise ImportError(
            f"tools and their arguments are checked with the package jsonschema ({error}); "
            "run: pip install 'sid-native[tools]'",
            name="jsonschema",
        ) from None
    return Draft202012Validator


@functools.cache
def _registry() -> Any:
    # An empty registry: the default one fetches what a reference names.
    from referencing import Registry

    return Registry()


@functools.cache
def _formats() -> Any:
    """Give the check of ``format``: the two that filters on time need."""
    from jsonschema import FormatChecker

    checker = FormatChecker(formats=())

    @checker.checks("date", raises=ValueError)
    def _date(value: object) -> bool:
        return not isinstance(value, str) or bool(datetime.date.fromisoformat(value))

    @checker.checks("date-time", raises=ValueError)
    def _date_time(value: object) -> bool:
        return not isinstance(value, str) or bool(datetime.datetime.fromisoformat(value))

    return checker
