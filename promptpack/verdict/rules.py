"""The rules of a pack + what they look at -> what breaks one of them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from promptpack.pack import Rule
from promptpack.problem import ContextError
from promptpack.template import Limits, metered
from promptpack.verdict.model import Violation, code_of


def find_broken(rules: Iterable[Rule], scope: Mapping[str, Any], limits: Limits) -> list[Violation]:
    """Give what breaks a rule, in the order of the rules; all of them together keep to the limits."""
    with metered(limits):
        return [violation for rule in rules for violation in _broken(rule, scope)]


def _broken(rule: Rule, scope: Mapping[str, Any]) -> Iterator[Violation]:
    try:
        if (rule.when is None or rule.when.evaluate(scope)) and not rule.require.evaluate(scope):
            yield Violation(code_of("rule"), rule.path, rule.message.render(scope), rule.name)
    except ContextError as error:
        message = f"rule {rule.name!r} cannot be worked out: {error.problems[0].message}"
        yield Violation(code_of("rule_error"), rule.path, message, rule.name)
