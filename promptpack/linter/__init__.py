"""Lint packs: find every problem in the given files in one pass."""

from promptpack.linter.catalogue import RULES, find_rules
from promptpack.linter.edit import Edit
from promptpack.linter.fixes import apply_fixes
from promptpack.linter.lint import lint, lint_flow, lint_library, lint_text
from promptpack.linter.lint_report import LintReport
from promptpack.linter.lint_settings import LintSettings, find_settings
from promptpack.linter.parsed_texts import ParsedText
from promptpack.linter.rule import LintProblem, LintRule
from promptpack.linter.subject import Subject

__all__ = [
    "RULES",
    "Edit",
    "LintProblem",
    "LintReport",
    "LintRule",
    "LintSettings",
    "ParsedText",
    "Subject",
    "apply_fixes",
    "find_rules",
    "find_settings",
    "lint",
    "lint_flow",
    "lint_library",
    "lint_text",
]
