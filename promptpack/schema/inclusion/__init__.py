"""Two JSON Schemas -> `Inclusion`: whether one accepts every value that the other accepts."""

from promptpack.schema.inclusion.deciding import Inclusion, includes

__all__ = ["Inclusion", "includes"]
