"""Give an input another name wherever the pack, its locale variants and the packs that extend it say the old one."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from jinja2 import nodes

from promptpack.document import Document
from promptpack.editor.buffer import Buffer
from promptpack.linter.subject import ParsedText, Subject
from promptpack.pack.link import GIVEN
from promptpack.pack.placed import Placed, items_at
from promptpack.problem import Location, PackError, Problem, UsageError
from promptpack.template.language import FUNCTIONS
from promptpack.template.names import find_needs

_PARTIAL_FILE = ".j2"
_WORD = re.compile(r"[A-Za-z]\w*")
_RESERVED = frozenset((*GIVEN, *FUNCTIONS, "reply", "violations", "loop", "true", "false", "none"))


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """`length` characters at a place give way to a text."""

    location: Location
    length: int
    text: str


def find_renamable(buffer: Buffer, offset: int) -> tuple[int, int] | None:
    """Give the start and end of the input's name at `offset`, or None where there is none."""
    subject = buffer.subject
    word = next((found for found in _WORD.finditer(buffer.text) if found.start() <= offset <= found.end()), None)
    if subject is None or word is None or word[0] not in subject.inputs:
        return None
    line = buffer.text.count("\n", 0, word.start()) + 1
    place = Location(subject.document.path, line, word.start() - buffer.text.rfind("\n", 0, word.start()))
    return word.span() if place in _places(subject, word[0]) else None


def rename(buffer: Buffer, offset: int, name: str) -> tuple[Change, ...]:
    """Rename the input at `offset`; raises `UsageError` where that would change what packs mean."""
    span = find_renamable(buffer, offset)
    if span is None or buffer.subject is None:
        raise UsageError(Problem("PP921", "this is no name of an input", None, "put the cursor on an input's name"))
    old = buffer.text[slice(*span)]
    affected = _affected(buffer.subject, old)
    shared = {place: text for subject in affected for place, text in _shared_uses(subject, old, affected)}
    problems = [*_name_problems(affected, old, name), *_shared_problems(buffer.subject, affected, old, shared)]
    if problems:
        raise UsageError(problems)
    places = {place for subject in affected for place in _places(subject, old)} | shared.keys()
    return tuple(sorted(Change(place, len(old), name) for place in places))


def _affected(subject: Subject, name: str) -> list[Subject]:
    """Find the packs that have the same input: those that declare it beside this one, and those that inherit it."""
    declaring = {subject.parts.inputs[name].document.path}
    declaring |= {
        variant.document.path
        for variant in subject.library.variants(subject)
        if name in variant.inputs and variant.owns(variant.parts.inputs[name])
    }
    found: list[Subject] = []
    for entry in subject.library.entries:
        try:
            other = subject.library.load(entry)
        except PackError as error:
            if entry.document is None or re.search(rf"\b{name}\b", entry.document.text):
                message = f"{entry.shown} is broken, so nobody can say whether it uses {name!r}"
                raise UsageError(Problem("PP922", message, None, "mend it first")) from error
            continue
        if name in other.inputs and other.parts.inputs[name].document.path in declaring:
            found.append(other)
    return found


def _name_problems(affected: list[Subject], old: str, new: str) -> Iterator[Problem]:
    if not re.fullmatch(r"[A-Za-z]\w*", new, re.ASCII) or new in _RESERVED:
        yield Problem("PP923", f"{new!r} cannot be the name of an input", None, "use letters, digits and '_'")
    elif new != old and any(new in _taken(subject) for subject in affected):
        yield Problem("PP923", f"{new!r} is taken", None, "choose another name")


def _taken(subject: Subject) -> set[str]:
    texts = (*subject.texts, *subject.partials.values())
    stored = {node.name for text in texts for node in text.tree.find_all(nodes.Name) if node.ctx != "load"}
    return stored | set(subject.inputs)


def _shared_uses(subject: Subject, name: str, affected: list[Subject]) -> Iterator[tuple[Location, ParsedText]]:
    """Find the uses in texts outside of the files of the packs that are renamed."""
    own = {other.document.path for other in affected}
    return ((place, text) for place, text in _uses(subject, name) if place.path not in own)


def _shared_problems(
    subject: Subject, affected: list[Subject], name: str, shared: Mapping[Location, ParsedText]
) -> Iterator[Problem]:
    own = {subject.document.path for subject in affected}
    declared = {subject.parts.inputs[name].document.path for subject in affected}
    for path in sorted(declared - own):
        yield Problem(
            "PP924", f"{name!r} is declared in {path}, which is not among these packs", None, "rename it there"
        )
    for place in sorted(shared):
        if not place.path.endswith(_PARTIAL_FILE) or _is_used_elsewhere(subject, own, shared[place].name):
            hint = "packs that are not renamed use it too; set the name there first"
            yield Problem("PP924", f"{name!r} is used in a text that other packs share", place, hint)


def _is_used_elsewhere(subject: Subject, own: set[str], partial: str) -> bool:
    """Say whether a pack that is not renamed includes a partial, or may do so."""
    for entry in subject.library.entries:
        if entry.shown in own:
            continue
        try:
            other = subject.library.load(entry)
        except PackError:
            return True
        if not other.is_complete or partial in other.sketch.linker.used_partials:
            return True
    return False


def _places(subject: Subject, name: str) -> set[Location]:
    """Find every place in the pack's own file where the input is named."""
    own = subject.document.path
    used = (place for place, _ in _uses(subject, name))
    return {place for place in (*used, *_named(subject, name)) if place.path == own}


def _uses(subject: Subject, name: str) -> Iterator[tuple[Location, ParsedText]]:
    """Find where templates and expressions use the input, inherited ones among them."""
    included = (subject.partials.get(partial) for partial in subject.sketch.linker.used_partials)
    own = (text for text in subject.partials.values() if text.source.locate(1, 1).path == subject.document.path)
    for text in (*subject.texts, *(text for text in included if text is not None), *own):
        for use in find_needs(text.tree, lambda _: None).names:
            if use.name == name:
                yield _place_of(text, use.position, name, subject), text


def _place_of(text: ParsedText, position: int, name: str, subject: Subject) -> Location:
    place = text.locate(position)
    if text.source.syntax == "jinja" or place.path != subject.document.path:
        return place
    # A Handlebars tag is known by where it opens; the name stands inside of it.
    lines = subject.document.text.split("\n")
    return Location(place.path, place.line, lines[place.line - 1].index(name, place.column - 1) + 1)


def _named(subject: Subject, name: str) -> Iterator[Location]:
    """Find where the pack's own file names the input outside of templates."""
    document: Document = subject.document
    root = Placed(document.data, document, ())
    if name in document.data.get("inputs", {}):
        yield document.locate_key(("inputs", name))
    for message in items_at(root, "messages"):
        if message.value.get("history") == name:
            yield message.locate("history")
    if document.data.get("reply", {}).get("tools") == name:
        yield document.locate(("reply", "tools"))
    for test in items_at(root, "tests"):
        if name in test.value.get("context", {}):
            yield test.locate_key("context", name)
