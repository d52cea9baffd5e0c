"""The keywords `unevaluatedProperties` and `unevaluatedItems`, in bounded time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from promptpack.schema.keywords import LIMIT, count_step, has_no_error, make_error, match_any, resolve
from promptpack.schema.patterns import PatternError

if TYPE_CHECKING:
    from promptpack.schema.keywords import Errors


def unevaluated_properties(validator: Any, expected: Any, instance: Any, schema: Mapping[str, Any]) -> Errors:
    """Validate the keys that no other keyword evaluates."""
    if not isinstance(instance, dict):
        return
    try:
        evaluated = _find_evaluated(validator, instance, schema)
    except PatternError as error:
        yield make_error(str(error), LIMIT)
        return
    others = (value for key, value in instance.items() if key not in evaluated)
    if not all(has_no_error(validator, value, expected) for value in others):
        yield make_error("has keys that are not allowed")


def unevaluated_items(validator: Any, _: Any, instance: Any, schema: Mapping[str, Any]) -> Errors:
    """Find items that no keyword evaluates; `unevaluatedItems` itself evaluates those that it accepts."""
    if isinstance(instance, list) and len(_find_evaluated(validator, instance, schema)) < len(instance):
        yield make_error("has items that are not allowed")


def _find_evaluated(validator: Any, instance: Any, schema: Any) -> set[str | int]:
    """Return the keys or indexes that a schema evaluates, if the value is valid for it."""
    count_step()
    if not isinstance(schema, Mapping):
        return set()
    is_mapping = isinstance(instance, dict)
    found: set[str | int] = set((_own_keys if is_mapping else _own_indexes)(validator, instance, schema))
    for inner, part in _same_value(validator, instance, schema):
        found |= _find_evaluated(inner, instance, part)
    return found


def _own_keys(validator: Any, instance: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[str]:
    yield from schema.get("properties", {}).keys() & instance.keys()
    patterns = schema.get("patternProperties", ())
    if patterns:
        yield from filter(match_any(patterns), instance)
    for keyword in ("additionalProperties", "unevaluatedProperties"):
        if keyword in schema:
            yield from (key for key, value in instance.items() if has_no_error(validator, value, schema[keyword]))


def _own_indexes(validator: Any, instance: list[Any], schema: Mapping[str, Any]) -> Iterator[int]:
    if "items" in schema:
        yield from range(len(instance))
        return
    yield from range(min(len(schema.get("prefixItems", ())), len(instance)))
    for keyword in ("contains", "unevaluatedItems"):
        if keyword in schema:
            yield from (index for index, item in enumerate(instance) if has_no_error(validator, item, schema[keyword]))


def _same_value(validator: Any, instance: Any, schema: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Yield the subschemas that validate the same value and accept it, each with its validator."""
    for keyword in ("$ref", "$dynamicRef"):
        if keyword in schema:
            resolved = resolve(validator, schema[keyword])
            yield validator.evolve(schema=resolved.contents, _resolver=resolved.resolver), resolved.contents
    parts = [part for keyword in ("allOf", "oneOf", "anyOf") for part in schema.get(keyword, ())]
    if isinstance(instance, dict):
        parts += [part for name, part in schema.get("dependentSchemas", {}).items() if name in instance]
    if "if" in schema:
        holds = has_no_error(validator, instance, schema["if"])
        parts += [schema["if"], schema.get("then")] if holds else [schema.get("else")]
    yield from ((validator, part) for part in parts if part is not None and has_no_error(validator, instance, part))
