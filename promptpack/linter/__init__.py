"""Lint packs: find every problem in the given files in one pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptpack.lazy import import_name

if TYPE_CHECKING:
    from promptpack.linter.catalogue import RULES, find_rules
    from promptpack.linter.checking import lint_flow, lint_library, lint_text
    from promptpack.linter.edit import Edit
    from promptpack.linter.fixes import apply_fixes
    from promptpack.linter.lint_paths import lint
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

# Imported on first use: a report from the cache needs no rule.
_MODULES = {
    "Edit": "edit",
    "LintProblem": "rule",
    "LintReport": "lint_report",
    "LintRule": "rule",
    "LintSettings": "lint_settings",
    "ParsedText": "parsed_texts",
    "RULES": "catalogue",
    "Subject": "subject",
    "apply_fixes": "fixes",
    "find_rules": "catalogue",
    "find_settings": "lint_settings",
    "lint": "lint_paths",
    "lint_flow": "checking",
    "lint_library": "checking",
    "lint_text": "checking",
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        return import_name(name, _MODULES, globals())
