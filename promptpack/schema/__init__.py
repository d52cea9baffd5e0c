"""JSON Schema (draft 2020-12) -> `Schema`: validates plain data and explains each mismatch in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptpack.lazy import import_name

if TYPE_CHECKING:
    from promptpack.schema.bundling import bundle, rebase
    from promptpack.schema.mismatch import Mismatch, pointer
    from promptpack.schema.safety import UNSAFE_CODES, find_unsafe
    from promptpack.schema.validation import Schema, compile  # noqa: A004 -- the folder's verb

__all__ = ["UNSAFE_CODES", "Mismatch", "Schema", "bundle", "compile", "find_unsafe", "pointer", "rebase"]

# The module of each name; imported on first use, because many processes need none of them.
_MODULES = {
    "UNSAFE_CODES": "safety",
    "Mismatch": "mismatch",
    "Schema": "validation",
    "bundle": "bundling",
    "compile": "validation",
    "find_unsafe": "safety",
    "pointer": "mismatch",
    "rebase": "bundling",
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        return import_name(name, _MODULES, globals())
