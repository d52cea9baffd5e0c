"""The formats of a lint report by name."""

from importlib import import_module
from types import MappingProxyType
from typing import Final

from promptpack.linter.lint_report import LintReport

FORMATS: Final = MappingProxyType(
    {"text": "plain_text", "json": "plain_json", "github": "github", "sarif": "sarif", "junit": "junit"}
)
"""The module of each format; only the chosen one is imported."""


def write(report: LintReport, name: str) -> str:
    """Write a report in one of the formats."""
    text: str = import_module(f"promptpack.cli.reports.{FORMATS[name]}").write(report)
    return text
