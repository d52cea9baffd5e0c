"""The `Buffer`: a pack file as an editor holds it, and the pack as it last could be read."""

from dataclasses import dataclass

from promptpack.library import Library
from promptpack.linter.subject import Subject


@dataclass(frozen=True, slots=True)
class Buffer:
    """What the functions of this folder look at; offsets count the characters of `text`."""

    path: str
    text: str
    library: Library
    subject: Subject | None = None

    @property
    def syntax(self) -> str:
        """The template syntax of the pack."""
        return self.subject.parts.syntax if self.subject else "jinja"
