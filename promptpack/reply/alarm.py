"""What is certainly wrong with a value, long before the reply ends: with a finished one, and with half a word."""

from typing import Any
from unicodedata import combining

from promptpack.reply.scalars import may_become_word
from promptpack.reply.shape import Shape

# A word that is longer is judged at its end.
_LONGEST_WORD = 100


def complaint(value: Any, shape: Shape) -> tuple[str, str] | None:
    """Say what is certainly wrong with a finished value."""
    if not shape.schemas or shape.holds(value) or value is None:
        return None
    if shape.words is not None:
        return "enum", f"{value!r} is not one of {list(shape.words)!r}"
    types = shape.types
    if not shape.has_type(value):
        soft = isinstance(value, str) and types & {"object", "array"}
        return None if soft else ("type", f"{value!r} is not of type {', '.join(sorted(types))}")
    if isinstance(value, int | float) and shape.first("minimum") is not None and value < shape.first("minimum"):
        return "minimum", f"{value!r} is less than {shape.first('minimum')!r}"
    if isinstance(value, int | float) and shape.first("maximum") is not None and value > shape.first("maximum"):
        return "maximum", f"{value!r} is greater than {shape.first('maximum')!r}"
    return None


class ArrivingWord:
    """Follows a text where only fixed words belong, and tells the first character that no such word has there."""

    def __init__(self, shape: Shape) -> None:
        self._words, self._own = shape.words or (), shape.first("x-values")
        kinds = shape.kinds
        self._is_open = any(isinstance(word, str) for word in self._words) and (not kinds or "string" in kinds)
        self._text = ""

    def add(self, piece: str) -> int:
        """Take in a piece; gives the place in it of the character that went too far, or -1."""
        for index, character in enumerate(piece[: _LONGEST_WORD + 1] if self._is_open else ""):
            self._text += character
            if character == "\\" or len(self._text) > _LONGEST_WORD:
                self._is_open = False
                break
            if not combining(character) and not may_become_word(self._text, self._words, self._own):
                self._is_open = False
                return index
        return -1

    @property
    def complaint(self) -> tuple[str, str]:
        """Say what is wrong with the text so far."""
        return "enum", f"none of {list(self._words)!r} begins with {self._text!r}"
