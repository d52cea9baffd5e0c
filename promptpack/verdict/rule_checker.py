"""The rules of a contract + the values they read -> violations."""

from collections.abc import Mapping, Sequence
from typing import Any

from promptpack.pack.contract import Contract, Rule
from promptpack.problem import ContextError
from promptpack.template.meter import metered
from promptpack.template.model import Limits
from promptpack.template.rule_set import RuleFailure, RuleSet
from promptpack.verdict.model import Violation, code_of

_ALWAYS_AVAILABLE = ("reply", "pack")


class RuleChecker:
    """Checks replies against the rules of one contract."""

    def __init__(self, contract: Contract, limits: Limits) -> None:
        self._rules = contract.rules
        self._limits = limits
        clauses = [(rule.when, rule.require, rule.names.difference(_ALWAYS_AVAILABLE)) for rule in self._rules]
        self._set = RuleSet(clauses)
        self.inputs: frozenset[str] = frozenset[str]().union(*(names for _, _, names in clauses))
        """The inputs that the rules read."""

    def check(self, scope: Mapping[str, Any]) -> tuple[list[Violation], tuple[str, ...]]:
        """Return the violations in the order of the rules, and the names of the rules that lack an input.

        The limits apply to all rules together, and again to all messages together.
        """
        if not self._rules:
            return [], ()
        with metered(self._limits):
            failed, skipped = self._set.evaluate(scope)
        if not failed and not skipped:
            return [], ()
        return self._explain(failed, scope), tuple([self._rules[number].name for number in skipped])

    def warm(self) -> None:
        """Compile the rules now."""
        self._set.warm()

    def _explain(self, failed: Sequence[RuleFailure], scope: Mapping[str, Any]) -> list[Violation]:
        if not failed:
            return []
        with metered(self._limits):
            return [_violation(self._rules[number], error, scope) for number, error in failed]


def _violation(rule: Rule, error: ContextError | None, scope: Mapping[str, Any]) -> Violation:
    try:
        if error is None:
            return Violation(code_of("rule"), rule.path, rule.message.render(scope), rule.name)
    except ContextError as failure:
        error = failure
    message = f"rule {rule.name!r} cannot be evaluated: {error.problems[0].message}"
    return Violation(code_of("rule_error"), rule.path, message, rule.name)
