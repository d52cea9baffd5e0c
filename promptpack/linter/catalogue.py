"""All rules, in the order of their codes."""

from typing import Final

from promptpack.linter.rule import LintRule
from promptpack.linter.rules import (
    broken_example,
    broken_test,
    contradiction,
    covered_glob,
    credential,
    dead_branch,
    file_name,
    hidden_characters,
    idle_keyword,
    impossible_value,
    input_without_description,
    locale_out_of_step,
    maybe_missing,
    message_order,
    misread_text,
    missing_reply_format,
    misspelled_required,
    misspelled_slot,
    not_strict,
    over_budget,
    parent_locale,
    repeated_text,
    secret_rendered,
    single_braces,
    slow_pattern,
    test_without_assertion,
    too_complex,
    unexplained_word,
    unknown_key,
    unknown_tool,
    unknown_word,
    untested_action,
    untrusted_in_system,
    unused_ignore,
    unused_input,
    unused_partial,
    volatile_before_stable,
    wrong_argument,
    wrong_kind,
)
from promptpack.problem import did_you_mean

RULES: Final[tuple[LintRule, ...]] = (
    unused_input, input_without_description, untrusted_in_system, secret_rendered, hidden_characters, unknown_word,
    unexplained_word, broken_example, missing_reply_format, test_without_assertion, untested_action, locale_out_of_step,
    message_order, file_name, over_budget, volatile_before_stable, not_strict, idle_keyword, slow_pattern,
    unused_ignore, repeated_text, unknown_tool, too_complex, credential, misspelled_required, broken_test,
    misread_text, single_braces, misspelled_slot, parent_locale, contradiction, unused_partial, covered_glob,
    unknown_key, wrong_kind, maybe_missing, impossible_value, dead_branch, wrong_argument,
)  # fmt: skip


def suggest_rule(word: str) -> str:
    """Return a hint for an unknown selector; among codes, only a difference in case counts as similar."""
    codes = (rule.CODE for rule in RULES if word.upper() == rule.CODE)
    return did_you_mean(word, (*codes, *(rule.NAME for rule in RULES))) or "see 'promptpack rules'"


def find_rules(selector: str) -> tuple[LintRule, ...]:
    """Return the rules that a selector matches: a name, a code, or a prefix of codes such as PL or PL1."""
    by_code = tuple(rule for rule in RULES if selector.startswith("PL") and rule.CODE.startswith(selector))
    return by_code or tuple(rule for rule in RULES if selector == rule.NAME)
