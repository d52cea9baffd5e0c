"""The lines of a text: from an offset to its line and column."""

import re
from bisect import bisect_right


class LineIndex:
    """Finds the line and column of offsets; it searches the text for line ends once."""

    def __init__(self, text: str) -> None:
        self._length = len(text)
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def locate(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset; both count from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def find(self, line: int, column: int) -> int:
        """Return the offset of a line and column; after the last line, in the last one."""
        return self._starts[min(line, len(self._starts)) - 1] + column - 1

    def end(self, line: int) -> int:
        """Return the offset of the end of a line."""
        return self._starts[line] - 1 if line < len(self._starts) else self._length
