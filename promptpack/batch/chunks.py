"""Lines -> chunks, the unit of work; where they are cut depends only on the lines."""

from collections.abc import Generator, Iterable
from typing import Final, NamedTuple

from promptpack.batch.lines import Line

MAX_ROWS: Final = 250
"""It divides the limits of all providers."""
_MAX_BYTES: Final = 1_000_000


class Chunk(NamedTuple):
    """Some rows of one source, in their order."""

    source: str
    lines: tuple[Line, ...]
    lost: frozenset[int] = frozenset()
    """The lines that end the process that handles them."""


def cut(lines: Iterable[Line], source: str, rows: int = MAX_ROWS) -> Generator[Chunk, None, None]:
    """Yield the lines in chunks with limited numbers of rows and bytes."""
    collected: list[Line] = []
    size = 0
    for line in lines:
        collected.append(line)
        size += len(line.data)
        if len(collected) >= rows or size >= _MAX_BYTES:
            yield Chunk(source, tuple(collected))
            collected, size = [], 0
    if collected:
        yield Chunk(source, tuple(collected))
