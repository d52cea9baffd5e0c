"""Rename an input in a pack, in its locale variants and in the packs that extend it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from jinja2 import nodes

from promptpack.document import Document
from promptpack.editor.buffer import Buffer
from promptpack.linter.parsed_texts import ParsedText
from promptpack.linter.subject import Subject
from promptpack.pack.pack_compiler import BUILT_IN_NAMES
from promptpack.pack.placed import Placed, items_at
from promptpack.problem import Location, PackError, Problem, UsageError
from promptpack.template.language import FUNCTIONS
from promptpack.template.names import DependencyFinder

_PARTIAL_FILE = ".j2"
_WORD = re.compile(r"[A-Za-z]\w*")
_RESERVED = frozenset((*BUILT_IN_NAMES, *FUNCTIONS, "reply", "violations", "loop", "true", "false", "none"))


@dataclass(frozen=True, slots=True, order=True)
class Replacement:
    """Replaces the word at a location by a text."""

    location: Location
    text: str


def find_renamable(buffer: Buffer, offset: int) -> tuple[int, int] | None:
    """Return the start and end of the input name at `offset`, or None if there is none."""
    subject = buffer.subject
    word = next((found for found in _WORD.finditer(buffer.text) if found.start() <= offset <= found.end()), None)
    if subject is None or word is None or word[0] not in subject.inputs:
        return None
    line = buffer.text.count("\n", 0, word.start()) + 1
    location = Location(subject.document.path, line, word.start() - buffer.text.rfind("\n", 0, word.start()))
    return word.span() if location in _own_locations(subject, word[0]) else None


def rename(buffer: Buffer, offset: int, name: str) -> tuple[Replacement, ...]:
    """Rename the input at `offset`; raise `UsageError` if that would break a pack or change its meaning."""
    span = find_renamable(buffer, offset)
    if span is None or buffer.subject is None:
        raise UsageError(Problem("PP921", "this is not an input's name", None, "put the cursor on an input's name"))
    old = buffer.text[slice(*span)]
    affected = _affected(buffer.subject, old)
    shared = {location: text for subject in affected for location, text in _shared_uses(subject, old, affected)}
    problems = [*_name_problems(affected, old, name), *_shared_problems(buffer.subject, affected, old, shared)]
    if problems:
        raise UsageError(problems)
    locations = {location for subject in affected for location in _own_locations(subject, old)} | shared.keys()
    return tuple(sorted(Replacement(location, name) for location in locations))


def _affected(subject: Subject, name: str) -> list[Subject]:
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


def _name_problems(affected: list[Subject], old: str, new: str) -> Iterator[Problem]:
    if not re.fullmatch(r"[A-Za-z]\w*", new, re.ASCII) or new in _RESERVED:
        yield Problem("PP923", f"{new!r} cannot be the name of an input", None, "use letters, digits and '_'")
    elif new != old and any(new in _used_names(subject) for subject in affected):
        yield Problem("PP923", f"{new!r} is already used", None, "choose another name")


def _used_names(subject: Subject) -> set[str]:
    texts = (*subject.texts, *subject.partials.values())
    stored = {node.name for text in texts for node in text.tree.find_all(nodes.Name) if node.ctx != "load"}
    return stored | set(subject.inputs)


def _shared_uses(subject: Subject, name: str, affected: list[Subject]) -> Iterator[tuple[Location, ParsedText]]:
    """Return the uses of the input in texts outside the files of the affected packs."""
    own = {other.document.path for other in affected}
    return ((location, text) for location, text in _uses(subject, name) if location.path not in own)


def _shared_problems(
    subject: Subject, affected: list[Subject], name: str, shared: Mapping[Location, ParsedText]
) -> Iterator[Problem]:
    own = {subject.document.path for subject in affected}
    declared = {subject.sections.inputs[name].document.path for subject in affected}
    for path in sorted(declared - own):
        message = f"{name!r} is declared in {path}, which this rename does not change"
        yield Problem("PP924", message, None, "rename it there")
    elsewhere = _partials_used_elsewhere(subject, own) if shared else frozenset()
    for location in sorted(shared):
        if not location.path.endswith(_PARTIAL_FILE) or elsewhere is None or shared[location].name in elsewhere:
            hint = "packs that this rename does not change use that text too; remove the name from it first"
            yield Problem("PP924", f"{name!r} is used in a text that other packs share", location, hint)


def _partials_used_elsewhere(subject: Subject, own: set[str]) -> frozenset[str] | None:
    """Return the partials that packs that are not affected include; None if they are not all known."""
    found: set[str] = set()
    for entry in subject.library.entries:
        if entry.path in own:
            continue
        try:
            other = subject.library.load(entry)
        except PackError:
            return None
        if not other.is_complete:
            return None
        found |= other.compiled.compiler.used_partials
    return frozenset(found)


def _own_locations(subject: Subject, name: str) -> set[Location]:
    """Return the locations of the input's name in the pack's own file."""
    own = subject.document.path
    used = (location for location, _ in _uses(subject, name))
    return {location for location in (*used, *_named(subject, name)) if location.path == own}


def _uses(subject: Subject, name: str) -> Iterator[tuple[Location, ParsedText]]:
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
    return Location(found.path, found.line, start + 1).with_word(name, 0)


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
    for test in items_at(root, "tests"):
        if name in test.value.get("context", {}):
            yield test.locate_key("context", name)
