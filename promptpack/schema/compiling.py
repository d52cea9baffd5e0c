"""A JSON Schema made ready to check values; `jsonschema` decides where quick tests do not, our words explain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from promptpack.lazy import cached_property
from promptpack.schema.everyday import UndecidedError
from promptpack.schema.keywords import DEEPEST, LIMIT, MOST_STEPS, TooMuchWorkError, counted, validator_class
from promptpack.schema.mismatch import Mismatch
from promptpack.schema.quick import UNDECIDED, Parts, make_test

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

    from promptpack.schema.quick import Function

# Nobody reads more, and a list of a million wrong items would need a million.
_MOST_ERRORS = 200


class Schema:
    """A schema whose references are all local; immutable."""

    def __init__(self, read: Callable[[], Mapping[str, Any]], test: Function | None = None) -> None:
        self._read = read
        self._ready = test

    @cached_property
    def source(self) -> Mapping[str, Any]:
        """The schema itself, read when it is first looked at."""
        return self._read()

    def check(self, value: Any) -> tuple[Mismatch, ...]:
        """Find everything wrong with a value; nothing found means it is valid."""
        try:
            if self._test(value):
                return ()
        except UNDECIDED:
            pass  # the reference decides
        return self.explain(value)

    def explain(self, value: Any) -> tuple[Mismatch, ...]:
        """Find everything wrong with a value by the reference, which is `jsonschema`, where a quick test fails."""
        if _too_deep(value):
            return (Mismatch("depth", (), f"nests deeper than {DEEPEST} levels"),)
        from referencing.exceptions import Unresolvable

        try:
            with counted(self._known_parts()):
                errors = list(islice(self._validator.iter_errors(value), _MOST_ERRORS))
        except (TooMuchWorkError, RecursionError):
            return (Mismatch(LIMIT, (), "takes too long to check"),)
        except Unresolvable as error:
            return (Mismatch("$ref", (), f"the schema refers to {error.ref!r}, which is not in it"),)
        found = [finding for error in errors for finding in explain_error(error)]
        return tuple(dict.fromkeys(sorted(found, key=lambda finding: [str(step) for step in finding.path])))

    def accepts(self, value: Any) -> bool:
        """Say only whether a value is valid."""
        try:
            return self._test(value)
        except UNDECIDED:
            return not self.explain(value)

    @cached_property
    def _test(self) -> Callable[[Any], bool]:
        ready = self._ready
        if ready is not None:
            return lambda value: ready(value, [MOST_STEPS], 0)
        return make_test(self.source) or _leave_undecided

    def _known_parts(self) -> Callable[[Any, Any], bool]:
        steps = [MOST_STEPS]

        def is_right(part: Any, value: Any) -> bool:
            try:
                return self._parts.accept(part, value, steps)
            except UndecidedError:
                return False

        return is_right

    @cached_property
    def _parts(self) -> Parts:
        return Parts(self.source)

    @cached_property
    def _validator(self) -> Draft202012Validator:
        from referencing import Registry

        # A registry that retrieves nothing: a reference that is not local cannot reach the network or the disk.
        return validator_class()(dict(self.source), registry=Registry())


def compile(source: Mapping[str, Any]) -> Schema:  # noqa: A001 -- the folder's verb
    """Make a schema ready to check values."""
    return Schema(lambda: source)


def _leave_undecided(_: Any) -> bool:
    raise UndecidedError


def explain_error(error: ValidationError) -> Iterable[Mismatch]:
    """Say what one of jsonschema's errors means, looking into the branch that the value was most likely meant for."""
    from promptpack.schema.explain import explain

    if error.validator in ("anyOf", "oneOf") and error.context:
        branch = _likely_branch(error)
        if branch is not None:
            return [finding for inner in branch for finding in explain_error(inner)]
        kinds = _kinds_of_branches(error)
        if kinds:
            return explain("type", kinds, error.instance, tuple(error.absolute_path), {})
    if error.validator in ("if", "then", "else", "allOf", "$ref", "dependentSchemas") and error.context:
        return [finding for inner in error.context for finding in explain_error(inner)]
    return explain(
        str(error.validator or "false"), error.validator_value, error.instance, tuple(error.absolute_path), error.schema
    )


def _likely_branch(error: ValidationError) -> list[ValidationError] | None:
    branches: dict[Any, list[ValidationError]] = {}
    for inner in error.context:
        # The schema `false` fails as a whole, so its error has no path of its own.
        branches.setdefault(next(iter(inner.relative_schema_path), None), []).append(inner)
    deep = [errors for errors in branches.values() if not any(_asks_for_another_kind(inner) for inner in errors)]
    if len(deep) == 1:
        return deep[0]
    return None


def _asks_for_another_kind(error: ValidationError) -> bool:
    if error.relative_path:
        return False
    if error.validator == "enum":
        choices: Any = error.validator_value
        return all(type(choice) is not type(error.instance) for choice in choices)
    return error.validator == "type"


def _kinds_of_branches(error: ValidationError) -> list[str]:
    """Give the kinds that the branches ask for, when the kind is all that is wrong in every one."""
    if not all(inner.validator == "type" and not inner.relative_path for inner in error.context):
        return []
    return [inner.validator_value for inner in error.context if isinstance(inner.validator_value, str)]


def _too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        level = [
            child
            for node in level
            if isinstance(node, (dict, list))
            for child in (node.values() if isinstance(node, dict) else node)
        ]
        if not level:
            return False
    return True
