"""What this package asks of ``jsonschema``, and no more."""

from __future__ import annotations

import datetime
import functools
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema import ValidationError
    from jsonschema.protocols import Validator

__all__ = ["AppliedSchemas", "UncheckableValue", "schema_faults", "value_errors"]


class UncheckableValue(Exception):
    """A value that cannot be held against its schema, such as one nested too deep or a number too large."""


class AppliedSchemas:
    """What applies to a value beside a schema: what it refers to, and what it combines.

    Parameters
    ----------
    root
        Where references lead.
    """

    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root

    def of(self, schemas: Iterable[Any]) -> list[dict[str, Any]]:
        """Give the schemas and all that they refer to or combine, each once."""
        found: dict[int, dict[str, Any]] = {}
        for schema in schemas:
            self._collect(schema, found)
        return list(found.values())

    def _collect(self, schema: Any, found: dict[int, dict[str, Any]]) -> None:
        if not isinstance(schema, dict) or id(schema) in found:
            return
        found[id(schema)] = schema
        if isinstance(schema.get("$ref"), str):
            self._collect(self._target(schema["$ref"]), found)
        for one in _listed(schema, "allOf"):
            self._collect(one, found)
        for one in (*_listed(schema, "anyOf"), *_listed(schema, "oneOf")):
            if one is True or (isinstance(one, dict) and self._takes_any_object(one)):
                found[id(_OPEN)] = _OPEN
            self._collect(one, found)

    def _takes_any_object(self, schema: dict[str, Any]) -> bool:
        parts = self.of([schema])
        kinds = [part["type"] for part in parts if "type" in part]
        return not any("properties" in part for part in parts) and (
            not kinds or any(kind == "object" or (isinstance(kind, list) and "object" in kind) for kind in kinds)
        )

    def takes_null(self, schema: Any) -> bool:
        """Say whether a schema says that ``null`` is welcome, as strict tools do of what is optional."""
        return any(
            kind == "null" or (isinstance(kind, list) and "null" in kind)
            for kind in (part.get("type") for part in self.of([schema]))
        )

    def _target(self, reference: str) -> Any:
        from referencing.exceptions import Unresolvable

        try:
            return _resolver(self._root).lookup(reference).contents
        except Unresolvable:  # which the check of the value tells
            return None


_OPEN: dict[str, Any] = {"additionalProperties": True}
"""Stands for one of several schemas that takes an object of any kind."""


def _listed(schema: dict[str, Any], key: str) -> list[Any]:
    value = schema.get(key)
    return value if isinstance(value, list) else []


def value_errors(schema: dict[str, Any], value: Any) -> list[ValidationError]:
    """Give what is wrong with a value, in the order of the places where it is.

    Only references within the schema are followed: nothing is fetched.

    Raises
    ------
    UncheckableValue
        If the check fails by itself: ``jsonschema`` lets what Python's arithmetic, stack and regular expressions raise
        pass through.
    """
    validator = _validator()(schema, registry=_registry(), format_checker=_formats())
    try:
        errors = list(validator.iter_errors(value))
    except RecursionError:
        raise UncheckableValue("the value is nested too deep to be checked") from None
    except Exception as error:
        raise UncheckableValue(f"the value cannot be checked: {type(error).__name__}: {error!s:.100}") from None
    return sorted(errors, key=lambda error: [str(step) for step in error.absolute_path])


def schema_faults(schema: object) -> list[str]:
    """Give what is wrong with the schema of a tool's parameters."""
    if not isinstance(schema, dict):
        return [f"parameters must be a JSON schema, an object, got {schema!r:.100}"]
    _validator()  # raises if it is not installed
    try:
        return _schema_faults(schema)
    except RecursionError:
        return ["parameters are nested too deep"]
    except Exception as error:
        return [f"parameters cannot be read as a JSON schema: {type(error).__name__}: {error!s:.200}"]


def _schema_faults(schema: dict[str, Any]) -> list[str]:
    validator = _validator()
    faults = [
        f"parameters{_at(error.absolute_path)}: {error.message:.300}"
        for error in validator(validator.META_SCHEMA).iter_errors(schema)
    ]
    if not faults:
        faults += _reference_faults(schema, schema, "parameters")
        faults += _pattern_faults(schema, "parameters")
        faults += _object_faults(schema, "parameters")
        if not faults:
            faults += _endless_faults(schema, "parameters")
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

    resolver = _resolver(root)
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


def _pattern_faults(schema: object, where: str) -> Iterator[str]:
    """Find regular expressions that are none."""
    for place, one in _subschemas(schema, where):
        patterns = [one["pattern"]] if isinstance(one.get("pattern"), str) else []
        if isinstance(one.get("patternProperties"), dict):
            patterns += one["patternProperties"]
        for pattern in patterns:
            try:
                re.compile(pattern)
            except (re.error, OverflowError) as error:
                yield f"{place} has the pattern {pattern!r:.100}, which is no regular expression: {error}"


_IN_PLACE = ("not", "if", "then", "else")
_LISTS_IN_PLACE = ("allOf", "anyOf", "oneOf")
"""What applies a schema to the value itself, not to a part of it."""


def _endless_faults(root: dict[str, Any], where: str) -> Iterator[str]:
    """Find schemas that apply to a value only if they apply to it: a check would never end."""
    resolver = _resolver(root)
    ended: set[int] = set()

    def endless(schema: object, within: frozenset[int]) -> bool:
        if not isinstance(schema, dict) or id(schema) in ended:
            return False
        if id(schema) in within:
            return True
        within |= {id(schema)}
        inner = [schema.get(key) for key in _IN_PLACE]
        inner += [one for key in _LISTS_IN_PLACE for one in schema.get(key, ())]
        if isinstance(schema.get("dependentSchemas"), dict):
            inner += schema["dependentSchemas"].values()
        inner += [
            resolver.lookup(schema[key]).contents for key in ("$ref", "$dynamicRef") if isinstance(schema.get(key), str)
        ]
        if any(endless(one, within) for one in inner):
            return True
        ended.add(id(schema))
        return False

    for place, one in _subschemas(root, where):
        if endless(one, frozenset()):
            yield f"{place} refers to itself without end"
            return


def _resolver(root: dict[str, Any]) -> Any:
    """Give what looks up references within a schema, and nowhere else."""
    from referencing.jsonschema import DRAFT202012

    return _registry().resolver_with_root(DRAFT202012.create_resource(root))


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
