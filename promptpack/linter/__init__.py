"""Advice about packs: every problem of the files asked about, at once."""

from promptpack.linter.catalogue import RULES, find_rules
from promptpack.linter.edit import Edit
from promptpack.linter.lint import lint, lint_flow, lint_library, lint_text
from promptpack.linter.mend import mend
from promptpack.linter.report import Report
from promptpack.linter.rule import Advice, Rule
from promptpack.linter.settings import Settings, find_settings
from promptpack.linter.subject import Subject, Text

__all__ = [
    "RULES",
    "Advice",
    "Edit",
    "Report",
    "Rule",
    "Settings",
    "Subject",
    "Text",
    "find_rules",
    "find_settings",
    "lint",
    "lint_flow",
    "lint_library",
    "lint_text",
    "mend",
]
