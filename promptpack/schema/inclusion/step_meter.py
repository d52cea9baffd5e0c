"""The steps that a decision may still take, and the errors that end it."""

from typing import Final

MAX_STEPS: Final = 40_000
MAX_SHARED_STEPS: Final = 40_000
"""The steps of all decisions of one comparison; each may use half of those that are left."""


class UndecidedError(Exception):
    """The question cannot be decided; the message says why."""


class StepMeter:
    """Counts the remaining steps of one decision."""

    def __init__(self, steps: int = MAX_STEPS) -> None:
        self.remaining: int = steps

    def spend(self, steps: int = 1) -> None:
        """Subtract steps, or raise `UndecidedError`."""
        self.remaining -= steps
        if self.remaining < 0:
            raise UndecidedError("the schemas are too complex to decide")
