"""The keywords of JSON Schema where `jsonschema` would be slow, inexact or unbounded, and a count of all the work."""

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
    Known = Callable[[Any, Any], bool]
    """Says of a part of the schema and a value whether nothing can be wrong there."""


LIMIT: Final = "limit"
DEEPEST: Final = 100
# An honest value takes a few for each of its parts; where branches refer to themselves, it would be without end.
MOST_STEPS: Final = 200_000
_LONGEST_KEY: Final = 256
# Marks what equals nothing but itself: to Python, `True == 1`.
_FIXED: Final = object()

_LEFT: ContextVar[list[int] | None] = ContextVar("promptpack_schema_steps", default=None)
_KNOWN: ContextVar[Known] = ContextVar("promptpack_schema_known", default=lambda _, __: False)


class FallbackError(Exception):
    """The compiled test cannot decide; `jsonschema` does."""


class TooMuchWorkError(Exception):
    """Checking a value takes more steps than there are."""


@contextmanager
def counted(is_right: Known) -> Iterator[None]:
    """Count the steps of a check inside, and leave out what is known to be right."""
    left, known = _LEFT.set([MOST_STEPS]), _KNOWN.set(is_right)
    try:
        yield
    finally:
        _LEFT.reset(left)
        _KNOWN.reset(known)


@cache
def validator_class() -> type[Draft202012Validator]:
    """Give the validator of draft 2020-12 with these keywords, made on first use."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    keywords = {**Draft202012Validator.VALIDATORS, **_OWN}
    original: Keyword = Draft202012Validator.VALIDATORS["unevaluatedProperties"]
    keywords["unevaluatedProperties"] = _with_short_keys(original)
    counting = {name: _counting(keyword) for name, keyword in keywords.items()}
    made: type[Draft202012Validator] = extend(Draft202012Validator, counting)  # type: ignore[no-untyped-call]
    return made


def _counting(keyword: Keyword) -> Keyword:
    def counting(validator: Any, expected: Any, instance: Any, schema: Any) -> Any:
        left = _LEFT.get()
        if left is not None:
            left[0] -= 1
            if left[0] < 0:
                raise TooMuchWorkError
        return keyword(validator, expected, instance, schema)

    return counting


def _reference(validator: Any, expected: str, instance: Any, _: Any) -> Errors:
    from referencing.exceptions import Unresolvable

    try:
        errors = validator._validate_reference(ref=expected, instance=instance)
    except TypeError as error:  # the pointer goes on where the schema holds no mapping
        raise Unresolvable(ref=expected) from error
    yield from errors


def _properties(validator: Any, expected: Mapping[str, Any], instance: Any, _: Any) -> Errors:
    if not isinstance(instance, dict):
        return
    is_right = _KNOWN.get()
    for name, schema in expected.items():
        if name in instance and not is_right(schema, instance[name]):
            yield from validator.descend(instance[name], schema, path=name, schema_path=name)


def _items(validator: Any, expected: Any, instance: Any, schema: Mapping[str, Any]) -> Errors:
    if not isinstance(instance, list):
        return
    prefix = len(schema.get("prefixItems", ()))
    if expected is False and len(instance) > prefix:
        yield _error("has more items than are allowed")
        return
    is_right = _KNOWN.get()
    for index, item in enumerate(instance[prefix:], prefix):
        if not is_right(expected, item):
            yield from validator.descend(item, expected, path=index)


def _all_of(validator: Any, expected: list[Any], instance: Any, _: Any) -> Errors:
    is_right = _KNOWN.get()
    for index, schema in enumerate(expected):
        if not is_right(schema, instance):
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


def _with_short_keys(keyword: Keyword) -> Keyword:
    """Keep long keys from `jsonschema`, which searches them for patterns by itself."""

    def unevaluated_properties(validator: Any, expected: Any, instance: Any, schema: Any) -> Errors:
        if isinstance(instance, dict) and any(len(key) > _LONGEST_KEY for key in instance):
            yield _error(f"a key is longer than {_LONGEST_KEY} characters", LIMIT)
            return
        yield from keyword(validator, expected, instance, schema) or ()

    return unevaluated_properties


def _unique_items(_: Any, expected: Any, instance: Any, __: Any) -> Errors:
    if expected and isinstance(instance, list) and len({form(item) for item in instance}) < len(instance):
        yield _error("has items that are the same")


def form(value: Any) -> Any:
    """Give a value that equals another's when JSON Schema takes the two for the same."""
    match value:
        case bool() | None:
            return (_FIXED, value)
        case int() | float() | str():
            return value
        case list():
            return tuple(form(item) for item in value)
        case _:
            return frozenset((key, form(item)) for key, item in value.items())


def _multiple_of(_: Any, expected: Any, instance: Any, __: Any) -> Errors:
    if isinstance(instance, bool) or not isinstance(instance, (int, float)):
        return
    if not is_multiple(instance, expected):
        yield _error(f"is not a multiple of {expected}")


def is_multiple(number: float, factor: float) -> bool:
    """Say whether a number is a multiple of another, both as they are written; one without end is not asked."""
    if isinstance(number, float) and not math.isfinite(number):
        return True
    return (_written(number) / _written(factor)).denominator == 1


def _written(number: float) -> Fraction:
    """Take a number as it is written: 4.35 is a multiple of 0.01, whatever its nearest binary fraction is."""
    from fractions import Fraction

    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


def _error(message: str, keyword: str | None = None) -> ValidationError:
    from jsonschema.exceptions import ValidationError

    return ValidationError(message, validator=keyword) if keyword else ValidationError(message)


_OWN: Final[Mapping[str, Keyword]] = {
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
