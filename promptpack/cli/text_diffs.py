"""Draw how a text differs from the expected one: the changed words in `[-...-]` and `{+...+}`, and in colour."""

from collections.abc import Iterator
from typing import Final

import click

from promptpack.characters import visible
from promptpack.versions.word_diff import Piece, diff_words

_MAX_LINES: Final = 20
_MAX_CHARACTERS: Final = 4_000


def draw_difference(expected: str, found: str) -> Iterator[str]:
    """Yield the lines that differ, by words: `[-...-]` is expected and missing, `{+...+}` is found instead."""
    if not (expected or found):
        return
    if not expected:
        yield from _cut(f"found: {visible(found)}".split("\n"))
        return
    if not found:
        yield "no part of the text is similar"
        return
    excerpts = diff_words(expected, found).excerpts()
    drawn = "\n...\n".join("".join(map(_draw, excerpt.pieces)).removesuffix("\n") for excerpt in excerpts)
    yield from _cut(drawn.split("\n"))


def _cut(lines: list[str]) -> Iterator[str]:
    left = _MAX_CHARACTERS
    for line in lines[:_MAX_LINES]:
        if left <= 0:
            break
        left -= len(line)
        yield line if left >= 0 else f"{click.unstyle(line)[: left + len(line)]}…"
    if len(lines) > _MAX_LINES:
        yield f"... and {len(lines) - _MAX_LINES} more lines"


def _draw(piece: Piece) -> str:
    text = visible(piece.text)
    if piece.kind == "kept":
        return text
    return click.style(f"[-{text}-]", fg="red") if piece.kind == "removed" else click.style(f"{{+{text}+}}", fg="green")
