"""Check that the labels of packs name versions that callers can rely on."""

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from promptpack.library import Library
from promptpack.library.entry import Entry
from promptpack.library.labels import Label, LabelIndex, check, locate
from promptpack.library.lock import Lock
from promptpack.pack.version import Version, parse_version
from promptpack.problem import PackError, Problem

# The problems of a file of labels that could be read.
CODES: Final = ("PP743", "PP744", "PP747", "PP748", "PP749", "PP750")


def check_labels(labels: LabelIndex, library: Library) -> Iterator[Problem]:
    """Yield the labels that name a missing, abstract or draft version, or one that drops a locale."""
    yield from check(labels, library.entries)
    try:
        locks = library._locks
    except PackError:
        locks = {}  # the problems of a lock file are reported as such
    for pack, several in labels.all.items():
        files = _group_by_version(library, pack)
        named = {version for label in several.values() for version in map(parse_version, label.versions)}
        dropped = {one: _find_dropped(one, files, named) for one in named if one is not None and one in files}
        for label in several.values():
            for version in (one for one in map(parse_version, label.versions) if one is not None and one in files):
                yield from _check_version(label, version, files[version], locks.get(files[version][0].folder.root))
                found = dropped[version]
                if found is not None:
                    yield _report_dropped(label, version, *found)


def _group_by_version(library: Library, pack: str) -> dict[Version, list[Entry]]:
    """Return the files of a pack by version."""
    found: dict[Version, list[Entry]] = {}
    for entry in library._by_name.get(pack, ()):
        if entry.version is not None:
            found.setdefault(entry.version, []).append(entry)
    return found


def _check_version(label: Label, version: Version, files: list[Entry], lock: Lock | None) -> Iterator[Problem]:
    named, place = f"label {label.name!r} names {label.pack}@{version}", locate(label, str(version))
    if any(entry.document is not None and entry.document.data.get("abstract") for entry in files):
        hint = "name a version that can be rendered"
        yield Problem("PP747", f"{named}, which is abstract and cannot be rendered", place, hint)
    if lock is not None and not version.is_draft and not lock.has(label.pack, version):
        yield Problem("PP749", f"{named}, which is not locked", place, "run: promptpack lock", "warning")
    if version.is_draft:
        yield Problem("PP748", f"{named}, a draft that may change", place, "release it first", "warning")


def _find_dropped(
    version: Version, files: Mapping[Version, list[Entry]], named: Collection[Version | None]
) -> tuple[Version, list[str]] | None:
    """Return the locales that the release before a version, or an earlier version with a label, has, and it has not."""
    own = {entry.locale for entry in files[version]}
    older = sorted(one for one in files if one < version) if "" not in own else []
    releases = [one for one in older if not one.is_draft]
    for other in sorted({*releases[-1:], *(one for one in older if one in named)}):
        dropped = sorted({entry.locale for entry in files[other]} - own - {""})
        if dropped:
            return other, dropped
    return None


def _report_dropped(label: Label, version: Version, other: Version, dropped: list[str]) -> Problem:
    message = f"label {label.name!r} names {label.pack}@{version}, which has no variant for {', '.join(dropped)}"
    hint = f"{label.pack}@{other} has one; add it with 'promptpack new {label.pack} --locale {dropped[0]}'"
    return Problem("PP750", message, locate(label, str(version)), hint, "warning")
