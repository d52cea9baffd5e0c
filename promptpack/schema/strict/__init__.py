"""JSON Schema -> the strict schema of a provider: closed objects, nullable optionals, only supported keywords."""

from promptpack.schema.strict.providers import STRICT_PROVIDERS, WRAPPER, StrictProvider

__all__ = ["STRICT_PROVIDERS", "WRAPPER", "StrictProvider"]
