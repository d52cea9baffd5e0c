"""A pack and the part of the version to raise -> `VersionBump`: the files of the new version."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final, Literal, NamedTuple

from promptpack.library import Library, choosing
from promptpack.library.choosing import parse_reference
from promptpack.library.lock import key_of
from promptpack.pack.version import Version, parse_version
from promptpack.problem import PackError, Problem, UsageError
from promptpack.versions.bumps import is_enough, next_version, required_version
from promptpack.versions.change import Bump, Comparison
from promptpack.versions.file_plan import FilePlan
from promptpack.versions.pack_versions import PackVersions, digests_of, open_versions, too_small
from promptpack.versions.saved_versions import has_version
from promptpack.versions.version_files import VersionFiles

BumpLevel = Literal["auto", "patch", "minor", "major"]
LEVELS: Final[tuple[BumpLevel, ...]] = ("auto", "patch", "minor", "major")


class VersionBump(NamedTuple):
    """A new version of a pack: its source, the files to write, and the reason for its number."""

    source: str
    target: str
    plan: FilePlan
    comparison: Comparison | None = None
    """The changes since the saved version, if it was compared."""

    @property
    def is_enough(self) -> bool:
        """Whether the source needs no larger version."""
        return self.source == self.target


def plan_bump(library: Library, request: str, level: BumpLevel, pre: str = "") -> VersionBump:
    """Plan a new version of a pack, copied from the newest one or from the requested one.

    An edited release is moved: its files become the new version, and are then restored as they were saved. With the
    level `auto`, the changes since the saved version decide, or those of a draft since the release before it.
    """
    versions = open_versions(library, request)
    source, copy = _choose_source(versions, request)
    saved = versions.find_saved(source.version)
    if saved is not None and saved.texts != source.texts:
        return _move(versions, source, saved, copy, level, pre)
    if saved is not None or _is_locked(versions, source.version):
        if level == "auto":
            raise UsageError(_unchanged(versions, source))
        target = _with_pre(next_version(source.version, level), source.version, pre)
        return _copy(source, target)
    return _raise_unsaved(versions, source, level, pre, "@" in request)


def _choose_source(versions: PackVersions, request: str) -> tuple[VersionFiles, VersionFiles | None]:
    """Return the version to copy, and a newer version that is already a copy of it, perhaps an unfinished one."""
    if "@" in request:
        version = choosing.choose(versions.library, parse_reference(request), None).version
        assert version is not None  # noqa: S101 -- it matched
        source = versions.read(version)
        return source, next((one for one in _newer(versions, version) if _is_copy(versions, source, one)), None)
    copy = None
    source = versions.read(versions.all[-1])
    while (origin := _find_origin(versions, source)) is not None:
        source, copy = origin, source
    return source, copy


def _newer(versions: PackVersions, version: Version) -> Iterator[VersionFiles]:
    return (versions.read(one) for one in reversed(versions.all) if one > version)


def _find_origin(versions: PackVersions, copy: VersionFiles) -> VersionFiles | None:
    for version in reversed(versions.all):
        if version < copy.version:
            try:
                origin = versions.read(version)
                if _is_copy(versions, origin, copy):
                    return origin
            except (PackError, UsageError):
                continue  # nothing can be copied from a version that is broken
    return None


def _is_copy(versions: PackVersions, origin: VersionFiles, copy: VersionFiles) -> bool:
    """Return whether nobody has edited a copy; files that are not copied yet, or restored already, do not count."""
    made = origin.copies(copy.version)
    saved = versions.find_saved(origin.version)
    restored = set() if saved is None else {path for path in origin.texts if _is_restored(origin, saved, path)}
    if len(restored) == len(origin.texts):
        restored = set()
    compared = {origin.rename(path, copy.version) for path in origin.texts if path not in restored}
    kept = {path: text for path, text in copy.texts.items() if path in compared}
    is_known = all(path in made for path in copy.texts)
    return is_known and bool(kept) and all(made[path] == text for path, text in kept.items())


def _is_restored(origin: VersionFiles, saved: VersionFiles, path: str) -> bool:
    return saved.texts.get(path) == origin.texts[path]


def _move(
    versions: PackVersions,
    source: VersionFiles,
    saved: VersionFiles,
    copy: VersionFiles | None,
    level: BumpLevel,
    pre: str,
) -> VersionBump:
    """Plan to move an edited release to a new version, and then to restore it."""
    restored = {path: text for path, text in saved.texts.items() if source.texts.get(path) != text}
    added = tuple(path for path in source.removal_order if path not in saved.texts)
    if copy is not None and (level == "auto" or _matches(copy.version, source.version, level)):
        # An interrupted move: some of the release may be restored already.
        target, comparison = copy.version, None
        made = {path: text for path, text in source.copies(target).items() if path not in copy.texts}
    else:
        target, comparison = _decide_move(versions, source, level, pre)
        made = source.copies(target)
    plan = FilePlan(versions.folder, {**made, **restored}, added, frozenset(restored))
    return VersionBump(source.label, f"{source.name}@{target}", plan, comparison)


def _matches(copy: Version, source: Version, level: Bump) -> bool:
    return replace(copy, pre=()) == next_version(source, level)


def _decide_move(
    versions: PackVersions, source: VersionFiles, level: BumpLevel, pre: str
) -> tuple[Version, Comparison]:
    comparison = versions.compare(source.version, source.version)
    needed = versions.needed(source.version, comparison, source.version)
    if level == "auto":
        if needed == "none":
            message = (
                f"the edit of {source.label} changes only comments, descriptions or tests, which need no new version"
            )
            hint = f"to move it to a new version, run: promptpack bump {source.name} patch"
            raise UsageError(Problem("PP937", message, None, hint))
        return _with_pre(required_version(source.version, needed), source.version, pre), comparison
    target = next_version(source.version, level)
    if not is_enough(source.version, target, needed):
        raise PackError(too_small(f"{source.name}@{target}", source.name, comparison, needed))
    return _with_pre(target, source.version, pre), comparison


def _raise_unsaved(
    versions: PackVersions, source: VersionFiles, level: BumpLevel, pre: str, is_named: bool
) -> VersionBump:
    """Plan a larger version of a draft, or of a release that is not saved yet; none if it is large enough."""
    base = versions.release_before(source.version)
    enough = VersionBump(source.label, source.label, FilePlan(versions.folder, {}))
    if level != "auto":
        target = _with_pre(next_version(source.version, level), source.version, pre)
        # A release that is not committed yet can still be edited: the next one is only created if it is named.
        is_new = versions.saved is not None and not source.version.is_draft and not is_named
        is_large = is_new and base is not None and source.version >= next_version(base, level)
        return enough if is_large or target == source.version else _copy(source, target)
    if base is None:
        return enough
    comparison = versions.compare(base, source.version)
    needed = versions.needed(base, comparison, source.version)
    if is_enough(base, source.version, needed):
        return enough._replace(comparison=comparison)
    return _copy(source, _with_pre(required_version(base, needed), source.version, pre))._replace(comparison=comparison)


def _copy(source: VersionFiles, target: Version) -> VersionBump:
    plan = FilePlan(source.folder, source.copies(target))
    return VersionBump(source.label, f"{source.name}@{target}", plan)


def _with_pre(target: Version, source: Version, pre: str) -> Version:
    """Return a version as a draft, if it is requested, or if the source is one."""
    wanted = replace(target, pre=tuple(pre.split(".")) if pre else source.pre)
    if parse_version(str(wanted)) != wanted:
        hint = "use letters, digits, '-' and dots, such as dev or rc.1"
        raise UsageError(Problem("PP937", f"{pre!r} cannot follow a version number", None, hint))
    return wanted


def _is_locked(versions: PackVersions, version: Version) -> bool:
    """Return whether a release is locked; refuse one that has changed, because nothing can restore it."""
    lock = versions.library._locks.get(versions.folder.root)
    if lock is None or not lock.has(versions.name, version):
        return False
    for entry in versions.entries_of(version):
        locked = lock.packs.get(key_of(entry))
        if locked is not None and versions.library._build_entry(entry).digest != locked.digest:
            message = f"{versions.name}@{version} is locked and was edited, but git has no saved version of it"
            hint = "undo the change, or copy the file by hand and restore this one"
            place = entry.document.locate(("version",)) if entry.document else None
            raise UsageError(Problem("PP937", message, place, hint))
    return True


def _unchanged(versions: PackVersions, source: VersionFiles) -> Problem:
    """Return why there is nothing to bump."""
    name, version = versions.name, source.version
    saved = versions.saved if has_version(versions.saved, name, version) else None
    if saved is not None and digests_of(saved, name, version) != digests_of(versions.library, name, version):
        message = f"{source.label} has changed through a file that it uses, which a new version would use too"
        hint = "undo that change, and use a new partial, schema file or parent in the new version"
        return Problem("PP937", message, None, hint)
    message = f"{source.label} has no change that needs a new version"
    hint = f"edit it first; or name the part to raise: promptpack bump {name} patch|minor|major"
    return Problem("PP937", message, None, hint)
