"""Propose names at a cursor; names that start with the typed text come first."""

from dataclasses import dataclass

from promptpack.editor.buffer import Buffer
from promptpack.editor.cursor_word import WordKind, find_typed_word
from promptpack.editor.symbols import Symbol, find_symbols


@dataclass(frozen=True, slots=True)
class Proposal:
    """A name that may replace the word from `start` to the cursor."""

    symbol: Symbol
    kind: WordKind
    start: int


def complete(buffer: Buffer, offset: int) -> tuple[Proposal, ...]:
    """Return the proposals for the position right after `offset`."""
    word = find_typed_word(buffer.text, offset, buffer.syntax)
    named: dict[str, Symbol] = {}
    for symbol in find_symbols(buffer, word):
        named.setdefault(symbol.name, symbol)
    typed = word.text.casefold()
    order = sorted(named.values(), key=lambda symbol: not symbol.name.casefold().startswith(typed))
    return tuple(Proposal(symbol, word.kind, word.start) for symbol in order)
