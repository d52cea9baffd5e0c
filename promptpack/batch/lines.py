"""A stream of bytes -> numbered lines, none of them longer than the limit."""

from collections.abc import Iterator
from typing import BinaryIO, Final, NamedTuple

MAX_LINE: Final = 8_000_000
"""Bytes of one line; a longer one is reported, and never held in memory."""
TOO_LONG: Final = f"the line is longer than {MAX_LINE:,} bytes"
_PIECE: Final = 65_536
BOM: Final = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """One row of a file as JSON, and where it is; `problem` says why it cannot be used."""

    number: int
    data: bytes
    problem: str = ""


def read_lines(stream: BinaryIO) -> Iterator[Line]:
    """Yield the lines of a stream that are not blank, without their ends."""
    number = 0
    # One more than the limit, for a line of exactly this length and its end.
    while data := stream.readline(MAX_LINE + 1):
        number += 1
        if number == 1:
            data = data.removeprefix(BOM)
        if len(data) > MAX_LINE and not data.endswith(b"\n"):
            _skip_rest(stream)
            yield Line(number, b"", TOO_LONG)
        elif stripped := data.strip(b" \t\r\n"):
            yield Line(number, stripped)


def _skip_rest(stream: BinaryIO) -> None:
    while (piece := stream.readline(_PIECE)) and not piece.endswith(b"\n"):
        pass
