"""Texts that meet lengths, patterns and formats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from re import _constants as codes  # type: ignore[attr-defined]  # missing from the stubs
from typing import Any, Final

from promptpack.schema.generation.choices import Choices, choose, happens
from promptpack.schema.generation.combining import NoValueError
from promptpack.schema.inclusion.alphabet import find_characters
from promptpack.schema.patterns import PatternError, read_pattern

MAX_LENGTH: Final = 20_000
_LETTERS: Final = "abcxyz ABZ019_-.,:/\n\"'{}[]é中文🙂"
_MORE: Final = 4
FORMATS: Final[Mapping[str, tuple[str, ...]]] = {
    "date": ("2026-01-31", "2024-02-29"),
    "date-time": ("2026-01-31T08:30:00Z", "2024-02-29T23:59:60+02:00"),
    "time": ("08:30:00Z",),
    "duration": ("PT5M", "P1DT2H"),
    "email": ("a@example.org", "first.last+tag@example.org"),
    "hostname": ("example.org",),
    "ipv4": ("192.0.2.1",),
    "ipv6": ("2001:db8::1",),
    "uri": ("https://example.org/a?b=1#c",),
    "uri-reference": ("/a?b=1",),
    "uuid": ("123e4567-e89b-42d3-a456-426614174000",),
    "json-pointer": ("/a/0",),
    "regex": ("^a+$",),
}
"""Texts in the formats that schemas name; a format is preferred, but not guaranteed."""


def make_text(schemas: Sequence[Mapping[str, Any]], choices: Choices, samples: Sequence[str]) -> str:
    """Return a text with the lengths and patterns of all schemas; free texts are often one of the `samples`."""
    low = max((int(schema["minLength"]) for schema in schemas if "minLength" in schema), default=0)
    high = min((int(schema["maxLength"]) for schema in schemas if "maxLength" in schema), default=MAX_LENGTH)
    if low > min(high, MAX_LENGTH):
        raise NoValueError(f"no text of {low:,} characters is generated")
    patterns = [schema["pattern"] for schema in schemas if "pattern" in schema]
    if patterns:
        return make_match(choose(choices, patterns), choices)
    named = [
        text for schema in schemas for text in FORMATS.get(str(schema.get("format")), ()) if low <= len(text) <= high
    ]
    if named and not happens(choices, 3):
        return choose(choices, named)
    form = choices.integer(0, 3)
    fitting = [text for text in samples if low <= len(text) <= high] if form > 1 else []
    if fitting:
        return choose(choices, fitting)
    # The empty text is shorter, but says less than a letter.
    length = min(max(low, 1), high) if form == 0 else choices.integer(low, min(high, low + _MORE))
    if form == 0 or length > _SHORT:
        return "a" * length
    return "".join(choose(choices, _LETTERS) for _ in range(length))


_SHORT: Final = 200


def make_match(pattern: str, choices: Choices) -> str:
    """Return a text that a pattern probably matches: from its parts, without its lookaheads and lookbehinds."""
    try:
        tree = read_pattern(pattern)
    except PatternError as error:
        raise NoValueError(str(error)) from error
    return _PatternWriter(find_characters([tree], ""), choices).write(tree.tree)


class _PatternWriter:
    """Writes a text along the tree of a pattern."""

    def __init__(self, characters: Sequence[str], choices: Choices) -> None:
        self._characters = characters
        self._choices = choices
        self._length = 0

    def write(self, tree: Any) -> str:
        return "".join(self._write_one(operation, argument) for operation, argument in tree)

    def _write_one(self, operation: Any, argument: Any) -> str:
        if operation in (codes.MAX_REPEAT, codes.MIN_REPEAT):
            low, high, body = argument
            count = self._choices.integer(low, min(int(high), low + _MORE))
            self._count(count)
            return "".join(self.write(body) for _ in range(count))
        if operation is codes.BRANCH:
            return self.write(choose(self._choices, argument[1]))
        if operation is codes.SUBPATTERN:
            return self.write(argument[3])
        if operation in (codes.AT, codes.ASSERT, codes.ASSERT_NOT):
            return ""
        self._count(1)
        if operation is codes.LITERAL:
            return chr(argument)
        return self._write_member(operation, argument)

    def _write_member(self, operation: Any, argument: Any) -> str:
        from promptpack.schema.automaton import UnsupportedPatternError, make_test

        try:
            test = make_test(operation, argument)
        except UnsupportedPatternError as error:
            raise NoValueError(str(error)) from error
        ranges = (
            [chr(code) for kind, ends in argument if kind is codes.RANGE for code in ends]
            if operation is codes.IN
            else []
        )
        fitting = [one for one in (*self._characters, *ranges) if test(one) and not "\ud800" <= one <= "\udfff"]
        if not fitting:
            raise NoValueError("no character fits the pattern")
        return choose(self._choices, list(dict.fromkeys(fitting)))

    def _count(self, added: int) -> None:
        self._length += added
        if self._length > MAX_LENGTH:
            raise NoValueError("the pattern needs a long text")
