"""Paths -> `LintReport`, by `lint_paths.lint`: every problem in the given packs in one pass."""

from promptpack.linter.lint_paths import lint, lint_text
from promptpack.linter.lint_report import LintReport
from promptpack.linter.lint_settings import LintSettings

__all__ = ["LintReport", "LintSettings", "lint", "lint_text"]
