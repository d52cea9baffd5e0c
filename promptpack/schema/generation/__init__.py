"""JSON Schema -> values that it accepts, driven by a source of choices."""

from promptpack.schema.generation.choices import Choices, FirstChoices, RandomChoices
from promptpack.schema.generation.generating import NoValueError, ValueGenerator

__all__ = ["Choices", "FirstChoices", "NoValueError", "RandomChoices", "ValueGenerator"]
