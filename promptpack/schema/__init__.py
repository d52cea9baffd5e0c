"""JSON Schema (draft 2020-12) -> `Schema`, by `validation.compile`: validates plain data and explains mismatches."""

from promptpack.schema.pointers import Mismatch, bundle, keep_misspelled, pair_keys, pointer, rebase
from promptpack.schema.safety import UNSAFE_CODES, SchemaMeter, find_unsafe, iterate_patterns, iterate_schemas
from promptpack.schema.validation import Schema, compile  # noqa: A004 -- the folder's verb

__all__ = [
    "UNSAFE_CODES", "Mismatch", "Schema", "SchemaMeter", "bundle", "compile", "find_unsafe", "iterate_patterns",
    "iterate_schemas", "keep_misspelled", "pair_keys", "pointer", "rebase",
]  # fmt: skip
