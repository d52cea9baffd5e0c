"""The formats of a report, by the name that a user writes."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from promptpack.cli.reports import github, junit, plain_json, sarif, text
from promptpack.linter import LintReport

FORMATS: Final[Mapping[str, Callable[[LintReport], str]]] = MappingProxyType(
    {
        "text": text.write,
        "json": plain_json.write,
        "github": github.write,
        "sarif": sarif.write,
        "junit": junit.write,
    }
)
