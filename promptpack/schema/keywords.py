"""Own versions of keywords where `jsonschema` is slow, inexact or unbounded, and a limit on validation steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from promptpack.schema.equality import are_unique, equality_key, is_multiple
from promptpack.schema.patterns import PatternError, read_pattern
from promptpack.schema.supported_keywords import StepLimitError

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

    Errors = Iterator["ValidationError"]
    Keyword = Callable[[Any, Any, Any, Any], Any]
    IsValid = Callable[[Any, Any], bool]
    """Takes a subschema and a value; True means that the value is certainly valid and can be skipped."""


LIMIT: Final = "limit"
# The steps of `jsonschema`, which take about a hundred times as long.
MAX_EXPLANATION_STEPS: Final = 3_000
# So many names are looked up in the time of one step of `jsonschema`.
_NAMES_A_STEP: Final = 200

_REMAINING_STEPS: ContextVar[list[int]] = ContextVar("promptpack_schema_steps")
_PATTERN_STEPS: ContextVar[list[int]] = ContextVar("promptpack_schema_pattern_steps")
_IS_VALID: ContextVar[IsValid] = ContextVar("promptpack_schema_is_valid", default=lambda _, __: False)


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


def resolve(validator: Any, reference: str) -> Any:
    """Resolve a reference; `referencing` lets other errors through if the pointer continues below a non-schema."""
    from referencing.exceptions import Unresolvable

    try:
        return validator._resolver.lookup(reference)
    except (AttributeError, TypeError, ValueError) as error:
        raise Unresolvable(ref=reference) from error


def _reference(validator: Any, expected: str, instance: Any, _: Any) -> Errors:
    resolved = resolve(validator, expected)
    yield from validator.descend(instance, resolved.contents, resolver=resolved.resolver)


def _properties(validator: Any, expected: Mapping[str, Any], instance: Any, _: Any) -> Errors:
    if not isinstance(instance, dict):
        return
    is_valid = _IS_VALID.get()
    for name, schema in expected.items():
        if name in instance and not is_valid(schema, instance[name]):
            try:
                yield from _descend(validator, instance[name], schema, path=name, schema_path=name)
            except StepLimitError as error:
                raise StepLimitError(name) from error


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


def _property_names(validator: Any, expected: Any, instance: Any, _: Any) -> Errors:
    is_valid = _IS_VALID.get()
    for name in instance if isinstance(instance, dict) else ():
        errors = [] if is_valid(expected, name) else list(_descend(validator, name, expected))
        if errors:
            error = make_error("has a wrong key", context=errors)
            error.path.append(name)
            yield error


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
        found = equality_key(instance, steps)
        is_found = any(equality_key(choice, steps) == found for choice in expected)
    if not is_found:
        yield make_error("is another value")


def _pattern(_: Any, expected: str, instance: Any, __: Any) -> Errors:
    if isinstance(instance, str):
        try:
            found = read_pattern(expected).is_found_in(instance, _PATTERN_STEPS.get())
        except PatternError as error:
            yield make_error(str(error), LIMIT)
            return
        if not found:
            yield make_error(f"does not match {expected!r}")


def _pattern_properties(validator: Any, expected: Mapping[str, Any], instance: Any, _: Any) -> Errors:
    if not isinstance(instance, dict):
        return
    is_valid, steps = _IS_VALID.get(), _PATTERN_STEPS.get()
    for pattern, schema in expected.items():
        is_found_in = read_pattern(pattern).is_found_in
        try:
            found = [key for key in instance if is_found_in(key, steps)]
        except PatternError as error:
            yield make_error(str(error), LIMIT)
            return
        for key in found:
            if not is_valid(schema, instance[key]):
                yield from _descend(validator, instance[key], schema, path=key, schema_path=pattern)


def _additional_properties(validator: Any, expected: Any, instance: Any, schema: Mapping[str, Any]) -> Errors:
    if not isinstance(instance, dict):
        return
    known = schema.get("properties", {})
    is_matched = match_any(schema.get("patternProperties", ()))
    extras = (key for key in instance if key not in known and not is_matched(key))
    try:
        if isinstance(expected, Mapping):
            is_valid = _IS_VALID.get()
            for key in extras:
                if not is_valid(expected, instance[key]):
                    yield from _descend(validator, instance[key], expected, path=key)
        elif not expected and any(True for _ in extras):
            yield make_error("has keys that are not allowed")
    except PatternError as error:
        yield make_error(str(error), LIMIT)


def match_any(patterns: Iterable[str]) -> Callable[[str], bool]:
    """Return a test whether one of the patterns matches anywhere in a text; it may raise `PatternError`."""
    steps = _PATTERN_STEPS.get()
    found = [read_pattern(pattern).is_found_in for pattern in patterns]
    return lambda text: any(is_found_in(text, steps) for is_found_in in found)


def has_no_error(validator: Any, instance: Any, schema: Any) -> bool:
    """Return whether a value is valid for a subschema."""
    return next(_descend(validator, instance, schema), None) is None


def _unique_items(_: Any, expected: Any, instance: Any, __: Any) -> Errors:
    if expected and isinstance(instance, list) and not are_unique(instance, _PATTERN_STEPS.get()):
        yield make_error("has equal items")


def _multiple_of(_: Any, expected: Any, instance: Any, __: Any) -> Errors:
    if isinstance(instance, bool) or not isinstance(instance, (int, float)):
        return
    if not is_multiple(instance, expected, _PATTERN_STEPS.get()):
        yield make_error(f"is not a multiple of {expected}")


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
    "required": (dict, _has_all),
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
    "propertyNames": _property_names,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "uniqueItems": _unique_items,
    "multipleOf": _multiple_of,
}
