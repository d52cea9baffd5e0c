"""Every rule, in the order of its code."""

from typing import Final

from promptpack.linter.rule import Rule
from promptpack.linter.rules import (
    dead_branch,
    impossible_value,
    input_without_description,
    maybe_missing,
    unknown_key,
    unused_ignore,
    unused_input,
    wrong_argument,
    wrong_kind,
)

RULES: Final[tuple[Rule, ...]] = (
    unused_input,
    input_without_description,
    unused_ignore,
    unknown_key,
    wrong_kind,
    maybe_missing,
    impossible_value,
    dead_branch,
    wrong_argument,
)


def find_rules(selector: str) -> tuple[Rule, ...]:
    """Give the rules that a selector means: a name, a code, or the beginning of codes such as PL or PL1."""
    by_code = tuple(rule for rule in RULES if selector.startswith("PL") and rule.CODE.startswith(selector))
    return by_code or tuple(rule for rule in RULES if selector == rule.NAME)
