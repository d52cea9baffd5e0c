"""The rules of a pack + what they look at -> what breaks one of them."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from promptpack.pack import Rule
from promptpack.problem import ContextError
from promptpack.template import Limits, metered
from promptpack.template.failure import RENDER_ERRORS
from promptpack.verdict.model import Violation, code_of

_FAILURES: Final = (*RENDER_ERRORS, ContextError)


def find_broken(rules: Iterable[Rule], scope: Mapping[str, Any], limits: Limits) -> list[Violation]:
    """Give what breaks a rule, in the order of the rules; all of them together keep to the limits."""
    violations: list[Violation] = []
    with metered(limits) as meter:
        for rule in rules:
            left = meter.steps
            if not _holds(rule, scope):
                # Worked out once more, as slowly as it takes to tell of it, and counted once.
                meter.steps = left
                violations += _tell(rule, scope)
    return violations


def _holds(rule: Rule, scope: Mapping[str, Any]) -> bool:
    """Say whether a rule certainly holds."""
    try:
        return not ((rule.when is None or rule.when.function(scope)) and not rule.require.function(scope))
    except _FAILURES:
        return False


def _tell(rule: Rule, scope: Mapping[str, Any]) -> Iterable[Violation]:
    try:
        if (rule.when is None or rule.when.evaluate(scope)) and not rule.require.evaluate(scope):
            yield Violation(code_of("rule"), rule.path, rule.message.render(scope), rule.name)
    except ContextError as error:
        message = f"rule {rule.name!r} cannot be worked out: {error.problems[0].message}"
        yield Violation(code_of("rule_error"), rule.path, message, rule.name)
