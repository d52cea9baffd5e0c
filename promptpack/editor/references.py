"""Find every use of an input: in its pack, in the locale variants and in the packs that extend it."""

import re
from collections.abc import Iterator

from promptpack.document import Document
from promptpack.editor.buffer import Buffer
from promptpack.linter.parsed_texts import ParsedText
from promptpack.linter.subject import Subject
from promptpack.pack.cases.sections import find_given
from promptpack.pack.placed import Placed, items_at
from promptpack.problem import Location, PackError, Problem, UsageError
from promptpack.template.names import DependencyFinder

_WORD = re.compile(r"[A-Za-z]\w*")


def find_references(buffer: Buffer, offset: int) -> tuple[Location, ...]:
    """Return where the input at `offset` is declared and used, in all files; raise `UsageError` if a pack is broken."""
    span = find_renamable(buffer, offset)
    if span is None or buffer.subject is None:
        return ()
    name = buffer.text[slice(*span)]
    found: set[Location] = set()
    for subject in find_affected(buffer.subject, name):
        found |= locate_in_own_file(subject, name)
        found.update(location for location, _ in find_uses(subject, name))
    return tuple(sorted(found))


def find_renamable(buffer: Buffer, offset: int) -> tuple[int, int] | None:
    """Return the start and end of the input name at `offset`, or None if there is none."""
    subject = buffer.subject
    word = next((found for found in _WORD.finditer(buffer.text) if found.start() <= offset <= found.end()), None)
    if subject is None or word is None or word[0] not in subject.inputs:
        return None
    line = buffer.text.count("\n", 0, word.start()) + 1
    location = Location(subject.document.path, line, word.start() - buffer.text.rfind("\n", 0, word.start()))
    return word.span() if location in locate_in_own_file(subject, word[0]) else None


def find_affected(subject: Subject, name: str) -> list[Subject]:
    """Return the packs that share an input: this one, the variants that declare it, and the packs that inherit it."""
    declaring = {subject.sections.inputs[name].document.path}
    declaring |= {
        variant.document.path
        for variant in subject.library.variants(subject)
        if name in variant.inputs and variant.owns(variant.sections.inputs[name])
    }
    found: list[Subject] = []
    for entry in subject.library.entries:
        try:
            other = subject.library.load(entry)
        except PackError as error:
            if entry.document is None or re.search(rf"\b{name}\b", entry.document.text):
                message = f"{entry.path} is broken, so it is unknown whether it uses {name!r}"
                raise UsageError(Problem("PP922", message, None, "fix it first")) from error
            continue
        if name in other.inputs and other.sections.inputs[name].document.path in declaring:
            found.append(other)
    return found


def locate_in_own_file(subject: Subject, name: str) -> set[Location]:
    """Return the locations of the input's name in the pack's own file."""
    own = subject.document.path
    used = (location for location, _ in find_uses(subject, name))
    return {location for location in (*used, *_named(subject, name)) if location.path == own}


def find_uses(subject: Subject, name: str) -> Iterator[tuple[Location, ParsedText]]:
    """Yield where templates and expressions use the input, including inherited ones."""
    included = (subject.partials.get(partial) for partial in subject.compiled.compiler.used_partials)
    own = (text for text in subject.partials.values() if text.source.locate(1, 1).path == subject.document.path)
    for text in (*subject.texts, *(text for text in included if text is not None), *own):
        for use in DependencyFinder({}).find(text.tree).uses:
            if use.name == name:
                yield _locate_name(text, use.position, name, subject), text


def _locate_name(text: ParsedText, position: int, name: str, subject: Subject) -> Location:
    found = text.locate(position)
    if text.source.syntax == "jinja" or found.path != subject.document.path:
        return found
    # The position of a Handlebars name is the start of its tag.
    lines = subject.document.text.split("\n")
    start = lines[found.line - 1].index(name, found.column - 1)
    return Location(found.path, found.line, start + 1)._with_word(name, 0)


def _named(subject: Subject, name: str) -> Iterator[Location]:
    """Yield where the pack's own file names the input outside templates."""
    document: Document = subject.document
    root = Placed(document.data, document, ())
    if name in document.data.get("inputs", {}):
        yield document.locate_key(("inputs", name))
    for message in items_at(root, "messages"):
        if message.value.get("history") == name:
            yield message.locate("history")
    if document.data.get("reply", {}).get("tools") == name:
        yield document.locate(("reply", "tools"))
    for path in find_given(document.data, name):
        yield document.locate_key(path)
