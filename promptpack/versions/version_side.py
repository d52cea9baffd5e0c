"""`VersionSide`: one version of a pack as a side of a diff, in one locale or in all; and the version before it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from promptpack.library import Library
from promptpack.library.entry import Entry
from promptpack.pack.model import Pack
from promptpack.pack.version import Version
from promptpack.problem import Location, PackError, Problem

Versions = Mapping[str, Mapping[Version | None, "VersionSide"]]
"""The versions of packs by name; None is a file without a readable version."""


class VersionSide(NamedTuple):
    """Files of one version of a pack, the one without a locale in its name first."""

    library: Library
    name: str
    version: Version | None
    entries: tuple[Entry, ...]

    @property
    def label(self) -> str:
        """The name and version."""
        return f"{self.name}@{self.version or '?'}"

    @property
    def path(self) -> str:
        """The first file."""
        return self.entries[0].path

    @property
    def is_release(self) -> bool:
        """Whether it may not change."""
        return self.version is not None and not self.version.is_draft

    @property
    def location(self) -> Location:
        """Where the version is written."""
        document = self.entries[0].document
        return document.locate(("version",)) if document else Location(self.path)

    def like(self, other: VersionSide) -> VersionSide:
        """Return this side with one file, if the other has one: that with the same locale, or the default one."""
        if len(other.entries) > 1 or len(self.entries) == 1 or other.is_whole:
            return self
        same = (entry for entry in self.entries if entry.locale == other.entries[0].locale)
        return self._replace(entries=(next(same, self.entries[0]),))

    @property
    def is_whole(self) -> bool:
        """Whether it has the files of all locales."""
        known = [one for one in self.library.entries if (one.name, one.version) == (self.name, self.version)]
        return len(known) == len(self.entries)

    def build(self) -> dict[str, Pack]:
        """Return the pack of each locale; raise the problems of all files."""
        packs: dict[str, Pack] = {}
        problems: dict[Problem, None] = {}
        for entry in self.entries:
            try:
                packs[entry.locale] = self.library._build_entry(entry)
            except PackError as error:
                problems.update(dict.fromkeys(error.problems))
        if problems:
            raise PackError(problems)
        return packs


def list_versions(library: Library) -> Versions:
    """Return all versions of all packs of a library."""
    files: dict[str, dict[Version | None, list[Entry]]] = {}
    for entry in library.entries:
        files.setdefault(entry.name, {}).setdefault(entry.version, []).append(entry)
    return {
        name: {version: make_side(library, entries) for version, entries in versions.items()}
        for name, versions in files.items()
    }


def make_side(library: Library, entries: Iterable[Entry]) -> VersionSide:
    """Return a side of some files of one version."""
    found = tuple(sorted(entries, key=lambda entry: (not entry.is_default, entry.locale)))
    return VersionSide(library, found[0].name, found[0].version, found)


def find_predecessor(version: Version | None, known: Mapping[Version | None, VersionSide]) -> VersionSide | None:
    """Return the release before a version; the draft before it if there is no earlier release."""
    earlier = sorted(one for one in known if one is not None and version is not None and one < version)
    releases = [one for one in earlier if not one.is_draft]
    return known[(releases or earlier)[-1]] if earlier else None


def have_other_texts(old: VersionSide, new: VersionSide) -> bool:
    """Return whether the files of two versions have different bytes."""
    return [entry.content for entry in old.entries] != [entry.content for entry in new.entries]
