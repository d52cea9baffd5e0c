"""Columns for Jinja, which counts only lines: line and column are packed into its `lineno`."""

import re
from collections.abc import Iterable, Iterator
from unicodedata import is_normalized, normalize

# A larger column is reported as the largest; real lines are shorter.
_WIDTH = 1 << 16
START = _WIDTH + 1
"""The first line and column."""

RawToken = tuple[int, str, str]


def decode(position: int) -> tuple[int, int]:
    """Return the line and column of a position, both counted from 1."""
    return divmod(position, _WIDTH)


def shift(position: int, lines: int) -> int:
    """Return a position moved down by a number of lines."""
    return position + lines * _WIDTH


class TooManyTokensError(ValueError):
    """A template has more tokens than the limit."""


class UnnormalizedNameError(ValueError):
    """A name is not in NFKC form; Python would read it as another name, as `ſafe` for `safe`."""

    def __init__(self, name: str, position: int = 0) -> None:
        super().__init__(f"the name {name!r} is not in NFKC form")
        self.position = position
        self.hint: str = f"write {normalize('NFKC', name)!r}"


def check_normalized(name: str, position: int = 0) -> None:
    """Refuse a name that is not in NFKC form."""
    if not is_normalized("NFKC", name):
        raise UnnormalizedNameError(name, position)


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
            # Jinja drops only white space between tokens, so the next occurrence is the token itself.
            found = source.find(value, offset)
            if found >= 0:
                offset = found + len(value)
            if kind == "whitespace":
                continue  # which Jinja's parser ignores
            remaining -= kind != "data"
            if remaining < 0:
                raise TooManyTokensError
            position = line_starts.position(offset if found < 0 else found)
            if kind == "name":
                check_normalized(value, position)
            yield position, kind, value
            if kind == "name" and previous == "block_begin":
                in_include = value == "include"
            elif in_include and kind == "block_end" and value == "%}\n":
                # Jinja removes the newline after a tag; after an include, the newline ends the included line.
                yield position, "data", "\n"
            previous = kind
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
        self._end = -1

    def position(self, offset: int) -> int:
        """Return the line and column of an offset, packed into one number."""
        if not self._start <= offset <= self._end:
            self._find_line(offset)
        column = offset - self._start + 1
        return self._line * _WIDTH + (column if column < _WIDTH else _WIDTH - 1)

    def _find_line(self, offset: int) -> None:
        if offset < self._start:
            self._line, self._start = 1, 0
        self._line += self._source.count("\n", self._start, offset)
        self._start = self._source.rfind("\n", 0, offset) + 1
        end = self._source.find("\n", offset)
        self._end = end if end >= 0 else len(self._source)
