"""What the word under a cursor means, as Markdown."""

from dataclasses import dataclass

from promptpack.editor.buffer import Buffer
from promptpack.editor.cursor import word_under
from promptpack.editor.known import known_at


@dataclass(frozen=True, slots=True)
class Description:
    """A text about the word from `start` to `end`."""

    text: str
    start: int
    end: int


def describe(buffer: Buffer, offset: int) -> Description | None:
    """Explain the word at `offset`, if it means anything in a template."""
    cursor = word_under(buffer.text, offset, buffer.syntax)
    found = next((known for known in known_at(buffer, cursor) if known.name == cursor.word), None)
    return Description(found.markdown, cursor.start, cursor.start + len(cursor.word)) if found else None
