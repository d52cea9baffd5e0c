"""What is certainly wrong with one finished value, long before the reply ends."""

from typing import Any

from promptpack.reply.shape import Shape


def complaint(value: Any, shape: Shape) -> tuple[str, str] | None:
    """Say what is certainly wrong with a finished value."""
    if not shape.schemas or shape.holds(value) or value is None:
        return None
    if shape.words is not None:
        return "enum", f"{value!r} is not one of {list(shape.words)!r}"
    types = shape.types
    if not shape.has_type(value):
        soft = isinstance(value, str) and types & {"object", "array"}
        return None if soft else ("type", f"{value!r} is not of type {', '.join(sorted(types))}")
    if isinstance(value, int | float) and shape.first("minimum") is not None and value < shape.first("minimum"):
        return "minimum", f"{value!r} is less than {shape.first('minimum')!r}"
    if isinstance(value, int | float) and shape.first("maximum") is not None and value > shape.first("maximum"):
        return "maximum", f"{value!r} is greater than {shape.first('maximum')!r}"
    return None
