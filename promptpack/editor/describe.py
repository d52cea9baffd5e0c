"""Explain the word at a cursor, as Markdown."""

from dataclasses import dataclass

from promptpack.editor.buffer import Buffer
from promptpack.editor.cursor_word import CursorWord, find_word_under
from promptpack.editor.symbols import find_symbols


@dataclass(frozen=True, slots=True)
class Description:
    """The explanation of the word from `start` to `end`."""

    text: str
    start: int
    end: int


def describe(buffer: Buffer, offset: int) -> Description | None:
    """Return the explanation of the word at `offset`; None if it means nothing in a template."""
    word = find_word_under(buffer.text, offset, buffer.syntax)
    found = next((symbol for symbol in find_symbols(buffer, word) if _is_name_of(word, symbol.name)), None)
    return Description(found.markdown, word.start, word.start + len(word.text)) if found else None


def _is_name_of(word: CursorWord, name: str) -> bool:
    if word.kind == "pack":
        return word.text.partition("@")[0] == name.partition("@")[0]
    return word.text == name
