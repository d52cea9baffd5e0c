"""Alarms: violations that are certain before the reply ends, about a complete value or the start of a fixed word."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any
from unicodedata import combining

from promptpack.reply.fixed_words import FixedWords
from promptpack.reply.shape import Shape
from promptpack.schema.explain import NearWords
from promptpack.schema.pointers import Mismatch
from promptpack.schema.safety import iterate_schemas
from promptpack.schema.validation import Schema

# A longer word is checked when it is complete.
_MAX_WORD_LENGTH = 100
_MAX_SHOWN = 100
# Keywords that say something about a value itself, not about the values inside it.
_OWN_KEYWORDS = (
    "type", "enum", "const", "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum",
    "exclusiveMaximum", "multipleOf", "required", "minItems", "maxItems", "x-message",
)  # fmt: skip


def find_alarm(value: Any, shape: Shape) -> Mismatch | None:
    """Return a certain mismatch of a complete value; values inside it are not checked."""
    for schema in _own_schemas(shape.with_conditions(value)):
        if not schema.accepts(value) and (found := schema.explain(value, NearWords(of_values=False))):
            return found[0]
    if shape.has_type(value):
        return None
    return Mismatch("type", (), f"{value!r} is not of type {', '.join(sorted(shape.types))}")


def warm_alarms(schema: Schema) -> None:
    """Compile the code of alarms about replies to a schema; alarms of the same form share their code."""
    for own in _own_parts(found for _, found in iterate_schemas(schema.source)):
        own.accepts(None)


@lru_cache(500)
def _own_schemas(shape: Shape) -> tuple[Schema, ...]:
    return tuple(_own_parts(shape.schemas))


def _own_parts(schemas: Iterable[Mapping[str, Any]]) -> Iterator[Schema]:
    parts = ({key: one[key] for key in _OWN_KEYWORDS if key in one} for one in schemas)
    return (Schema(part) for part in parts if part)


class StreamedWord:
    """A streamed string that must be one of the schema's fixed words; it finds the first character that fits none."""

    def __init__(self, shape: Shape) -> None:
        self._words: FixedWords = shape.fixed_words or FixedWords((), None)
        self._is_open = bool(self._words.names) and (not shape.kinds or "string" in shape.kinds)
        self._text = ""

    def add(self, piece: str) -> int:
        """Append a piece; return the index in it of the first character that fits no word, or -1."""
        for index, character in enumerate(piece[: _MAX_WORD_LENGTH + 1] if self._is_open else ""):
            self._text += character
            if character in "\\\n" or len(self._text) > _MAX_WORD_LENGTH:
                self._is_open = False
                break
            if not combining(character) and not self._words.may_start(self._text):
                self._is_open = False
                return index
        return -1

    @property
    def alarm(self) -> tuple[str, str]:
        """The rule that the text so far breaks, and a message."""
        shown = list(self._words.all[:_MAX_SHOWN])
        others = len(self._words.all) - len(shown)
        more = f" and {others:,} other words" if others else ""
        return "enum", f"none of {shown!r}{more} begins with {self._text!r}"
