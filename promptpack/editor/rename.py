"""Rename an input in a pack, in its locale variants and in the packs that extend it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from jinja2 import nodes

from promptpack.editor.buffer import Buffer
from promptpack.editor.references import find_affected, find_renamable, find_uses, locate_in_own_file
from promptpack.linter.parsed_texts import ParsedText
from promptpack.linter.subject import Subject
from promptpack.pack.pack_compiler import BUILT_IN_NAMES
from promptpack.problem import Location, PackError, Problem, UsageError
from promptpack.template.language import FUNCTIONS

_PARTIAL_FILE = ".j2"
_RESERVED = frozenset((*BUILT_IN_NAMES, *FUNCTIONS, "reply", "violations", "loop", "true", "false", "none"))


@dataclass(frozen=True, slots=True, order=True)
class Replacement:
    """Replaces the word at a location by a text."""

    location: Location
    text: str


def rename(buffer: Buffer, offset: int, name: str) -> tuple[Replacement, ...]:
    """Rename the input at `offset`; raise `UsageError` if that would break a pack or change its meaning."""
    span = find_renamable(buffer, offset)
    if span is None or buffer.subject is None:
        raise UsageError(Problem("PP921", "this is not an input's name", None, "put the cursor on an input's name"))
    old = buffer.text[slice(*span)]
    affected = find_affected(buffer.subject, old)
    shared = {location: text for subject in affected for location, text in _shared_uses(subject, old, affected)}
    problems = [*_name_problems(affected, old, name), *_shared_problems(buffer.subject, affected, old, shared)]
    if problems:
        raise UsageError(problems)
    locations = {location for subject in affected for location in locate_in_own_file(subject, old)} | shared.keys()
    return tuple(sorted(Replacement(location, name) for location in locations))


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
    return ((location, text) for location, text in find_uses(subject, name) if location.path not in own)


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
