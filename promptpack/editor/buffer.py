"""The `Buffer`: the text of a pack file in an editor, and the last pack that could be read from it."""

from dataclasses import dataclass

from promptpack.library import Library
from promptpack.linter.subject import Subject


@dataclass(frozen=True, slots=True)
class Buffer:
    """The input of the functions of this folder; offsets count the characters of `text`."""

    path: str
    text: str
    library: Library
    subject: Subject | None = None

    @property
    def syntax(self) -> str:
        """The template syntax of the pack."""
        return self.subject.sections.syntax if self.subject else "jinja"
