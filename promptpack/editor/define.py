"""Find the definition of the word at a cursor: an input, a key of it, a partial, or the extended pack."""

from promptpack.editor.buffer import Buffer
from promptpack.editor.cursor_word import find_word_under
from promptpack.editor.scope import find_origins
from promptpack.linter.data_flow import InputOrigin
from promptpack.linter.subject import Subject
from promptpack.problem import Location, UsageError


def define(buffer: Buffer, offset: int) -> Location | None:
    """Return the location of the definition of the word at `offset`."""
    subject = buffer.subject
    if subject is None:
        return None
    word = find_word_under(buffer.text, offset, buffer.syntax)
    match word.kind:
        case "name" | "input":
            return _input(subject, word.text)
        case "attribute":
            (origins,) = find_origins(buffer, word.start, f"{word.owner}.{word.text}")
            return next((found for origin in origins if (found := _key(subject, origin)) is not None), None)
        case "partial":
            source = subject.engine.partials.get(word.text)
            return source.locate(1, 1) if source else None
        case "pack":
            return _parent(buffer, subject)
        case _:
            return None


def _input(subject: Subject, name: str) -> Location | None:
    declared = subject.inputs.get(name)
    return declared.location if declared else None


def _key(subject: Subject, origin: InputOrigin) -> Location | None:
    """Return the location of the key of an input that a value comes from."""
    placed = subject.sections.inputs.get(origin.input)
    if placed is None or origin.filters:
        return None
    try:
        for key in origin.keys:
            placed = placed.child("items") if key == "*" else placed.child("properties", key)
    except (KeyError, TypeError):
        return None
    return placed.locate_key()


def _parent(buffer: Buffer, subject: Subject) -> Location | None:
    request = subject.document.data.get("extends")
    if request is None:
        return None
    try:
        entry = buffer.library._find_entry(request, subject.identity[2])
    except UsageError:
        return None  # reported as a problem of the pack
    return Location(entry.path, 1, 1)
