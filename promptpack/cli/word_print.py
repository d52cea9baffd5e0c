"""`WordDiff` -> text: coloured words on a terminal, `[-old-]{+new+}` elsewhere."""

import sys

import click

from promptpack.characters import visible
from promptpack.versions.word_diff import Piece, WordDiff

_LINE_END = "↵\n"


def show_words(words: WordDiff, *, colours: bool | None = None) -> str:
    """Return a diff as text; by default, only a terminal gets colours, and marks replace them elsewhere."""
    is_coloured = has_colours() if colours is None else colours
    return "".join((_colour if is_coloured else _mark)(piece) for piece in words.pieces)


def has_colours() -> bool:
    """Return whether standard output is a terminal, which shows colours."""
    return sys.stdout.isatty()


def _mark(piece: Piece) -> str:
    text = visible(piece.text)
    if piece.kind == "kept":
        return text
    return f"[-{text}-]" if piece.kind == "removed" else f"{{+{text}+}}"


def _colour(piece: Piece) -> str:
    if piece.kind == "kept":
        return visible(piece.text)
    # A changed line end is visible, and each line is coloured by itself, so that pagers show all of them.
    lines = visible(piece.text).replace("\n", _LINE_END).split("\n")
    is_removed = piece.kind == "removed"
    styled = (
        click.style(line, fg="red" if is_removed else "green", strikethrough=is_removed or None) for line in lines
    )
    return "\n".join(one if line else "" for one, line in zip(styled, lines, strict=True))
