"""Every rule, in the order of its code."""

from typing import Final

from promptpack.linter.rule import Rule
from promptpack.linter.rules import (
    broken_example,
    dead_branch,
    file_name,
    hidden_characters,
    idle_keyword,
    impossible_value,
    input_without_description,
    locale_out_of_step,
    maybe_missing,
    message_order,
    missing_reply_format,
    not_strict,
    over_budget,
    repeated_text,
    secret_rendered,
    slow_pattern,
    test_without_assertion,
    unexplained_word,
    unknown_key,
    unknown_tool,
    unknown_word,
    untested_action,
    untrusted_in_system,
    unused_ignore,
    unused_input,
    volatile_before_stable,
    wrong_argument,
    wrong_kind,
)
from promptpack.problem import did_you_mean

RULES: Final[tuple[Rule, ...]] = (
    unused_input,
    input_without_description,
    untrusted_in_system,
    secret_rendered,
    hidden_characters,
    unknown_word,
    unexplained_word,
    broken_example,
    missing_reply_format,
    test_without_assertion,
    untested_action,
    locale_out_of_step,
    message_order,
    file_name,
    over_budget,
    volatile_before_stable,
    not_strict,
    idle_keyword,
    slow_pattern,
    unused_ignore,
    repeated_text,
    unknown_tool,
    unknown_key,
    wrong_kind,
    maybe_missing,
    impossible_value,
    dead_branch,
    wrong_argument,
)


def instead_of(word: str) -> str:
    """Hint at the rule that a wrong selector may mean; of codes, only the same one in other letters is near."""
    codes = (rule.CODE for rule in RULES if word.upper() == rule.CODE)
    return did_you_mean(word, (*codes, *(rule.NAME for rule in RULES))) or "see 'promptpack rules'"


def find_rules(selector: str) -> tuple[Rule, ...]:
    """Give the rules that a selector means: a name, a code, or the beginning of codes such as PL or PL1."""
    by_code = tuple(rule for rule in RULES if selector.startswith("PL") and rule.CODE.startswith(selector))
    return by_code or tuple(rule for rule in RULES if selector == rule.NAME)
