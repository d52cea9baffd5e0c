"""Create frozen dataclasses quickly: their constructor takes longer than to check or render what they hold."""

from typing import Any, TypeVar

Frozen = TypeVar("Frozen")


def create(kind: type[Frozen], **fields: Any) -> Frozen:
    """Return an instance with some fields set; the others have the defaults of the class, so none may be a factory."""
    made = object.__new__(kind)
    made.__dict__.update(fields)
    return made
