"""Validate values with a JSON Schema: compiled predicates first, `jsonschema` as fallback and to find mismatches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from promptpack.lazy import cached_property
from promptpack.schema.keywords import LIMIT, MAX_DEPTH, MAX_STEPS, build_validator_class, limit_steps
from promptpack.schema.mismatch import Mismatch
from promptpack.schema.predicates import FALLBACK_ERRORS, SubschemaPredicates, compile_all, compile_predicate, fall_back
from promptpack.schema.supported_keywords import SchemaFallbackError, StepLimitError

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

    from promptpack.schema.explain import NearWords

# Keywords whose errors are those of their subschemas.
_NESTING: Final = ("if", "then", "else", "allOf", "$ref", "dependentSchemas")
# Nobody reads more, and a list of a million wrong items would produce a million.
_MAX_ERRORS = 200
_MAX_KEYS = 50


class Schema:
    """An immutable schema with only local references; `parts` are schemas that accept the same values together."""

    def __init__(self, source: Mapping[str, Any], parts: Sequence[Schema] = ()) -> None:
        self.source = source
        self._parts = parts

    def check(self, value: Any) -> tuple[Mismatch, ...]:
        """Return the mismatches of a value; none if it is valid."""
        try:
            if self._predicate(value):
                return ()
        except FALLBACK_ERRORS:
            pass  # `jsonschema` decides
        return self.explain(value)

    def explain(self, value: Any) -> tuple[Mismatch, ...]:
        """Return the mismatches of a value as `jsonschema` finds them; predicates only skip what is valid."""
        if _is_too_deep(value):
            return (Mismatch("depth", (), f"is nested more than {MAX_DEPTH} levels deep"),)
        from referencing.exceptions import Unresolvable

        try:
            errors, limited = self.find_errors(value)
        except Unresolvable as error:
            return (Mismatch("$ref", (), f"the schema refers to {error.ref!r}, which does not exist"),)
        if not errors and limited is not None:
            return (Mismatch(LIMIT, limited, "takes too long to check"),)
        found = islice(explain_errors(errors), _MAX_ERRORS)
        return tuple(dict.fromkeys(sorted(found, key=lambda mismatch: [str(step) for step in mismatch.path])))

    def find_errors(self, value: Any) -> tuple[list[ValidationError], tuple[str, ...] | None]:
        """Return the first errors, and the path where a limit stopped the search, or None."""
        errors: list[ValidationError] = []
        steps = [MAX_STEPS]
        try:
            with limit_steps(self._make_is_valid(steps), steps):
                for error in islice(self._validator.iter_errors(value), _MAX_ERRORS):
                    errors.append(error)  # noqa: PERF402 -- keeps the errors before a limit
        except (StepLimitError, RecursionError) as error:
            return errors, error.args if isinstance(error, StepLimitError) else ()
        return errors, None

    def accepts(self, value: Any) -> bool:
        """Return whether a value is valid."""
        try:
            return self._predicate(value)
        except FALLBACK_ERRORS:
            return not self.explain(value)

    def warm(self) -> None:
        """Compile everything now that is otherwise compiled on first use."""
        for part in self._parts:
            part.warm()
        if not self._parts:
            compile_all(self._predicate)
        self._subschemas.warm()
        _ = self._validator

    @cached_property
    def _predicate(self) -> Callable[[Any], bool]:
        if not self._parts:
            return compile_predicate(self.source) or fall_back
        predicates = [part._predicate for part in self._parts]
        return lambda value: all(predicate(value) for predicate in predicates)

    def _make_is_valid(self, steps: list[int]) -> Callable[[Any, Any], bool]:
        def is_valid(subschema: Any, value: Any) -> bool:
            try:
                return self._subschemas.accept(subschema, value, steps)
            except SchemaFallbackError:
                return False

        return is_valid

    @cached_property
    def _subschemas(self) -> SubschemaPredicates:
        return SubschemaPredicates(self.source)

    @cached_property
    def _validator(self) -> Draft202012Validator:
        from referencing import Registry

        # An empty registry: a reference that is not local cannot reach the network or the disk.
        return build_validator_class()(dict(self.source), registry=Registry())


def compile(source: Mapping[str, Any], parts: Sequence[Schema] = ()) -> Schema:  # noqa: A001 -- the folder's verb
    """Return a `Schema` that validates values; it is compiled on first use, unless its `parts` are compiled already."""
    return Schema(source, parts)


def explain_errors(errors: Iterable[ValidationError]) -> Iterator[Mismatch]:
    """Yield the mismatches of `jsonschema` errors; for `anyOf` and `oneOf`, those of the most likely branch."""
    from promptpack.schema.explain import NearWords

    near = NearWords()
    return (mismatch for error in errors for mismatch in _explain_error(error, near))


def _explain_error(error: ValidationError, near: NearWords) -> Iterator[Mismatch]:
    from promptpack.schema.explain import explain

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
        yield from explain("type", kinds, error.instance, path, {}, near)
    else:
        rule = str(error.validator or "false")
        yield from explain(rule, error.validator_value, error.instance, path, error.schema, near)


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


def _is_too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for node in level
            if isinstance(node, (dict, list))
            for child in (node.values() if isinstance(node, dict) else node)
        ]
        if not level:
            return False
    return True
