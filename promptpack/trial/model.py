"""The `Trial`: the result of one test, with its failures."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from promptpack.problem import Location
from promptpack.schema.pointers import ValuePath


class Miss(NamedTuple):
    """One unmet expectation, and the path of the expectation in the test."""

    message: str
    path: ValuePath = ()
    expected: str = ""
    found: str = ""

    def below(self, *path: str | int) -> "Miss":
        """Return the same with a path below another one."""
        return self._replace(path=(*path, *self.path))


class Failure(NamedTuple):
    """One unmet expectation, and where the test states it.

    `expected` and `found` are the texts to compare, if there are any: what the test expects, and the nearest text in
    the prompt.
    """

    message: str
    location: Location
    expected: str = ""
    found: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of one test; it passed if there are no failures."""

    pack: str
    locale: str
    name: str
    path: str
    """The file of the pack."""
    locate: Callable[[], Location] = field(repr=False, compare=False)
    """Returns the location: lazy, because nobody asks for that of a test that passed."""
    failures: tuple[Failure, ...] = ()

    @property
    def location(self) -> Location:
        """Where the test is written; for a case of a table, its row."""
        return self.locate()

    @property
    def passed(self) -> bool:
        """Whether the test passed."""
        return not self.failures
