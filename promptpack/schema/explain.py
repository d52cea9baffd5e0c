"""Explain errors of `jsonschema` in plain words: the expected and the actual value, and the nearest spelling."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import islice
from types import NoneType
from typing import TYPE_CHECKING, Any, Final

from promptpack.problem import MAX_KNOWN, nearest
from promptpack.schema.pointers import Mismatch

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

    from promptpack.schema.pointers import ValuePath


_KIND_NAMES = {
    "object": "a mapping",
    "array": "a list",
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "null": "null",
}
_KINDS: Final[tuple[tuple[Any, str], ...]] = (
    (bool, "boolean"), (str, "string"), ((int, float), "number"), ((list, tuple), "array"), (NoneType, "null")
)  # fmt: skip
_MAX_SHOWN = 60
# Keywords whose errors are those of their subschemas.
_NESTING: Final = ("if", "then", "else", "allOf", "$ref", "dependentSchemas")
# The patterns of JSON pointers.
_POINTER = ("^/", "^(/")
# Words of other formats, and their possible meanings here.
_SYNONYMS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("delete", "drop", "omit"), ("remove",)),
    **dict.fromkeys(("not_contains", "notcontains", "must_not_contain", "absent"), ("excludes",)),
    **dict.fromkeys(("text", "prompt", "template", "body"), ("content",)),
    **dict.fromkeys(("variables", "vars", "parameters", "args", "arguments"), ("inputs", "params")),
    **dict.fromkeys(("condition", "if"), ("when",)),
    **dict.fromkeys(("assert", "check", "must"), ("require",)),
    **dict.fromkeys(("error", "reason"), ("message",)),
    **dict.fromkeys(("lang", "language"), ("locale",)),
    **dict.fromkeys(("output", "response", "answer"), ("reply",)),
    **dict.fromkeys(("parent", "base", "inherits"), ("extends",)),
    **dict.fromkeys(("options", "choices", "values"), ("enum",)),
    **dict.fromkeys(("agent", "uses"), ("pack",)),
    **dict.fromkeys(("source", "step"), ("from",)),
    **dict.fromkeys(("steps", "then", "goto"), ("next",)),
}
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, default=str)
# More problems would not help an author.
_MAX_KEYS = 50
_MAX_CHOICES = 50
_MAX_LISTED = 24
# The characters of known words that are compared for the hints of one explanation, or of all for one reply.
_MAX_COMPARED = 20_000


class NearWords:
    """Finds the words that misspelled ones most likely mean, as long as the comparisons last."""

    def __init__(self, *, of_values: bool = True) -> None:
        self.of_values: bool = of_values
        """Whether values get hints too; faults of replies show only those of keys."""
        self._remaining = _MAX_COMPARED

    def find(self, word: str, known: Iterable[Any]) -> str | None:
        """Return the nearest known word, or None."""
        if self._remaining < 0:
            return None
        words = list(islice((name for name in known if isinstance(name, str)), MAX_KNOWN))
        self._remaining -= sum(map(len, words))
        meant = next((name for name in _SYNONYMS.get(word.casefold(), ()) if name in words), None)
        return meant or nearest(word, words)


def explain_errors(errors: Iterable[ValidationError], near: NearWords) -> Iterator[Mismatch]:
    """Yield the mismatches of `jsonschema` errors; for `anyOf` and `oneOf`, those of the most likely branch."""
    return (mismatch for error in errors for mismatch in _explain_error(error, near))


def _explain_error(error: ValidationError, near: NearWords) -> Iterator[Mismatch]:
    inner = error.context if error.validator in _NESTING else None
    kinds: list[str] = []
    if error.validator in ("anyOf", "oneOf") and error.context:
        inner = _find_likely_branch(error, near)
        kinds = _read_branch_kinds(error)
    path = tuple(error.absolute_path)
    if error.validator == "propertyNames":
        found = (mismatch for one in error.context for mismatch in _explain_error(one, near))
        yield from (replace(one, message=f"wrong key {path[-1]!r}: {one.message}", at_key=True) for one in found)
    elif inner:
        yield from (mismatch for found in inner for mismatch in _explain_error(found, near))
    elif kinds:
        yield from _explain_keyword("type", kinds, error.instance, path, {}, near)
    else:
        keyword = str(error.validator or "false")
        yield from _explain_keyword(keyword, error.validator_value, error.instance, path, error.schema, near)


def _find_likely_branch(error: ValidationError, near: NearWords) -> list[ValidationError] | None:
    branches: dict[Any, list[ValidationError]] = {}
    for inner in error.context:
        # The schema `false` fails as a whole, so its error has no path.
        branches.setdefault(next(iter(inner.relative_schema_path), None), []).append(inner)
    likely = [errors for errors in branches.values() if not any(_has_wrong_kind(inner) for inner in errors)]
    for is_meant in (lambda _: True, _has_required_keys, partial(_misspells_required_key, near)):
        meant = [errors for errors in likely if is_meant(errors)]
        if len(meant) == 1:
            return meant[0]
    return None


def _has_wrong_kind(error: ValidationError) -> bool:
    if error.relative_path:
        return False
    if error.validator in ("enum", "const"):
        choices: Any = error.validator_value if error.validator == "enum" else [error.validator_value]
        return all(type(choice) is not type(error.instance) for choice in choices)
    return error.validator == "type"


def _has_required_keys(errors: list[ValidationError]) -> bool:
    """Return whether a mapping has the keys that a branch requires."""
    return not any(error.validator == "required" and not error.relative_path for error in errors)


def _misspells_required_key(near: NearWords, errors: list[ValidationError]) -> bool:
    """Return whether an unknown key of a mapping is near one that a branch requires."""
    required = next((error for error in errors if error.validator == "required" and not error.relative_path), None)
    if required is None:
        return False
    value: Any = required.instance
    names: Any = required.validator_value
    missing = [name for name in names if name not in value]
    known = required.schema.get("properties", {}) if isinstance(required.schema, Mapping) else {}
    return any(near.find(name, missing) for name in islice(value, _MAX_KEYS) if name not in known)


def _read_branch_kinds(error: ValidationError) -> list[str]:
    """Return the kinds that the branches allow, if the kind is the only mismatch in each of them."""
    if not all(inner.validator == "type" and not inner.relative_path for inner in error.context):
        return []
    return [inner.validator_value for inner in error.context if isinstance(inner.validator_value, str)]


def _explain_keyword(
    keyword: str, expected: Any, value: Any, path: ValuePath, schema: Any, near: NearWords
) -> Iterator[Mismatch]:
    """Yield the mismatches of one failed keyword: one for each missing or unknown key, otherwise one."""
    if keyword == "required":
        missing = (name for name in expected if name not in value)
        yield from (_explain_missing(name, path, schema) for name in islice(missing, _MAX_KEYS))
        return
    if keyword in ("additionalProperties", "unevaluatedProperties"):
        yield from _explain_unknown_keys(value, path, schema, near)
        return
    message = schema.get("x-message", "") if isinstance(schema, Mapping) else ""
    if keyword == "pattern" and message.startswith("must "):
        message = f"{_show(value)} {message}"
    message = message or _write_message(keyword, expected, value)
    yield Mismatch(keyword, path, message, _write_hint(keyword, expected, value, near), expected=expected)


def _name_kind(value: Any) -> str:
    return _KIND_NAMES[next((kind for types, kind in _KINDS if isinstance(value, types)), "object")]


def _explain_missing(name: str, path: ValuePath, schema: Any) -> Mismatch:
    known = schema.get("properties", {}).get(name, {}) if isinstance(schema, Mapping) else {}
    described = known.get("description", "") if isinstance(known, Mapping) else ""
    return Mismatch("required", (*path, name), f"{name!r} is missing", described, expected=known)


def _explain_unknown_keys(
    value: Mapping[str, Any], path: ValuePath, schema: Mapping[str, Any], words: NearWords
) -> Iterator[Mismatch]:
    known: Mapping[str, Any] = schema.get("properties", {})
    patterns = schema.get("patternProperties", {})
    unknown = (
        name for name in value if name not in known and not any(_has_prefix(pattern, name) for pattern in patterns)
    )
    for name in islice(unknown, _MAX_KEYS):
        near = words.find(name, known)
        hint = f"did you mean {near!r}?" if near else _list_keys(list(known))
        yield Mismatch("additionalProperties", (*path, name), f"unknown key {name!r}", hint, at_key=True, expected=near)


def _has_prefix(pattern: str, name: str) -> bool:
    return pattern.startswith("^") and name.startswith(pattern[1:])


def _write_message(keyword: str, expected: Any, value: Any) -> str:  # noqa: C901 -- one line per keyword
    match keyword:
        case "type":
            kinds: list[str] = list(dict.fromkeys(expected)) if isinstance(expected, list) else [expected]
            return f"expected {' or '.join(_KIND_NAMES.get(kind, kind) for kind in kinds)}, not {_name_kind(value)}"
        case "enum":
            more = ", ..." if len(expected) > _MAX_CHOICES else ""
            choices = ", ".join(map(_show, expected[:_MAX_CHOICES]))
            if isinstance(value, (list, dict)) and all(isinstance(word, str) for word in expected):
                return f"expected text, not {_name_kind(value)}: one of {choices}{more}"
            return f"{_show(value)} is not one of {choices}{more}"
        case "const":
            return f"must be {_show(expected)}, not {_show(value)}"
        case "pattern":
            return f"{_show(value)} does not match the pattern {expected}"
        case "minLength":
            return "must not be empty" if expected == 1 else f"must have at least {_count(expected, 'character')}"
        case "maxLength":
            return f"must have at most {_count(expected, 'character')}, not {len(value)}"
        case "minimum":
            return f"must be at least {expected}, not {_show(value)}"
        case "maximum":
            return f"must be at most {expected}, not {_show(value)}"
        case "exclusiveMinimum":
            return f"must be more than {expected}, not {_show(value)}"
        case "exclusiveMaximum":
            return f"must be less than {expected}, not {_show(value)}"
        case "minItems":
            return "must not be empty" if expected == 1 else f"must have at least {_count(expected, 'item')}"
        case "maxItems":
            return f"must have at most {_count(expected, 'item')}, not {len(value)}"
        case "minProperties":
            return "must not be empty" if expected == 1 else f"must have at least {_count(expected, 'key')}"
        case "maxProperties":
            return f"must have at most {_count(expected, 'key')}, not {len(value)}"
        case "uniqueItems":
            return "must not contain duplicate items"
        case "multipleOf":
            return f"must be a multiple of {expected}, not {_show(value)}"
        case "limit":
            return "cannot be checked: the value is too large for the schema"
        case "not":
            return "this value is not allowed here"
        case "dependentRequired":
            pairs = ((key, name) for key, names in expected.items() if key in value for name in names)
            missing = (f"{name!r} is required with {key!r}" for key, name in pairs if name not in value)
            return "; ".join(islice(missing, _MAX_KEYS))
        case "anyOf":
            return f"{_show(value)} does not match any of the allowed forms"
        case "oneOf":
            return f"{_show(value)} does not match exactly one of the allowed forms"
        case "false":
            return "no value is allowed here"
        case _:
            return f"does not meet the keyword {keyword!r} of the schema"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _write_hint(keyword: str, expected: Any, value: Any, words: NearWords) -> str:
    if keyword == "enum" and isinstance(value, str) and words.of_values:
        near = words.find(value, expected)
        return f"did you mean {near!r}?" if near else ""
    if keyword == "type" and expected == "string" and isinstance(value, (int, float)) and not isinstance(value, bool):
        return "write it in quotes"
    if keyword == "pattern" and expected.startswith(_POINTER) and isinstance(value, str):
        return f"write {'/' + value.replace('.', '/')!r}"
    if keyword == "type" and expected == "boolean" and isinstance(value, str) and value.lower() in ("true", "false"):
        return f"write {value.lower()} without quotes"
    return ""


def _list_keys(names: list[str]) -> str:
    return (
        f"the known keys are {', '.join(names[:_MAX_LISTED])}{', ...' if len(names) > _MAX_LISTED else ''}"
        if names
        else ""
    )


def _show(value: Any) -> str:
    if isinstance(value, str):
        text = repr(value[: _MAX_SHOWN + 1])
    else:
        text = ""
        for piece in _ENCODER.iterencode(value):
            text += piece
            if len(text) > _MAX_SHOWN:
                break
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 3] + "..."
