"""The formats of a lint report by name."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from promptpack.cli.reports import github, junit, plain_json, plain_text, sarif
from promptpack.linter import LintReport

FORMATS: Final[Mapping[str, Callable[[LintReport], str]]] = MappingProxyType(
    {
        "text": plain_text.write,
        "json": plain_json.write,
        "github": github.write,
        "sarif": sarif.write,
        "junit": junit.write,
    }
)
