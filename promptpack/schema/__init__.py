"""JSON Schema (draft 2020-12) -> `Schema`: checks plain data and says in plain words what is wrong and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptpack.lazy import import_name

if TYPE_CHECKING:
    from promptpack.schema.bundling import bundle, rebase
    from promptpack.schema.compiling import Schema, compile  # noqa: A004 -- the folder's verb
    from promptpack.schema.inspecting import CODES, inspect
    from promptpack.schema.mismatch import Mismatch, pointer

__all__ = ["CODES", "Mismatch", "Schema", "bundle", "compile", "inspect", "pointer", "rebase"]

# Where each name lives; it is imported when it is first used, as everyday values need none of them.
_MODULES = {
    "CODES": "inspecting",
    "Mismatch": "mismatch",
    "Schema": "compiling",
    "bundle": "bundling",
    "compile": "compiling",
    "inspect": "inspecting",
    "pointer": "mismatch",
    "rebase": "bundling",
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        return import_name(name, _MODULES, globals())
