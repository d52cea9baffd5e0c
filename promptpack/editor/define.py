"""Find the definition of the word at a cursor: an input, a key of it, a partial, or the extended pack."""

from promptpack.editor.buffer import Buffer
from promptpack.editor.cursor_word import find_word_under
from promptpack.editor.scope import find_origins
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
            path = [*word.owner.split("."), word.text]
            return _key(subject, path) or _key_of_origin(buffer, subject, word.start, ".".join(path))
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


def _key(subject: Subject, path: list[str]) -> Location | None:
    placed = subject.sections.inputs.get(path[0])
    for key in path[1:]:
        properties = placed.value.get("properties") if placed and isinstance(placed.value, dict) else None
        if placed is None or not isinstance(properties, dict) or key not in properties:
            return None
        placed = placed.child("properties", key)
    return placed.locate_key() if placed else None


def _key_of_origin(buffer: Buffer, subject: Subject, offset: int, expression: str) -> Location | None:
    """Return the location of the input key that a name set by the template comes from."""
    for origin in find_origins(buffer, offset, expression):
        placed = subject.sections.inputs.get(origin.input)
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
        return None  # reported as a problem of the pack
    return Location(entry.path, 1, 1)
