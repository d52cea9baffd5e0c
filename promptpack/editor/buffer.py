"""The `Buffer`: the text of a pack file in an editor, and the last pack that could be read from it."""

from dataclasses import dataclass

from promptpack.library import Library
from promptpack.linter.subject import LintLibrary, Subject
from promptpack.pack.model import Pack


@dataclass(frozen=True, slots=True)
class Buffer:
    """The input of the functions of this folder; offsets count the characters of `text`."""

    path: str
    text: str
    packs: LintLibrary
    """The packs around it, as the linter sees them."""
    subject: Subject | None = None

    @property
    def library(self) -> Library:
        """The library with this text in place of the file."""
        return self.packs.library

    def build(self) -> Pack:
        """Return the pack of the text; raise its problems if it is broken."""
        return self.library._build_entry(next(entry for entry in self.library.entries if entry.path == self.path))

    @property
    def syntax(self) -> str:
        """The template syntax of the pack."""
        return self.subject.sections.syntax if self.subject else "jinja"
