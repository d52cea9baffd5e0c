"""Two JSON Schemas -> `Inclusion`: whether one accepts every value that the other accepts."""

from promptpack.schema.inclusion.deciding import Inclusion, includes
from promptpack.schema.inclusion.step_meter import MAX_SHARED_STEPS, StepMeter

__all__ = ["MAX_SHARED_STEPS", "Inclusion", "StepMeter", "includes"]
