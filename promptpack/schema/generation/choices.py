"""The source of choices: the one place where generated values get their randomness from."""

from collections.abc import Sequence
from random import Random
from typing import Protocol, TypeVar

T = TypeVar("T")


class Choices(Protocol):
    """Makes all choices of a generator; a lower number is a simpler choice, so that shrinking simplifies the value."""

    def integer(self, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`, both included."""


class FirstChoices:
    """Always makes the simplest choice."""

    def integer(self, low: int, high: int) -> int:  # noqa: ARG002 -- the signature of `Choices`
        """Return the lowest number."""
        return low


class RandomChoices:
    """Makes random choices; the same seed makes the same ones."""

    def __init__(self, seed: str | int) -> None:
        self._random = Random(seed)  # noqa: S311 -- no secret is made from it

    def integer(self, low: int, high: int) -> int:
        """Return a random number."""
        return self._random.randint(low, high)


def choose(choices: Choices, options: Sequence[T]) -> T:
    """Return one of the options; the first is the simplest."""
    return options[choices.integer(0, len(options) - 1)]


def happens(choices: Choices, one_in: int) -> bool:
    """Return True once in `one_in` times; False is simpler."""
    return choices.integer(0, one_in - 1) == one_in - 1
