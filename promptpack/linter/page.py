"""The docs page of a rule, and the page of all of them, from their docstrings."""

import re
from collections.abc import Sequence

from promptpack.linter.rule import Rule

_HEAD = """\
# Lint rules

`promptpack lint` finds every problem of a pack ([codes](codes.md)), and asks these rules. `error` and `warning` make a
run fail, `note` does not. [How to lint](../how-to/lint.md) shows how to select, ignore and configure rules.

| code | name | severity | what it finds |
|---|---|---|---|
"""


def summary(rule: Rule) -> str:
    """Give the first line of a rule's page."""
    return (rule.__doc__ or "").split("\n", 1)[0]


def body(rule: Rule) -> str:
    """Give the rest of a rule's page."""
    return (rule.__doc__ or "").split("\n", 1)[-1].strip()


def all_pages(rules: Sequence[Rule]) -> str:
    """Write `docs/reference/rules.md`."""
    rows = "".join(
        f"| [{rule.CODE}](#{_anchor(rule)}) | `{rule.NAME}` | {rule.SEVERITY} | {summary(rule)} |\n" for rule in rules
    )
    pages = "\n".join(f"\n## {rule.CODE} {rule.NAME}\n{summary(rule)}\n\n{_as_list(body(rule))}\n" for rule in rules)
    return _HEAD + rows + pages.replace("\n\n\n", "\n\n")


def _anchor(rule: Rule) -> str:
    return f"{rule.CODE} {rule.NAME}".lower().replace(" ", "-")


def _as_list(text: str) -> str:
    """Make list items of the lines that show what is bad and what is good."""
    return re.sub(r"^(Bad|Good): ", r"- **\1:** ", text, flags=re.MULTILINE)
