"""Where the word under a cursor is defined: an input, a key of it, a partial, or the pack that is extended."""

from promptpack.editor.buffer import Buffer
from promptpack.editor.cursor import word_under
from promptpack.editor.scope import origins_at
from promptpack.linter.subject import Subject
from promptpack.problem import Location, UsageError


def define(buffer: Buffer, offset: int) -> Location | None:
    """Find the definition of the word at `offset`."""
    subject = buffer.subject
    if subject is None:
        return None
    cursor = word_under(buffer.text, offset, buffer.syntax)
    match cursor.kind:
        case "name" | "input":
            return _input(subject, cursor.word)
        case "attribute":
            steps = [*cursor.owner.split("."), cursor.word]
            return _key(subject, steps) or _key_of_origin(buffer, subject, cursor.start, ".".join(steps))
        case "partial":
            source = subject.engine.partials.get(cursor.word)
            return source.locate(1, 1) if source else None
        case "pack":
            return _parent(buffer, subject)
        case _:
            return None


def _input(subject: Subject, name: str) -> Location | None:
    declared = subject.inputs.get(name)
    return declared.location if declared else None


def _key(subject: Subject, steps: list[str]) -> Location | None:
    placed = subject.parts.inputs.get(steps[0])
    for step in steps[1:]:
        properties = placed.value.get("properties") if placed and isinstance(placed.value, dict) else None
        if placed is None or not isinstance(properties, dict) or step not in properties:
            return None
        placed = placed.child("properties", step)
    return placed.locate_key() if placed else None


def _key_of_origin(buffer: Buffer, subject: Subject, offset: int, expression: str) -> Location | None:
    """Follow a name that the template has set back to the key of the input that it comes from."""
    for origin in origins_at(buffer, offset, expression):
        placed = subject.parts.inputs.get(origin.input)
        for key in origin.keys:
            inner = ("items",) if key == "*" else ("properties", key)
            try:
                placed = placed.child(*inner) if placed else None
            except (KeyError, TypeError):
                placed = None
        if placed is not None and not origin.filters:
            return placed.locate_key()
    return None


def _parent(buffer: Buffer, subject: Subject) -> Location | None:
    request = subject.document.data.get("extends")
    if request is None:
        return None
    try:
        entry = buffer.library.find(request, subject.identity[2])
    except UsageError:
        return None  # told as a problem of the pack
    return Location(entry.shown, 1, 1)
