"""JSON Schema -> the strict schema of a provider: closed objects, nullable optionals, only supported keywords."""

from promptpack.schema.strict.providers import STRICT_PROVIDERS, StrictProvider
from promptpack.schema.strict.writing import WRAPPER, StrictSchema, build_strict_schema, to_strict_schema

__all__ = ["STRICT_PROVIDERS", "WRAPPER", "StrictProvider", "StrictSchema", "build_strict_schema", "to_strict_schema"]
