"""JSON Schema (draft 2020-12) -> `Schema`: checks plain data and says in plain words what is wrong and where."""

from promptpack.schema.bundle import bundle, rebase
from promptpack.schema.compile import Schema, compile  # noqa: A004 -- the folder's verb
from promptpack.schema.finding import Finding, pointer
from promptpack.schema.inspect import CODES, inspect

__all__ = ["CODES", "Finding", "Schema", "bundle", "compile", "inspect", "pointer", "rebase"]
