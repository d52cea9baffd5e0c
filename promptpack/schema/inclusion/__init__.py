"""Two JSON Schemas -> `Inclusion`: whether one accepts every value that the other accepts."""

from promptpack.schema.inclusion.budget import MAX_SHARED_STEPS, StepBudget
from promptpack.schema.inclusion.deciding import Inclusion, includes

__all__ = ["MAX_SHARED_STEPS", "Inclusion", "StepBudget", "includes"]
