"""What the word under a cursor means, as Markdown."""

from dataclasses import dataclass

from promptpack.editor.buffer import Buffer
from promptpack.editor.cursor import Cursor, word_under
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
    found = next((known for known in known_at(buffer, cursor) if _names(cursor, known.name)), None)
    return Description(found.markdown, cursor.start, cursor.start + len(cursor.word)) if found else None


def _names(cursor: Cursor, name: str) -> bool:
    if cursor.kind == "pack":
        return cursor.word.partition("@")[0] == name.partition("@")[0]
    return cursor.word == name
