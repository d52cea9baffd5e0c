"""Own versions of keywords where `jsonschema` is slow, inexact or unbounded, and a limit on validation steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
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
# A normal value takes a few steps per node; recursive branches could take exponentially many.
MAX_STEPS: Final = 200_000
_MAX_KEY_LENGTH: Final = 256
# Tags constants that equal only themselves: in Python, `True == 1`.
_CONSTANT: Final = object()

_REMAINING_STEPS: ContextVar[list[int] | None] = ContextVar("promptpack_schema_steps", default=None)
_IS_VALID: ContextVar[IsValid] = ContextVar("promptpack_schema_is_valid", default=lambda _, __: False)


class StepLimitError(Exception):
    """Validating a value takes more than `MAX_STEPS` steps."""


@contextmanager
def limit_steps(is_valid: IsValid) -> Iterator[None]:
    """Limit the steps of a validation in this context, and skip values for which `is_valid` returns True."""
    steps_token, is_valid_token = _REMAINING_STEPS.set([MAX_STEPS]), _IS_VALID.set(is_valid)
    try:
        yield
    finally:
        _REMAINING_STEPS.reset(steps_token)
        _IS_VALID.reset(is_valid_token)


@cache
def build_validator_class() -> type[Draft202012Validator]:
    """Return the draft 2020-12 validator class with these keywords, built on first use."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    keywords = {**Draft202012Validator.VALIDATORS, **_OWN_KEYWORDS}
    original: Keyword = Draft202012Validator.VALIDATORS["unevaluatedProperties"]
    keywords["unevaluatedProperties"] = _reject_long_keys(original)
    counted = {name: _count(keyword) for name, keyword in keywords.items()}
    extended: type[Draft202012Validator] = extend(Draft202012Validator, counted)  # type: ignore[no-untyped-call]
    return extended


def _count(keyword: Keyword) -> Keyword:
    def counted(validator: Any, expected: Any, instance: Any, schema: Any) -> Any:
        remaining = _REMAINING_STEPS.get()
        if remaining is not None:
            remaining[0] -= 1
            if remaining[0] < 0:
                raise StepLimitError
        return keyword(validator, expected, instance, schema)

    return counted


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
            yield from validator.descend(instance[name], schema, path=name, schema_path=name)


def _items(validator: Any, expected: Any, instance: Any, schema: Mapping[str, Any]) -> Errors:
    if not isinstance(instance, list):
        return
    prefix = len(schema.get("prefixItems", ()))
    if expected is False and len(instance) > prefix:
        yield _error("has too many items")
        return
    is_valid = _IS_VALID.get()
    for index, item in enumerate(instance[prefix:], prefix):
        if not is_valid(expected, item):
            yield from validator.descend(item, expected, path=index)


def _all_of(validator: Any, expected: list[Any], instance: Any, _: Any) -> Errors:
    is_valid = _IS_VALID.get()
    for index, schema in enumerate(expected):
        if not is_valid(schema, instance):
            yield from validator.descend(instance, schema, schema_path=index)


def _pattern(_: Any, expected: str, instance: Any, __: Any) -> Errors:
    if isinstance(instance, str):
        try:
            found = read_pattern(expected).is_found_in(instance)
        except PatternError as error:
            yield _error(str(error), LIMIT)
            return
        if not found:
            yield _error(f"does not match {expected!r}")


def _pattern_properties(validator: Any, expected: Mapping[str, Any], instance: Any, _: Any) -> Errors:
    if not isinstance(instance, dict):
        return
    for pattern, schema in expected.items():
        for key, value in instance.items():
            try:
                found = read_pattern(pattern).is_found_in(key)
            except PatternError as error:
                yield _error(str(error), LIMIT)
                return
            if found:
                yield from validator.descend(value, schema, path=key, schema_path=pattern)


def _additional_properties(validator: Any, expected: Any, instance: Any, schema: Mapping[str, Any]) -> Errors:
    if not isinstance(instance, dict):
        return
    try:
        extras = list(_extras(instance, schema))
    except PatternError as error:
        yield _error(str(error), LIMIT)
        return
    if isinstance(expected, Mapping):
        for key in extras:
            yield from validator.descend(instance[key], expected, path=key)
    elif not expected and extras:
        yield _error("has keys that are not allowed")


def _extras(instance: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[str]:
    known = schema.get("properties", {})
    patterns = [read_pattern(pattern) for pattern in schema.get("patternProperties", ())]
    for key in instance:
        if key not in known and not any(pattern.is_found_in(key) for pattern in patterns):
            yield key


def _reject_long_keys(keyword: Keyword) -> Keyword:
    """Keep long keys away from `jsonschema`, which searches them with its own, unbounded patterns."""

    def unevaluated_properties(validator: Any, expected: Any, instance: Any, schema: Any) -> Errors:
        if isinstance(instance, dict) and any(len(key) > _MAX_KEY_LENGTH for key in instance):
            yield _error(f"a key is longer than {_MAX_KEY_LENGTH} characters", LIMIT)
            return
        yield from keyword(validator, expected, instance, schema) or ()

    return unevaluated_properties


def _unique_items(_: Any, expected: Any, instance: Any, __: Any) -> Errors:
    if expected and isinstance(instance, list) and len({fingerprint(item) for item in instance}) < len(instance):
        yield _error("has equal items")


def fingerprint(value: Any) -> Any:
    """Return a hashable value; two are equal exactly if JSON Schema treats the originals as equal."""
    match value:
        case bool() | None:
            return (_CONSTANT, value)
        case int() | float() | str():
            return value
        case list():
            return tuple(fingerprint(item) for item in value)
        case _:
            return frozenset((key, fingerprint(item)) for key, item in value.items())


def _multiple_of(_: Any, expected: Any, instance: Any, __: Any) -> Errors:
    if isinstance(instance, bool) or not isinstance(instance, (int, float)):
        return
    if not is_multiple(instance, expected):
        yield _error(f"is not a multiple of {expected}")


def is_multiple(number: float, factor: float) -> bool:
    """Return whether a number is a decimal multiple of another; infinity and NaN always pass."""
    if isinstance(number, float) and not math.isfinite(number):
        return True
    return (_to_fraction(number) / _to_fraction(factor)).denominator == 1


def _to_fraction(number: float) -> Fraction:
    """Return the decimal value as written, not the binary one: 4.35 is a multiple of 0.01."""
    from fractions import Fraction

    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


def _error(message: str, keyword: str | None = None) -> ValidationError:
    from jsonschema.exceptions import ValidationError

    return ValidationError(message, validator=keyword) if keyword else ValidationError(message)


_OWN_KEYWORDS: Final[Mapping[str, Keyword]] = {
    "$ref": _reference,
    "allOf": _all_of,
    "items": _items,
    "properties": _properties,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "uniqueItems": _unique_items,
    "multipleOf": _multiple_of,
}
