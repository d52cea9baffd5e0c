"""Validate values with a JSON Schema: compiled predicates first, `jsonschema` as fallback and to find mismatches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from promptpack.lazy import cached_property
from promptpack.schema.predicates import FALLBACK_ERRORS, SubschemaPredicates, compile_all, compile_predicate, fall_back
from promptpack.schema.supported_keywords import MAX_DEPTH, MAX_STEPS, SchemaFallbackError, StepLimitError

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

    from promptpack.schema.explain import NearWords
    from promptpack.schema.pointers import Mismatch
    from promptpack.schema.predicates import Predicate

# A list of a million wrong items would otherwise produce a million mismatches.
_MAX_ERRORS = 200


SchemaSource = Mapping[str, Any] | Callable[[], Mapping[str, Any]]


class Schema:
    """An immutable schema with only local references; a function as `source` is called when the source is needed.

    `accepts` decides in place of the predicate of the whole schema, as `jsonschema` does or with `FALLBACK_ERRORS`.
    """

    def __init__(self, source: SchemaSource, accepts: Callable[[Any], bool] | None = None) -> None:
        self._given = source
        self._accepts = accepts

    @cached_property
    def source(self) -> Mapping[str, Any]:
        """The JSON Schema."""
        return self._given() if callable(self._given) else self._given

    def check(self, value: Any) -> tuple[Mismatch, ...]:
        """Return the mismatches of a value; none if it is valid."""
        try:
            if self.predicate(value):
                return ()
        except FALLBACK_ERRORS:
            pass  # `jsonschema` decides
        return self.explain(value)

    def explain(self, value: Any, near: NearWords | None = None) -> tuple[Mismatch, ...]:
        """Return the mismatches of a value as `jsonschema` finds them; predicates only skip what is valid."""
        from promptpack.schema.explain import NearWords, explain_errors
        from promptpack.schema.keywords import LIMIT
        from promptpack.schema.pointers import Mismatch

        if _is_too_deep(value):
            return (Mismatch("depth", (), f"is nested more than {MAX_DEPTH} levels deep"),)
        from referencing.exceptions import Unresolvable

        try:
            errors, limited = self.find_errors(value)
        except Unresolvable as error:
            return (Mismatch("$ref", (), f"the schema refers to {error.ref!r}, which does not exist"),)
        if not errors and limited is not None:
            return (Mismatch(LIMIT, limited, "takes too long to check"),)
        found = islice(explain_errors(errors, near or NearWords()), _MAX_ERRORS)
        return tuple(dict.fromkeys(sorted(found, key=lambda mismatch: [str(step) for step in mismatch.path])))

    def find_errors(self, value: Any) -> tuple[list[ValidationError], tuple[str, ...] | None]:
        """Return the first errors, and the path where a limit stopped the search, or None."""
        from promptpack.schema.keywords import limit_steps

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
            return self.predicate(value)
        except FALLBACK_ERRORS:
            return not self.explain(value)

    def accepts_part(self, value: Any, depth: int) -> bool:
        """Return whether a value is valid that is this deep inside another one; may raise `FALLBACK_ERRORS`."""
        return self._subschemas.find(self.source)(value, [MAX_STEPS], depth)

    @cached_property
    def definitions(self) -> Mapping[str, Predicate]:
        """The predicates of the schemas in `$defs`, which may raise `FALLBACK_ERRORS`."""
        return {name: self._subschemas.find(part) for name, part in self.source.get("$defs", {}).items()}

    def warm(self) -> None:
        """Compile everything now that is otherwise compiled on first use."""
        if self._accepts is None:
            compile_all(self.predicate)
        self._subschemas.warm()
        _ = self._validator

    @cached_property
    def predicate(self) -> Callable[[Any], bool]:
        """Returns whether a value is valid; may raise `FALLBACK_ERRORS`."""
        return self._accepts or compile_predicate(self.source) or fall_back

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

        from promptpack.schema.keywords import build_validator_class

        # An empty registry: a reference that is not local cannot reach the network or the disk.
        return build_validator_class()(dict(self.source), registry=Registry())


def compile(source: SchemaSource, accepts: Callable[[Any], bool] | None = None) -> Schema:  # noqa: A001 -- the folder's verb
    """Return a `Schema` that validates values; it is compiled on first use."""
    return Schema(source, accepts)


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
