"""Check that the labels of packs name versions that callers can rely on."""

from collections.abc import Iterator
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
    for label in labels:
        files = [entry for entry in library.entries if entry.name == label.pack and entry.version is not None]
        for text in label.versions:
            version = parse_version(text)
            chosen = [entry for entry in files if entry.version == version]
            if version is not None and chosen:
                yield from _check_version(label, version, chosen, locks.get(chosen[0].folder.root))
                yield from _check_locales(label, version, files, labels)


def _check_version(label: Label, version: Version, files: list[Entry], lock: Lock | None) -> Iterator[Problem]:
    named, place = f"label {label.name!r} names {label.pack}@{version}", locate(label, str(version))
    if any(entry.document is not None and entry.document.data.get("abstract") for entry in files):
        hint = "name a version that can be rendered"
        yield Problem("PP747", f"{named}, which is abstract and cannot be rendered", place, hint)
    if lock is not None and not version.is_draft and not lock.has(label.pack, version):
        yield Problem("PP749", f"{named}, which is not locked", place, "run: promptpack lock", "warning")
    if version.is_draft:
        yield Problem("PP748", f"{named}, a draft that may change", place, "release it first", "warning")


def _check_locales(label: Label, version: Version, files: list[Entry], labels: LabelIndex) -> Iterator[Problem]:
    """Compare with the release before it, and with earlier versions that labels of the pack name."""
    older = {entry.version for entry in files if entry.version is not None and entry.version < version}
    releases = sorted(one for one in older if not one.is_draft)
    named = {parse_version(text) for other in labels.all[label.pack].values() for text in other.versions}
    own = {entry.locale for entry in files if entry.version == version}
    for other in sorted({*releases[-1:], *(one for one in older if one in named)}):
        dropped = sorted({entry.locale for entry in files if entry.version == other} - own - {""})
        if dropped and "" not in own:
            message = (
                f"label {label.name!r} names {label.pack}@{version}, which has no variant for {', '.join(dropped)}"
            )
            hint = f"{label.pack}@{other} has one; add it with 'promptpack new {label.pack} --locale {dropped[0]}'"
            yield Problem("PP750", message, locate(label, str(version)), hint, "warning")
            return
