"""Two texts -> `WordDiff`: the kept, removed and added pieces, by words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal, NamedTuple

from promptpack.versions.matching import DiffMeter, find_matches

PieceKind = Literal["kept", "removed", "added"]

# A Han character, a kana or a Thai letter is a token, because nothing separates the words of these scripts. Marks that
# combine with a letter belong to it, also in words.
_TOKEN: Final = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff"
    r"\uf900-\ufaff\U00020000-\U0003ffff][\u0300-\u036f\u3099\u309a\ufe00-\ufe0f\U000e0100-\U000e01ef]*"
    r"|(?:(?![\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf"
    r"\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])[\w\u0300-\u036f])+"
    r"|\r?\n|[^\S\r\n]+|.",
    re.DOTALL,
)
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+\Z")
_WORD: Final = re.compile(r"\w")
MAX_SHARED_STEPS: Final = 2_000_000
"""The steps of all word diffs of one comparison; each may use a quarter of those that are left."""
# How many steps one diff may take; the rest is removed and added as a whole.
_MAX_STEPS: Final = 400_000
_MIN_STEPS: Final = 10_000
_STEPS_A_CHARACTER: Final = 15
# To join and to print a piece takes as long as this many steps.
_STEPS_A_PIECE: Final = 40


class Piece(NamedTuple):
    """A part of the old text, of the new text, or of both."""

    kind: PieceKind
    text: str


@dataclass(frozen=True)
class WordDiff:
    """The pieces in order; the kept and removed ones are the old text, the kept and added ones the new text."""

    pieces: tuple[Piece, ...] = ()

    def __bool__(self) -> bool:
        return any(piece.kind != "kept" for piece in self.pieces)

    @property
    def old(self) -> str:
        """The old text."""
        return "".join(piece.text for piece in self.pieces if piece.kind != "added")

    @property
    def new(self) -> str:
        """The new text."""
        return "".join(piece.text for piece in self.pieces if piece.kind != "removed")

    @property
    def offset(self) -> int:
        """The offset in the new text of the first change."""
        first = next((index for index, piece in enumerate(self.pieces) if piece.kind != "kept"), len(self.pieces))
        return sum(len(piece.text) for piece in self.pieces[:first])

    def to_data(self) -> list[dict[str, str]]:
        """Return the pieces as plain data."""
        return [{"kind": piece.kind, "text": piece.text} for piece in self.pieces]

    def excerpts(self, context: int = 1) -> tuple[WordDiff, ...]:
        """Return the changed lines, each run with some unchanged lines around it, but no empty ones."""
        lines = list(_split_lines(self.pieces))
        changed = [index for index, line in enumerate(lines) if any(piece.kind != "kept" for piece in line)]
        shown = sorted({near for index in changed for near in range(index - context, index + context + 1)})
        inside = [index for index in shown if 0 <= index < len(lines)]
        runs = groupby(enumerate(inside), key=lambda pair: pair[1] - pair[0])
        trimmed = (_trim([lines[index] for _, index in run]) for _, run in runs)
        return tuple(WordDiff(_join(piece for line in run for piece in line)) for run in trimmed)


def diff_words(old: str, new: str, shared: DiffMeter | None = None) -> WordDiff:
    """Compare two texts by words; one Han character is a word, and adjacent changes are joined.

    Lines are compared first, and the time is bounded: in texts that differ very much, whole paragraphs are replaced.
    The steps are subtracted from the `shared` meter of several diffs, if there is one.
    """
    if old == new:
        return WordDiff((Piece("kept", old),) if old else ())
    allowed = min(_MIN_STEPS + _STEPS_A_CHARACTER * (len(old) + len(new)), _MAX_STEPS)
    allowed = allowed if shared is None else min(allowed, shared.remaining // 4)
    meter = DiffMeter(allowed)
    pieces: list[Piece] = []
    for kept, removed, added in _blocks(_LINE.findall(old), _LINE.findall(new), meter):
        pieces += _diff_block(removed, added, meter)
        pieces.append(Piece("kept", kept))
    if shared is not None:
        taken = allowed - meter.remaining + _STEPS_A_PIECE * len(pieces)
        shared.remaining = max(0, shared.remaining - taken)
    return WordDiff(_join(pieces))


def split_words(text: str) -> list[str]:
    """Return the tokens of a text: words, single Han characters, white space, line ends and punctuation."""
    return _TOKEN.findall(text)


def _diff_block(old: str, new: str, meter: DiffMeter) -> Iterable[Piece]:
    if not (old and new) or meter.remaining <= 0:
        return (Piece("removed", old), Piece("added", new))
    return _fold(list(_blocks(split_words(old), split_words(new), meter)))


def _blocks(old: Sequence[str], new: Sequence[str], meter: DiffMeter) -> Iterator[tuple[str, str, str]]:
    """Yield each kept run of tokens, with the removed and the added text before it."""
    at_old = at_new = 0
    for start_old, start_new, size in (*find_matches(old, new, meter), (len(old), len(new), 0)):
        removed, added = "".join(old[at_old:start_old]), "".join(new[at_new:start_new])
        at_old, at_new = start_old + size, start_new + size
        yield "".join(old[start_old:at_old]), removed, added


def _fold(blocks: list[tuple[str, str, str]]) -> Iterator[Piece]:
    """Yield the pieces of a block; a kept run without words, or shorter than the changes around it, does not split."""
    removed = added = ""
    for index, (kept, gone, come) in enumerate(blocks):
        removed, added = removed + gone, added + come
        _, next_gone, next_come = blocks[index + 1] if index + 1 < len(blocks) else ("", "", "")
        around = min(max(len(removed), len(added)), max(len(next_gone), len(next_come)))
        if around and "\n" not in kept and (not _WORD.search(kept) or len(kept) < around):
            removed, added = removed + kept, added + kept
            continue
        yield from (Piece("removed", removed), Piece("added", added), Piece("kept", kept))
        removed = added = ""


def _join(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """Join adjacent pieces of the same kind; of adjacent changes, the removed text comes first."""
    found: list[Piece] = []
    for is_kept, run in groupby((piece for piece in pieces if piece.text), key=lambda piece: piece.kind == "kept"):
        texts = list(run)
        kinds: tuple[PieceKind, ...] = ("kept",) if is_kept else ("removed", "added")
        joined = (Piece(kind, "".join(piece.text for piece in texts if piece.kind == kind)) for kind in kinds)
        found += (piece for piece in joined if piece.text)
    return tuple(found)


def _trim(lines: list[list[Piece]]) -> list[list[Piece]]:
    """Return lines without the unchanged empty ones around them."""
    filled = [index for index, line in enumerate(lines) if any(one.kind != "kept" or one.text.strip() for one in line)]
    return lines[filled[0] : filled[-1] + 1]


def _split_lines(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Yield the pieces of each line of the new text; a change that contains a line end stays whole."""
    line: list[Piece] = []
    for piece in pieces:
        for text in _LINE.findall(piece.text) if piece.kind == "kept" else (piece.text,):
            line.append(Piece(piece.kind, text))
            if piece.kind == "kept" and text.endswith("\n"):
                yield line
                line = []
    if line:
        yield line
