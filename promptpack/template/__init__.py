"""Template text -> `Template`: sandboxed, strict Jinja on plain data, with problems that point into the pack file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptpack.lazy import import_name

if TYPE_CHECKING:
    from promptpack.template.compiling import compile, compile_expression  # noqa: A004 -- the folder's verb
    from promptpack.template.engine import Engine, default_engine, dynamic_engine
    from promptpack.template.limits import Limits
    from promptpack.template.meter import metered
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
    "dynamic_engine",
    "metered",
]

# Where each name lives; it is imported when it is first used, as most of them need Jinja.
_MODULES = {
    "Engine": "engine",
    "Expression": "model",
    "Limits": "limits",
    "Source": "model",
    "Template": "model",
    "compile": "compiling",
    "compile_expression": "compiling",
    "default_engine": "engine",
    "dynamic_engine": "engine",
    "metered": "meter",
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        return import_name(name, _MODULES, globals())
