"""Own versions of keywords where `jsonschema` is slow, inexact or unbounded, and a limit on validation steps."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from promptpack.schema.patterns import PatternError, read_pattern

if TYPE_CHECKING:
    from fractions import Fraction

    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

    Errors = Iterator["ValidationError"]
    Keyword = Callable[[Any, Any, Any, Any], Any]
    IsValid = Callable[[Any, Any], bool]
    """Takes a subschema and a value; True means that the value is certainly valid and can be skipped."""


LIMIT: Final = "limit"
MAX_DEPTH: Final = 100
# The steps of predicates: a normal value takes a few per node; recursive branches could take exponentially many.
MAX_STEPS: Final = 400_000
# The steps of `jsonschema`, which take about a hundred times as long.
MAX_EXPLANATION_STEPS: Final = 5_000
# Tags keys that equal no text and no number: in Python, `True == 1`.
_TAG: Final = object()
# Python hashes two integers alike if they differ by this prime, so a list of its multiples would fill one bucket.
_HASH_MODULUS: Final = (1 << 61) - 1
# So many names are looked up in the time of one step of `jsonschema`.
_NAMES_A_STEP: Final = 200
# The steps of a division of fractions.
_STEPS_OF_A_DIVISION: Final = 40
# A number with a fraction or an exponent, or a text that looks like one.
_MAYBE_FLOAT: Final = re.compile("[0-9][.eE]")
_ENCODER: Final = json.JSONEncoder(sort_keys=True)
# So many characters are written in one step.
_CHARACTERS_A_STEP: Final = 16
_NORMALIZED_CHARACTERS_A_STEP: Final = 4

_REMAINING_STEPS: ContextVar[list[int]] = ContextVar("promptpack_schema_steps")
_PATTERN_STEPS: ContextVar[list[int]] = ContextVar("promptpack_schema_pattern_steps")
_IS_VALID: ContextVar[IsValid] = ContextVar("promptpack_schema_is_valid", default=lambda _, __: False)


class StepLimitError(Exception):
    """Validating a value takes too many steps."""


@contextmanager
def limit_steps(is_valid: IsValid, pattern_steps: list[int]) -> Iterator[None]:
    """Limit the steps of a validation in this context, and skip values for which `is_valid` returns True."""
    tokens = (
        (_REMAINING_STEPS, _REMAINING_STEPS.set([MAX_EXPLANATION_STEPS])),
        (_IS_VALID, _IS_VALID.set(is_valid)),
        (_PATTERN_STEPS, _PATTERN_STEPS.set(pattern_steps)),
    )
    try:
        yield
    finally:
        for variable, token in tokens:
            variable.reset(token)  # type: ignore[arg-type]  # each has its own token


@cache
def build_validator_class() -> type[Draft202012Validator]:
    """Return the draft 2020-12 validator class with these keywords, built on first use."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    from promptpack.schema.unevaluated import unevaluated_items, unevaluated_properties

    own = {**_OWN_KEYWORDS, "unevaluatedItems": unevaluated_items, "unevaluatedProperties": unevaluated_properties}
    keywords = {**Draft202012Validator.VALIDATORS, **own}
    counted = {name: _count(keyword) for name, keyword in keywords.items()}
    extended: type[Draft202012Validator] = extend(Draft202012Validator, counted)  # type: ignore[no-untyped-call]
    return extended


def _count(keyword: Keyword) -> Keyword:
    def counted(validator: Any, expected: Any, instance: Any, schema: Any) -> Any:
        count_step()
        return keyword(validator, expected, instance, schema)

    return counted


def count_step(names: int = 0) -> None:
    """Subtract a step from the remaining ones, and more for looking up many names, or raise `StepLimitError`."""
    remaining = _REMAINING_STEPS.get()
    remaining[0] -= 1 + names // _NAMES_A_STEP
    if remaining[0] < 0:
        raise StepLimitError


def _descend(validator: Any, instance: Any, schema: Any, **steps: Any) -> Errors:
    """Find the errors of a subschema; the message of `jsonschema` for `false` would show the whole value."""
    if schema is False:
        error = make_error("is not allowed", "false")
        error.path.extend([steps["path"]] if "path" in steps else [])
        error.schema_path.extend([steps["schema_path"]] if "schema_path" in steps else [])
        yield error
        return
    yield from validator.descend(instance, schema, **steps)


def _reference(validator: Any, expected: str, instance: Any, _: Any) -> Errors:
    from referencing.exceptions import Unresolvable

    try:
        errors = validator._validate_reference(ref=expected, instance=instance)
    except TypeError as error:  # the pointer continues into something that is not a mapping
        raise Unresolvable(ref=expected) from error
    yield from errors


def _properties(validator: Any, expected: Mapping[str, Any], instance: Any, _: Any) -> Errors:
    if not isinstance(instance, dict):
        return
    is_valid = _IS_VALID.get()
    for name, schema in expected.items():
        if name in instance and not is_valid(schema, instance[name]):
            yield from _descend(validator, instance[name], schema, path=name, schema_path=name)


def _items(validator: Any, expected: Any, instance: Any, schema: Mapping[str, Any]) -> Errors:
    if not isinstance(instance, list):
        return
    prefix = len(schema.get("prefixItems", ()))
    if expected is False and len(instance) > prefix:
        yield make_error("has too many items")
        return
    is_valid = _IS_VALID.get()
    for index, item in enumerate(instance[prefix:], prefix):
        if not is_valid(expected, item):
            yield from _descend(validator, item, expected, path=index)


def _all_of(validator: Any, expected: list[Any], instance: Any, _: Any) -> Errors:
    is_valid = _IS_VALID.get()
    for index, schema in enumerate(expected):
        if not is_valid(schema, instance):
            yield from _descend(validator, instance, schema, schema_path=index)


def _any_of(validator: Any, expected: list[Any], instance: Any, _: Any) -> Errors:
    errors: list[ValidationError] = []
    for index, schema in enumerate(expected):
        found = list(_descend(validator, instance, schema, schema_path=index))
        if not found:
            return
        errors += found
    yield make_error("matches none", context=errors)


def _one_of(validator: Any, expected: list[Any], instance: Any, _: Any) -> Errors:
    branches = [list(_descend(validator, instance, schema, schema_path=index)) for index, schema in enumerate(expected)]
    matching = branches.count([])
    if matching != 1:
        yield make_error(
            "matches none or several", context=[] if matching else [one for found in branches for one in found]
        )


def _not(validator: Any, expected: Any, instance: Any, _: Any) -> Errors:
    if has_no_error(validator, instance, expected):
        yield make_error("is not allowed")


def _if(validator: Any, expected: Any, instance: Any, schema: Mapping[str, Any]) -> Errors:
    branch = "then" if has_no_error(validator, instance, expected) else "else"
    if branch in schema:
        yield from _descend(validator, instance, schema[branch], schema_path=branch)


def _dependent_schemas(validator: Any, expected: Mapping[str, Any], instance: Any, _: Any) -> Errors:
    for name, schema in expected.items() if isinstance(instance, dict) else ():
        if name in instance:
            yield from _descend(validator, instance, schema, schema_path=name)


def _contains(validator: Any, expected: Any, instance: Any, schema: Mapping[str, Any]) -> Errors:
    if isinstance(instance, list):
        matching = sum(has_no_error(validator, item, expected) for item in instance)
        if matching < schema.get("minContains", 1):
            yield make_error("contains too few")
        elif matching > schema.get("maxContains", matching):
            yield make_error("contains too many", "maxContains")


def _test(keyword: str) -> Keyword:
    """Return a keyword that only tests a value; the message of `jsonschema` would show the whole value."""
    types, passes = _TESTS[keyword]

    def tested(_: Any, expected: Any, instance: Any, __: Any) -> Errors:
        if isinstance(instance, types) and not isinstance(instance, bool) and not passes(instance, expected):
            yield make_error(f"fails {keyword}")

    return tested


def _has_all(value: Mapping[str, Any], names: list[str]) -> bool:
    count_step(len(names))
    return all(name in value for name in names)


def _type(validator: Any, expected: Any, instance: Any, _: Any) -> Errors:
    kinds = [expected] if isinstance(expected, str) else expected
    if not any(validator.is_type(instance, kind) for kind in kinds):
        yield make_error("has another type")


def _enum(_: Any, expected: list[Any], instance: Any, __: Any) -> Errors:
    if isinstance(instance, str):
        is_found = instance in expected
    else:
        count_step(len(expected))
        steps = _PATTERN_STEPS.get()
        found = fingerprint(instance, steps)
        is_found = any(fingerprint(choice, steps) == found for choice in expected)
    if not is_found:
        yield make_error("is another value")


def _pattern(_: Any, expected: str, instance: Any, __: Any) -> Errors:
    if isinstance(instance, str):
        try:
            found = matches_any(instance, [expected])
        except PatternError as error:
            yield make_error(str(error), LIMIT)
            return
        if not found:
            yield make_error(f"does not match {expected!r}")


def _pattern_properties(validator: Any, expected: Mapping[str, Any], instance: Any, _: Any) -> Errors:
    if not isinstance(instance, dict):
        return
    for pattern, schema in expected.items():
        for key, value in instance.items():
            try:
                found = matches_any(key, [pattern])
            except PatternError as error:
                yield make_error(str(error), LIMIT)
                return
            if found:
                yield from _descend(validator, value, schema, path=key, schema_path=pattern)


def _additional_properties(validator: Any, expected: Any, instance: Any, schema: Mapping[str, Any]) -> Errors:
    if not isinstance(instance, dict):
        return
    try:
        extras = list(_extras(instance, schema))
    except PatternError as error:
        yield make_error(str(error), LIMIT)
        return
    if isinstance(expected, Mapping):
        for key in extras:
            yield from _descend(validator, instance[key], expected, path=key)
    elif not expected and extras:
        yield make_error("has keys that are not allowed")


def _extras(instance: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[str]:
    known = schema.get("properties", {})
    patterns = schema.get("patternProperties", ())
    return (key for key in instance if key not in known and not matches_any(key, patterns))


def matches_any(text: str, patterns: Iterable[str]) -> bool:
    """Return whether one of the patterns matches anywhere in a text; raise `PatternError` if that takes too long."""
    steps = _PATTERN_STEPS.get()
    return any(read_pattern(pattern).is_found_in(text, steps) for pattern in patterns)


def has_no_error(validator: Any, instance: Any, schema: Any) -> bool:
    """Return whether a value is valid for a subschema."""
    return next(_descend(validator, instance, schema), None) is None


def _unique_items(_: Any, expected: Any, instance: Any, __: Any) -> Errors:
    if expected and isinstance(instance, list) and not are_unique(instance, _PATTERN_STEPS.get()):
        yield make_error("has equal items")


def are_unique(values: list[Any], steps: list[int]) -> bool:
    """Return whether no two items are equal in JSON Schema, and subtract the work from the remaining steps."""
    steps[0] -= len(values)
    return len({fingerprint(value, steps) for value in values}) == len(values)


def fingerprint(value: Any, steps: list[int]) -> Any:
    """Return a hashable value; two are equal exactly if JSON Schema treats the originals as equal.

    No input can choose the hashes of many of them: numbers below the modulus have their own, and those of texts are
    random.
    """
    match value:
        case str():
            return value
        case bool() | None:
            return (_TAG, value)
        case int() | float():
            return number_key(value)
    text = _ENCODER.encode(value)
    steps[0] -= len(text) // _CHARACTERS_A_STEP
    if _MAYBE_FLOAT.search(text):
        steps[0] -= len(text) // _NORMALIZED_CHARACTERS_A_STEP
        text = _ENCODER.encode(_normalize(value))
    if steps[0] < 0:
        raise StepLimitError
    return (_TAG, text)


def number_key(number: float) -> Any:
    """Return a key that equals those of equal numbers; no input can choose the hashes of many of them."""
    # Smaller numbers, infinity and NaN have hashes of their own, or share them with few others.
    if _HASH_MODULUS <= abs(number) < math.inf:
        return (_TAG, hex(int(number)))
    return number


def _normalize(value: Any) -> Any:
    """Write whole numbers as integers, because JSON Schema treats 1.0 and 1 as equal."""
    match value:
        case float():
            return int(value) if value.is_integer() else value
        case list():
            return [_normalize(item) for item in value]
        case dict():
            return {key: _normalize(item) for key, item in value.items()}
        case _:
            return value


def _multiple_of(_: Any, expected: Any, instance: Any, __: Any) -> Errors:
    if isinstance(instance, bool) or not isinstance(instance, (int, float)):
        return
    if not is_multiple(instance, expected, _PATTERN_STEPS.get()):
        yield make_error(f"is not a multiple of {expected}")


def is_multiple(number: float, factor: float, steps: list[int]) -> bool:
    """Return whether a number is a decimal multiple of another; infinity and NaN always pass."""
    if isinstance(number, int) and isinstance(factor, int):
        return number % factor == 0
    if isinstance(number, float) and not math.isfinite(number):
        return True
    steps[0] -= _STEPS_OF_A_DIVISION
    if steps[0] < 0:
        raise StepLimitError
    return (_to_fraction(number) / _to_fraction(factor)).denominator == 1


def _to_fraction(number: float) -> Fraction:
    """Return the decimal value as written, not the binary one: 4.35 is a multiple of 0.01."""
    from fractions import Fraction

    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


def make_error(message: str, keyword: str | None = None, context: Iterable[ValidationError] = ()) -> ValidationError:
    """Return an error of `jsonschema`, which adds the path and the keyword."""
    from jsonschema.exceptions import ValidationError

    details = {"validator": keyword} if keyword else {}
    return ValidationError(message, context=context, **details)  # type: ignore[arg-type]  # only a keyword


_NUMBER: Final = (int, float)
_TESTS: Final[Mapping[str, tuple[Any, Callable[[Any, Any], bool]]]] = {
    "maximum": (_NUMBER, lambda value, expected: not value > expected),
    "minimum": (_NUMBER, lambda value, expected: not value < expected),
    "exclusiveMaximum": (_NUMBER, lambda value, expected: not value >= expected),
    "exclusiveMinimum": (_NUMBER, lambda value, expected: not value <= expected),
    "maxItems": (list, lambda value, expected: len(value) <= expected),
    "minItems": (list, lambda value, expected: len(value) >= expected),
    "maxLength": (str, lambda value, expected: len(value) <= expected),
    "minLength": (str, lambda value, expected: len(value) >= expected),
    "maxProperties": (dict, lambda value, expected: len(value) <= expected),
    "minProperties": (dict, lambda value, expected: len(value) >= expected),
    "required": (dict, lambda value, expected: _has_all(value, expected)),
    "dependentRequired": (
        dict,
        lambda value, expected: all(_has_all(value, names) for key, names in expected.items() if key in value),
    ),
}
_OWN_KEYWORDS: Final[Mapping[str, Keyword]] = {
    **{keyword: _test(keyword) for keyword in _TESTS},
    "$ref": _reference,
    "allOf": _all_of,
    "anyOf": _any_of,
    "const": lambda validator, expected, instance, schema: _enum(validator, [expected], instance, schema),
    "contains": _contains,
    "dependentSchemas": _dependent_schemas,
    "enum": _enum,
    "if": _if,
    "not": _not,
    "oneOf": _one_of,
    "type": _type,
    "items": _items,
    "properties": _properties,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "uniqueItems": _unique_items,
    "multipleOf": _multiple_of,
}
