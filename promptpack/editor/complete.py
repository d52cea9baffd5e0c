"""What may stand at a cursor: the names that begin with what has been typed come first."""

from dataclasses import dataclass

from promptpack.editor.buffer import Buffer
from promptpack.editor.cursor import Kind, find_cursor
from promptpack.editor.known import Known, known_at


@dataclass(frozen=True, slots=True)
class Proposal:
    """A name that may take the place of the word from `start` to the cursor."""

    known: Known
    kind: Kind
    start: int


def complete(buffer: Buffer, offset: int) -> tuple[Proposal, ...]:
    """Propose names for the place right after `offset`."""
    cursor = find_cursor(buffer.text, offset, buffer.syntax)
    named: dict[str, Known] = {}
    for known in known_at(buffer, cursor):
        named.setdefault(known.name, known)
    typed = cursor.word.casefold()
    order = sorted(named.values(), key=lambda known: not known.name.casefold().startswith(typed))
    return tuple(Proposal(known, cursor.kind, cursor.start) for known in order)
