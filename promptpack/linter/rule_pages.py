"""Documentation pages of the rules, generated from their docstrings."""

import re
from collections.abc import Sequence

from promptpack.linter.rule import LintRule

_HEAD = """\
# Lint rules

`promptpack lint` finds every problem in a pack ([codes](codes.md)) and checks these rules. `error` and `warning` make a
run fail, `note` does not. [How to lint](../how-to/lint.md) shows how to select, ignore and configure rules.

| code | name | severity | what it finds |
|---|---|---|---|
"""


def summary(rule: LintRule) -> str:
    """Return the first line of a rule's page."""
    return (rule.__doc__ or "").split("\n", 1)[0]


def body(rule: LintRule) -> str:
    """Return the rest of a rule's page."""
    return (rule.__doc__ or "").split("\n", 1)[-1].strip()


def write_rules_page(rules: Sequence[LintRule]) -> str:
    """Return the text of `docs/reference/rules.md`."""
    rows = "".join(
        f"| [{rule.CODE}](#{rule.CODE.lower()}-{rule.NAME}) | `{rule.NAME}` | {rule.SEVERITY} | {summary(rule)} |\n"
        for rule in rules
    )
    pages = "\n".join(f"\n## {rule.CODE} {rule.NAME}\n{summary(rule)}\n\n{_as_list(body(rule))}\n" for rule in rules)
    return _HEAD + rows + pages.replace("\n\n\n", "\n\n")


def _as_list(text: str) -> str:
    """Turn the lines with a bad and a good example into list items."""
    return re.sub(r"^(Bad|Good): ", r"- **\1:** ", text, flags=re.MULTILINE)
