"""A failed keyword in plain words: what was expected, what stands there, and the nearest right spelling."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from promptpack.problem import nearest
from promptpack.schema.mismatch import Mismatch

if TYPE_CHECKING:
    Path = tuple[str | int, ...]


_KINDS = {
    "object": "a mapping",
    "array": "a list",
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "null": "null",
}
_SHOWN = 60
# Looking for the nearest name takes its time, and nobody reads more.
_MOST_KEYS = 50


def explain(rule: str, expected: Any, value: Any, path: Path, schema: Any) -> Iterator[Mismatch]:
    """Explain one failed keyword; `required` and unknown keys give one finding each."""
    if rule == "required":
        yield from (_missing(name, path, schema) for name in expected if name not in value)
        return
    if rule in ("additionalProperties", "unevaluatedProperties"):
        yield from _unknown_keys(value, path, schema)
        return
    message = schema.get("x-message", "") if isinstance(schema, Mapping) else ""
    message = message or _message(rule, expected, value)
    yield Mismatch(rule, path, message, _hint(rule, expected, value), expected=expected)


def kind_of(value: Any) -> str:
    """Name the kind of a value in plain words."""
    match value:
        case bool():
            return "true or false"
        case None:
            return "null"
        case str():
            return "text"
        case int() | float():
            return "a number"
        case list() | tuple():
            return "a list"
        case _:
            return "a mapping"


def _missing(name: str, path: Path, schema: Any) -> Mismatch:
    known = schema.get("properties", {}).get(name, {}) if isinstance(schema, Mapping) else {}
    described = known.get("description", "") if isinstance(known, Mapping) else ""
    return Mismatch("required", (*path, name), f"{name!r} is missing", described, expected=known)


def _unknown_keys(value: Mapping[str, Any], path: Path, schema: Mapping[str, Any]) -> Iterator[Mismatch]:
    known = list(schema.get("properties", ()))
    patterns = schema.get("patternProperties", {})
    unknown = (name for name in value if name not in known and not any(_starts(pattern, name) for pattern in patterns))
    for name in islice(unknown, _MOST_KEYS):
        near = nearest(name, known)
        hint = f"did you mean {near!r}?" if near else _choices("the keys here are", known)
        yield Mismatch("additionalProperties", (*path, name), f"unknown key {name!r}", hint, at_key=True, expected=near)


def _starts(pattern: str, name: str) -> bool:
    return pattern.startswith("^") and name.startswith(pattern[1:])


def _message(rule: str, expected: Any, value: Any) -> str:  # noqa: C901 -- one line a keyword
    match rule:
        case "type":
            kinds: list[str] = expected if isinstance(expected, list) else [expected]
            return f"expected {' or '.join(_KINDS.get(kind, kind) for kind in kinds)}, not {kind_of(value)}"
        case "enum":
            return f"{_show(value)} is not one of {', '.join(_show(choice) for choice in expected)}"
        case "const":
            return f"must be {_show(expected)}, not {_show(value)}"
        case "pattern":
            return f"{_show(value)} does not have the form {expected}"
        case "minLength":
            return "must not be empty" if expected == 1 else f"must have at least {expected} characters"
        case "maxLength":
            return f"must have at most {expected} characters, not {len(value)}"
        case "minimum":
            return f"must be at least {expected}, not {_show(value)}"
        case "maximum":
            return f"must be at most {expected}, not {_show(value)}"
        case "exclusiveMinimum":
            return f"must be more than {expected}, not {_show(value)}"
        case "exclusiveMaximum":
            return f"must be less than {expected}, not {_show(value)}"
        case "minItems":
            return "must not be empty" if expected == 1 else f"must have at least {expected} items"
        case "maxItems":
            return f"must have at most {expected} items, not {len(value)}"
        case "minProperties":
            return "must not be empty" if expected == 1 else f"must have at least {expected} keys"
        case "uniqueItems":
            return "holds the same item twice"
        case "multipleOf":
            return f"must be a multiple of {expected}, not {_show(value)}"
        case "limit":
            return "cannot be checked: the value is too large for the schema"
        case "not":
            return "holds something that is not allowed here"
        case "dependentRequired":
            return "a key that goes with another one is missing"
        case "anyOf" | "oneOf":
            return f"{_show(value)} fits none of the allowed forms"
        case "false":
            return "nothing is allowed here"
        case _:
            return f"does not meet {rule!r}"


def _hint(rule: str, expected: Any, value: Any) -> str:
    if rule == "enum" and isinstance(value, str):
        near = nearest(value, [choice for choice in expected if isinstance(choice, str)])
        return f"did you mean {near!r}?" if near else ""
    if rule == "type" and expected == "string" and isinstance(value, (int, float)) and not isinstance(value, bool):
        return "write it in quotes"
    if rule == "type" and expected == "boolean" and isinstance(value, str) and value.lower() in ("true", "false"):
        return f"write {value.lower()} without quotes"
    return ""


def _choices(intro: str, names: list[str]) -> str:
    return f"{intro} {', '.join(names[:12])}{', ...' if len(names) > 12 else ''}" if names else ""


def _show(value: Any) -> str:
    text = repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
