"""Find the problems of a diff: versions that are too small, changed releases, removed ones and broken packs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from shlex import quote

from promptpack.problem import Problem
from promptpack.versions.version_diff import VersionDiff
from promptpack.versions.version_side import VersionSide, have_other_texts


def find_broken(diffs: Iterable[VersionDiff]) -> Iterator[Problem]:
    """Yield why versions cannot be compared: the problems of broken packs, those of the old side as warnings."""
    for diff in diffs:
        yield from diff.problems
        if (
            diff.status == "broken"
            and diff.old is not None
            and not any(one.severity == "error" for one in diff.problems)
        ):
            message = f"{diff.name}@{diff.versions} cannot be compared, because the old side is broken"
            location = diff.new.location if diff.new else None
            yield Problem("PP766", message, location, "read the new file itself, and choose its version", "warning")


def find_wrong_versions(diffs: Iterable[VersionDiff], undo: str = "") -> Iterator[Problem]:
    """Yield the versions that are too small, changed releases, and, as warnings, removed releases.

    `undo` is a command that restores files, to which their paths are added.
    """
    for diff in diffs:
        if diff.status == "removed":
            yield from _check_removed(diff)
        elif diff.is_rewritten:
            yield _rewritten(diff, undo)
        elif diff.is_too_small:
            yield _too_small(diff)


def _check_removed(diff: VersionDiff) -> Iterator[Problem]:
    if diff.old is not None and diff.old.is_release:
        hint = "restore the file, unless nobody requests this version now"
        yield Problem("PP767", f"the release {diff.old.label} was removed", diff.old.location, hint, "warning")


def _rewritten(diff: VersionDiff, undo: str) -> Problem:
    assert diff.new is not None  # noqa: S101 -- it exists on both sides
    message = f"{diff.new.label} is a release, but has changed; {_describe(diff)}"
    if diff.old is not None and not have_other_texts(diff.old, diff.new):
        hint = "the change is in a file that it uses, such as a partial or a parent; undo it, and change a copy instead"
        return Problem("PP728", message, diff.new.location, hint)
    restore = _restore(diff.old, diff.new, undo) if undo and diff.old is not None else ""
    return Problem("PP728", message, diff.new.location, f"{_bump_hint(diff)}{restore}")


def _restore(old: VersionSide, new: VersionSide, undo: str) -> str:
    """Return the command to run after the bump, which restores all files of the release that differ."""
    now = {entry.file: entry for entry in new.entries}
    before = {entry.file: entry for entry in old.entries}
    changed = [file for file, entry in before.items() if file not in now or now[file].content != entry.content]
    paths = " ".join(quote(new.entries[0].folder.show(file)) for file in changed)
    added = " and ".join(quote(entry.path) for file, entry in now.items() if file not in before)
    return (f", then: {undo} {paths}" if changed else "") + (f", then delete {added}" if added else "")


def _too_small(diff: VersionDiff) -> Problem:
    assert diff.new is not None  # noqa: S101 -- it has a version
    message = f"version {diff.new.version} is too small: {_describe(diff)}"
    return Problem("PP765", message, diff.new.location, _bump_hint(diff))


def _describe(diff: VersionDiff) -> str:
    """Return which version the change needs, and why."""
    assert diff.since is not None  # noqa: S101 -- it has a base
    causes = [change for change in diff.since.changes if change.bump == diff.bump]
    more = f" and {len(causes) - 1} more" if len(causes) > 1 else ""
    why = f", because of {causes[0].code} ({causes[0].message}){more}" if causes else ""
    since = f" since {diff.base.version}" if diff.base and not diff.is_rewritten else ""
    return f"the change{since} needs {diff.required} ({diff.bump}){why}"


def _bump_hint(diff: VersionDiff) -> str:
    return f"run: promptpack bump {diff.name} {diff.bump}"
