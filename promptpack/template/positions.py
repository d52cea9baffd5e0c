"""Columns for Jinja, which counts only lines: line and column are packed into its `lineno`."""

import re
from collections.abc import Iterable, Iterator

# A larger column is reported as the largest; real lines are shorter.
_WIDTH = 1 << 16
# Tokens that need no compilation.
_NO_WORK = frozenset(("data", "whitespace"))

RawToken = tuple[int, str, str]


def encode(line: int, column: int) -> int:
    """Pack a line and a column, both counted from 1, into one number."""
    return line * _WIDTH + min(column, _WIDTH - 1)


def decode(position: int) -> tuple[int, int]:
    """Return the line and column of a position that `encode` packed."""
    return divmod(position, _WIDTH)


def shift(position: int, lines: int) -> int:
    """Return a position moved down by a number of lines."""
    return position + lines * _WIDTH


class TooManyTokensError(ValueError):
    """A template has more tokens than the limit."""


def locate_tokens(tokens: Iterable[RawToken], source: str, limit: int) -> Iterator[RawToken]:
    """Yield the raw tokens of Jinja's lexer with their positions, by searching for each text in the source.

    Raise `TooManyTokensError` for a template that would take too long to compile.
    """
    from jinja2 import TemplateSyntaxError

    remaining = limit
    offset = 0
    previous = ""
    in_include = False
    line_starts = LineStarts(source)
    try:
        for _, kind, value in tokens:
            remaining -= kind not in _NO_WORK
            if remaining < 0:
                raise TooManyTokensError
            # Jinja drops only white space between tokens, so the next occurrence is the token itself.
            found = source.find(value, offset)
            if found >= 0:
                offset = found
            position = line_starts.position(offset)
            yield position, kind, value
            if found >= 0:
                offset += len(value)
            if kind == "name" and previous == "block_begin":
                in_include = value == "include"
            elif in_include and kind == "block_end" and value == "%}\n":
                # Jinja removes the newline after a tag; after an include, the newline ends the included line.
                yield position, "data", "\n"
            previous = kind if kind != "whitespace" else previous
    except TemplateSyntaxError as error:
        stated = re.search(r"at (\d+)$", error.message or "")
        error.lineno = line_starts.position(int(stated[1]) if stated else _skip_space(source, offset))
        raise


def _skip_space(source: str, offset: int) -> int:
    while offset < len(source) and source[offset].isspace():
        offset += 1
    return offset


class LineStarts:
    """Converts increasing offsets to positions without counting lines from the start each time."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._line = 1
        self._start = 0
        self._offset = 0

    def position(self, offset: int) -> int:
        """Return the position of an offset, packed by `encode`."""
        if offset < self._offset:
            line = self._source.count("\n", 0, offset) + 1
            return encode(line, offset - self._source.rfind("\n", 0, offset))
        crossed = self._source.count("\n", self._offset, offset)
        if crossed:
            self._line += crossed
            self._start = self._source.rfind("\n", 0, offset) + 1
        self._offset = offset
        return encode(self._line, offset - self._start + 1)
