"""Paths -> `LintReport`: find every problem in the given packs in one pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptpack.lazy import import_name

if TYPE_CHECKING:
    from promptpack.linter.checking import lint_text
    from promptpack.linter.lint_paths import lint
    from promptpack.linter.lint_report import LintReport
    from promptpack.linter.lint_settings import LintSettings

__all__ = ["LintReport", "LintSettings", "lint", "lint_text"]

# Imported on first use: a report from the cache needs no rule.
_MODULES = {
    "LintReport": "lint_report",
    "LintSettings": "lint_settings",
    "lint": "lint_paths",
    "lint_text": "checking",
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        return import_name(name, _MODULES, globals())
