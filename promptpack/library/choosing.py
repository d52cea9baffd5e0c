"""Choose the pack file for a request: by name, by version range or label, and by locale."""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptpack.library.entry import Entry
from promptpack.library.parents import suggest_name
from promptpack.library.ranges import PackReference, choose_locale, parse_reference, preference
from promptpack.pack.version import Version, parse_version
from promptpack.problem import Problem, UsageError

if TYPE_CHECKING:
    from promptpack.library.library import Library


def choose(
    library: Library, reference: PackReference, locale: str | None, fallback: str | None = None, key: str | None = None
) -> Entry:
    """Return the newest file that matches a reference, in a locale; `key` chooses the version of a trial."""
    named = library._by_name.get(reference.name)
    if not named:
        hint = suggest_name(library, reference.name)
        raise UsageError(Problem("PP701", f"no pack named {reference.name!r}", None, hint))
    if reference.label:
        version = library._labels.choose(reference.name, reference.label, key)
        reference = _exactly(reference, (version,))
    matching = [entry for entry in named if reference.matches(entry.name, entry.version)]
    if not matching:
        versions = ", ".join(sorted({str(entry.version) for entry in named}))
        message = f"no version of {reference.name!r} matches {reference.text!r}"
        raise UsageError(Problem("PP702", message, None, f"the library has {versions}"))
    newest = max(matching, key=preference)
    return choose_locale([entry for entry in matching if entry.version == newest.version], locale, fallback)


def select(library: Library, request: str) -> PackReference:
    """Return the reference of a request; a label becomes the versions that it names, all of them for a trial."""
    reference = parse_reference(request)
    if reference.label and reference.name in library._by_name:
        found = _versions(library, reference)
        reference = _exactly(reference, tuple(filter(None, map(parse_version, found))))
    choose(library, reference, None)
    return reference


def alternatives(library: Library, request: str) -> tuple[str, ...]:
    """Return the requests that a request may stand for: one for each version of a trial, else itself."""
    reference = parse_reference(request)
    versions = _versions(library, reference) if reference.label else ()
    return tuple(f"{reference.name}@{version}" for version in versions) if len(versions) > 1 else (request,)


def _versions(library: Library, reference: PackReference) -> tuple[str, ...]:
    return library._labels.follow(reference.name, reference.label).versions


def _exactly(reference: PackReference, versions: tuple[Version, ...]) -> PackReference:
    text = f"{reference.name}@{','.join(map(str, versions))}"
    return PackReference(text, reference.name, (lambda version: version in versions,))
