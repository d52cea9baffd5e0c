"""Saving: atomic, never over a change made on disk, never over a release; new versions instead."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from promptpack.library.entry import Entry
from promptpack.pack.version import Version
from promptpack.problem import PackError, Problem, PromptpackError, UsageError
from promptpack.studio.request import PageRequest
from promptpack.studio.studio import Studio
from promptpack.versions.bumps import next_version
from promptpack.versions.compare import compare
from promptpack.versions.file_plan import FilePlan
from promptpack.versions.version_files import read_version, replace_version

_DRAFT: Final = ("dev",)
_LEVELS: Final = ("patch", "minor", "major")


def save(studio: Studio, request: PageRequest) -> dict[str, Any]:
    """Write a text over the file with the digest `base`; else return the file as it is now, and write nothing."""
    project, path, text = studio.project, request.text("path"), request.text("text")
    release = _find_release(studio, path)
    if release is not None and not (request.flag("over_release") and not release["is_locked"]):
        return {"release": {**release, **_offer(studio, path, text)}}
    written = project.write(path, text, request.text("base"))
    if written is None:
        now = project.read(path)
        return {"conflict": {"text": now.text, "digest": now.digest}}
    studio.drafts.drop(path, request.tab)
    return {"saved": {"text": written.text, "digest": written.digest}}


def bump(studio: Studio, request: PageRequest) -> dict[str, Any]:
    """Copy a version to a new draft, with a text that is typed in place of its file; return the path of the copy."""
    project, path, level = studio.project, request.text("path"), request.text("level")
    if level not in _LEVELS:
        raise UsageError(Problem("PP994", "the message has no valid 'level'", None, "use patch, minor or major"))
    entry, version = _require(studio, path)
    files = read_version(project.library, project.folder, entry.name, version)
    target = _target(studio, entry, level, is_restored=request.flag("is_restored"))
    copies = files.copies(target)
    typed = request.texts.get(path)
    if typed is not None:
        copies[files.rename(path, target)] = _with_version(typed, project.path_of(path), target)
    plan = FilePlan(project.folder, copies).pending()
    plan.apply()
    if typed is not None:
        studio.drafts.drop(path, request.tab)  # its text is in the new file
    project.refresh()
    return {"path": files.rename(path, target), "version": str(target), "written": sorted(plan.writes)}


def new_versions(studio: Studio, request: PageRequest) -> dict[str, Any]:
    """Return the versions that a copy of a file may get, and which part its changes since it was saved need."""
    path = request.text("path")
    text = studio.project.text_of(request.texts, path)
    return _offer(studio, path, text, is_restored=request.flag("is_restored"))


def _find_release(studio: Studio, path: str) -> dict[str, Any] | None:
    """Return the release that a file on disk is part of; None if it may be edited."""
    entry = studio.project.entry(path)
    if entry is None or entry.version is None or entry.version.is_draft:
        return None
    library = studio.project.library
    try:
        lock = library._locks.get(entry.folder.root)
        is_locked = lock is not None and lock.has(entry.name, entry.version)
    except PromptpackError:
        # A lock file that cannot be read may lock any version.
        is_locked = True
    return {"label": f"{entry.name}@{entry.version}", "is_locked": is_locked}


def _offer(studio: Studio, path: str, text: str, *, is_restored: bool = False) -> dict[str, Any]:
    entry, _ = _require(studio, path)
    targets = {level: str(_target(studio, entry, level, is_restored=is_restored)) for level in _LEVELS}
    return {"targets": targets, "needed": _needed(studio, entry, text)}


def _needed(studio: Studio, entry: Entry, text: str) -> str:
    """Return the part of the version that the changes of a text need; a patch if that is unknown."""
    try:
        old = studio.project.library._build_entry(entry)
        found = compare(old, studio.project.buffer(entry.file, text).build()).bump
    except PromptpackError:
        return "patch"
    return "patch" if found == "none" else found


def _target(studio: Studio, entry: Entry, level: Any, *, is_restored: bool) -> Version:
    """Return the next draft that no file has yet; of a restored version, one after the newest version."""
    versions = {one.version for one in studio.project.library.entries if one.name == entry.name and one.version}
    target = replace(max(versions) if is_restored else entry.version or max(versions), pre=())
    while True:
        target = next_version(target, level)
        draft = replace(target, pre=_DRAFT)
        if versions.isdisjoint((draft, target)):
            return draft


def _require(studio: Studio, path: str) -> tuple[Entry, Version]:
    entry = studio.project.entry(path)
    if entry is None or entry.version is None:
        message = f"{path!r} is not a version of a pack"
        raise UsageError(Problem("PP993", message, None, "open a pack file with a valid version"))
    return entry, entry.version


def _with_version(text: str, path: str, version: Version) -> str:
    try:
        changed = replace_version(text, path, version)
    except PackError as error:
        raise UsageError(error.problems) from error
    if changed is None:
        hint = "write 'version:' once, without an anchor"
        raise UsageError(Problem("PP935", "the version is written in a way that cannot be changed", None, hint))
    return changed
