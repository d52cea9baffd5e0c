"""The versions of one pack: those in a folder, and those that git has saved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from promptpack import files
from promptpack.files import Folder
from promptpack.library import Library
from promptpack.library.choosing import parse_reference
from promptpack.library.entry import Entry
from promptpack.pack.version import Version
from promptpack.problem import Problem, UsageError
from promptpack.versions.change import Bump, Comparison
from promptpack.versions.compare_versions import compare_versions
from promptpack.versions.saved_versions import find_saved, has_version, read_saved
from promptpack.versions.version_files import VersionFiles, read_version


class PackVersions(NamedTuple):
    """The versions of one pack in a folder, and the saved ones."""

    library: Library
    folder: Folder
    name: str
    saved: Library | None

    @property
    def all(self) -> tuple[Version, ...]:
        """The versions, oldest first."""
        found = {one.version for one in self.library.entries if (one.folder, one.name) == (self.folder, self.name)}
        return tuple(sorted(one for one in found if one is not None))

    def read(self, version: Version) -> VersionFiles:
        """Read the files of a version."""
        return read_version(self.library, self.folder, self.name, version)

    def find_saved(self, version: Version) -> VersionFiles | None:
        """Return the saved files of a release; None if it is a draft, or not saved."""
        if version.is_draft or self.saved is None or not has_version(self.saved, self.name, version):
            return None
        return read_saved(self.saved, self.name, version)

    def compare(self, old: Version, new: Version) -> Comparison:
        """Compare a release as it was saved with a version as it is now."""
        saved = self.saved if has_version(self.saved, self.name, old) else None
        return compare_versions((saved or self.library, old), (self.library, new), self.name)

    def needed(self, old: Version, comparison: Comparison, new: Version) -> Bump:
        """Return the bump that a change needs; a release with another digest needs a patch at least."""
        if comparison.bump != "none" or old != new or self.saved is None:
            return comparison.bump
        is_same = digests_of(self.saved, self.name, old) == digests_of(self.library, self.name, new)
        return "none" if is_same else "patch"

    def entries_of(self, version: Version) -> tuple[Entry, ...]:
        """Return the pack files of a version."""
        wanted = self.folder, self.name, version
        return tuple(one for one in self.library.entries if (one.folder, one.name, one.version) == wanted)

    def release_before(self, version: Version) -> Version | None:
        """Return the newest release below a version."""
        return max((one for one in self.all if one < version and not one.is_draft), default=None)


def open_versions(library: Library, request: str) -> PackVersions:
    """Return the versions of a requested pack, in the folder that has it; it must be a folder of the user."""
    name = parse_reference(request).name
    entry = library._find_entry(name)
    folder = entry.folder
    if folder.root == files.shipped("packs").root or folder not in library.folders:
        hint = f"copy it first: promptpack new my-{name} --from {name}"
        raise UsageError(Problem("PP935", f"the shipped pack {name!r} cannot be changed", None, hint))
    files.require_writable(folder.show(entry.file))
    versions = PackVersions(Library.open(folder.root), folder, name, find_saved(folder))
    if not versions.all:
        library._build_entry(entry)  # raises why the file has no version
    return versions


def too_small(label: str, name: str, comparison: Comparison, needed: Bump) -> Iterator[Problem]:
    """Yield the problem of a version that is too small, with the changes that need a larger one."""
    for change in comparison.changes:
        if change.bump == needed:
            yield Problem(change.code, f"{change.message} (needs {needed})", change.location, change.hint, "note")
    hint = f"nothing was written; run: promptpack bump {name} auto"
    yield Problem("PP938", f"{label} is too small for its changes since {comparison.old}: {needed}", None, hint)


def digests_of(library: Library, name: str, version: Version) -> dict[str, str]:
    """Return the digests of a version's packs, by file name without the version."""
    found = [one for one in library.entries if (one.name, one.version) == (name, version)]
    return {one.file.rpartition("/")[2].replace(str(version), ""): library._build_entry(one).digest for one in found}
