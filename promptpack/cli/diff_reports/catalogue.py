"""The formats of a diff by name."""

from importlib import import_module
from types import MappingProxyType
from typing import Final

from promptpack.versions.version_diff import DiffReport

FORMATS: Final = MappingProxyType(
    {"text": "plain_text", "json": "plain_json", "github": "github", "markdown": "markdown", "html": "page"}
)
"""The module of each format; only the chosen one is imported."""


def write(report: DiffReport, name: str) -> str:
    """Write a report in one of the formats."""
    text: str = import_module(f"promptpack.cli.diff_reports.{FORMATS[name]}").write(report)
    return text
