"""Template text -> `Template`: sandboxed, strict Jinja on plain data, with problems that point into the pack file."""

from promptpack.template.compile import compile, compile_expression  # noqa: A004 -- the folder's verb
from promptpack.template.engine import Engine, default_engine, late_engine
from promptpack.template.limits import Limits, metered
from promptpack.template.model import Expression, Source, Template

__all__ = [
    "Engine",
    "Expression",
    "Limits",
    "Source",
    "Template",
    "compile",
    "compile_expression",
    "default_engine",
    "late_engine",
    "metered",
]
