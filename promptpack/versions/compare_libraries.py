"""Two libraries -> one `VersionDiff` for each version that differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from promptpack.library import Library
from promptpack.pack.version import Version
from promptpack.problem import PackError, Severity
from promptpack.versions.compare_sides import compare_sides, have_same_digests
from promptpack.versions.version_diff import VersionDiff
from promptpack.versions.version_side import VersionSide, find_predecessor, have_other_texts, list_versions

_BROKEN = Version(0, 0, 0, ("broken",))


def compare_libraries(old: Library, new: Library, name: str = "") -> Iterator[VersionDiff]:
    """Yield each version that differs, by name and version; a new version is compared with the one before it."""
    before, after = list_versions(old), list_versions(new)
    for pack in sorted({*before, *after}):
        if name in ("", pack):
            yield from _compare_pack(before.get(pack, {}), after.get(pack, {}))


def compare_pair(old: VersionSide, new: VersionSide) -> VersionDiff:
    """Return the differences between two versions; raise the problems of a broken one."""
    comparison = compare_sides(old, new)
    is_same = (old.name, old.version) == (new.name, new.version)
    is_rewritten = is_same and new.is_release and not have_same_digests(old, new)
    if is_same and not new.is_release:
        return VersionDiff(new.name, "changed", old, new, comparison)
    return VersionDiff(new.name, "changed", old, new, comparison, old, comparison, is_rewritten)


def list_history(library: Library, name: str) -> Iterator[VersionDiff]:
    """Yield the versions of a pack, newest first, each compared with the one before it."""
    versions = list_versions(library).get(name, {})
    for version in sorted(versions, key=_order, reverse=True):
        yield _compare_added(versions[version], versions)


def _compare_pack(
    before: Mapping[Version | None, VersionSide], after: Mapping[Version | None, VersionSide]
) -> Iterator[VersionDiff]:
    # The old state of a version counts, even if the new state has another one.
    known = {**after, **before}
    for version in sorted(known, key=_order):
        old, new = before.get(version), after.get(version)
        if new is None:
            assert old is not None  # noqa: S101 -- it is on one of the sides
            yield VersionDiff(old.name, "removed", old, None)
        elif old is None:
            yield _compare_added(new, known)
        else:
            found = _compare_same(old, new, known)
            if found is not None:
                yield found


def _order(version: Version | None) -> Version:
    return version or _BROKEN


def _compare_added(new: VersionSide, known: Mapping[Version | None, VersionSide]) -> VersionDiff:
    broken = _find_broken(None, new)
    if broken:
        return broken
    old = find_predecessor(new.version, known)
    if old is None:
        return VersionDiff(new.name, "added", None, new)
    broken = _find_broken(old, new)
    if broken:
        return broken
    comparison = compare_sides(old, new)
    found = VersionDiff(new.name, "added", old, new, comparison)
    return replace(found, base=old, since=comparison) if old.is_release else found


def _compare_same(
    old: VersionSide, new: VersionSide, known: Mapping[Version | None, VersionSide]
) -> VersionDiff | None:
    broken = _find_broken(old, new)
    if broken:
        return broken
    is_same = have_same_digests(old, new)
    if is_same and not have_other_texts(old, new):
        return None
    comparison = compare_sides(old, new)
    if is_same and not comparison:
        return None  # comments and layout
    found = VersionDiff(new.name, "changed", old, new, comparison)
    if new.is_release:
        return replace(found, base=old, since=comparison, is_rewritten=not is_same)
    base = find_predecessor(new.version, known)
    if base is None or not base.is_release or _find_broken(base, new):
        return found
    return replace(found, base=base, since=compare_sides(base, new))


def _find_broken(old: VersionSide | None, new: VersionSide) -> VersionDiff | None:
    """Return a difference that names the problems of broken packs; those of the old side are only warnings."""
    for side in (new, old):
        try:
            if side is not None:
                side.build()
        except PackError as error:
            severity: Severity = "error" if side is new else "warning"
            problems = tuple(replace(problem, severity=severity) for problem in error.problems)
            return VersionDiff(new.name, "broken", old, new, problems=problems)
    return None
