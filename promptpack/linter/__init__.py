"""Advice about packs: every problem of the files asked about, at once."""

from promptpack.linter.lint import Report, lint

__all__ = ["Report", "lint"]
