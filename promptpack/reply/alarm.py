"""Alarms: violations that are certain before the reply ends, about a complete value or the start of a fixed word."""

from typing import Any
from unicodedata import combining

from promptpack.reply.scalars import may_become_word
from promptpack.reply.shape import Shape

# A longer word is checked when it is complete.
_MAX_WORD_LENGTH = 100


def find_alarm(value: Any, shape: Shape) -> tuple[str, str] | None:
    """Return the rule that a value certainly breaks, and a message; a text of several lines may have lost its quote."""
    if value is None or not shape.schemas or shape.accepts(value) or (isinstance(value, str) and "\n" in value):
        return None
    if shape.words is not None:
        return "enum", f"{value!r} is not one of {list(shape.words)!r}"
    types = shape.types
    if not shape.has_type(value):
        is_parsable = isinstance(value, str) and types & {"object", "array"}
        return None if is_parsable else ("type", f"{value!r} is not of type {', '.join(sorted(types))}")
    if isinstance(value, int | float) and shape.first("minimum") is not None and value < shape.first("minimum"):
        return "minimum", f"{value!r} is less than {shape.first('minimum')!r}"
    if isinstance(value, int | float) and shape.first("maximum") is not None and value > shape.first("maximum"):
        return "maximum", f"{value!r} is greater than {shape.first('maximum')!r}"
    return None


class StreamedWord:
    """A streamed string that must be one of the schema's fixed words; it finds the first character that fits none."""

    def __init__(self, shape: Shape) -> None:
        self._words, self._synonyms = shape.words or (), shape.first("x-values")
        kinds = shape.kinds
        self._is_open = any(isinstance(word, str) for word in self._words) and (not kinds or "string" in kinds)
        self._text = ""

    def add(self, piece: str) -> int:
        """Append a piece; return the index in it of the first character that fits no word, or -1."""
        for index, character in enumerate(piece[: _MAX_WORD_LENGTH + 1] if self._is_open else ""):
            self._text += character
            if character in "\\\n" or len(self._text) > _MAX_WORD_LENGTH:
                self._is_open = False
                break
            if not combining(character) and not may_become_word(self._text, self._words, self._synonyms):
                self._is_open = False
                return index
        return -1

    @property
    def alarm(self) -> tuple[str, str]:
        """The rule that the text so far breaks, and a message."""
        return "enum", f"none of {list(self._words)!r} begins with {self._text!r}"
