"""The files of one version of a pack: its pack files, their tests and snapshots, and copies under another version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from promptpack.characters import decode_utf8
from promptpack.document import parse
from promptpack.document.edits import Edit, apply_edits
from promptpack.files import Folder
from promptpack.library import Library
from promptpack.library.entry import Entry
from promptpack.pack.building import TESTS
from promptpack.pack.version import Version
from promptpack.problem import Location, PackError, Problem, UsageError

_SNAPSHOTS = "snapshots"
_SNAPSHOT_END = ".txt"


class VersionFiles(NamedTuple):
    """The texts of a version's files by path, in the order in which they can be written: see `read_version`."""

    folder: Folder
    name: str
    version: Version
    texts: Mapping[str, str]
    packs: frozenset[str]
    """The paths of the pack files."""

    @property
    def label(self) -> str:
        """The name and the version."""
        return f"{self.name}@{self.version}"

    @property
    def removal_order(self) -> tuple[str, ...]:
        """The paths in the order in which they can be removed: the default pack file last."""
        paths = list(self.texts)[::-1]
        return (*(path for path in paths if path not in self.packs), *(path for path in paths if path in self.packs))

    def copies(self, version: Version) -> dict[str, str]:
        """Return the files for another version; in a pack file, only the version changes."""
        return {
            self.rename(path, version): self._with_version(path, version) if path in self.packs else text
            for path, text in self.texts.items()
        }

    def rename(self, path: str, version: Version) -> str:
        """Return the path of a file for another version."""
        folder, slash, name = path.rpartition("/")
        return f"{folder}{slash}{version}{name.removeprefix(str(self.version))}"

    def _with_version(self, path: str, version: Version) -> str:
        changed = replace_version(self.texts[path], self.folder.show(path), version)
        if changed is None:
            place = parse(self.texts[path].encode(), self.folder.show(path)).locate(("version",))
            hint = f"write it as 'version: {self.version}', without an anchor"
            raise UsageError(Problem("PP935", "the version is written in a way that cannot be changed", place, hint))
        return changed


def read_version(library: Library, folder: Folder, name: str, version: Version) -> VersionFiles:
    """Read the files of a version: snapshots, the default pack file, its variants, then more tests.

    In this order, no file depends on one that comes later.
    """
    found = [one for one in library.entries if (one.folder, one.name, one.version) == (folder, name, version)]
    entries = sorted(found, key=lambda entry: (not entry.is_default, entry.file))
    packs = {entry.file: _read_text(entry) for entry in entries}
    stems = {stem: None for file in packs if (stem := _stem(file, version, folder))}
    snapshots = {file: decode_utf8(folder.read(file), folder.show(file)) for file in _find_snapshots(folder, stems)}
    tests = {file: decode_utf8(folder.read(file), folder.show(file)) for file in _find_tests(folder, stems)}
    return VersionFiles(folder, name, version, {**snapshots, **packs, **tests}, frozenset(packs))


def replace_version(text: str, path: str, version: Version) -> str | None:
    """Return the text of a pack file with another version; None if that would change anything else."""
    document = parse(text.encode(), path)
    node = document._root.child("version")
    old = "" if node is None else node.value
    if node is None or not old or document.text[node.start : node.end].count(old) != 1:
        return None
    start = document.text.index(old, node.start)
    changed = apply_edits(text, [Edit(start, start + len(old), str(version))])
    wanted = {**document.data, "version": str(version)}
    return changed if parse(changed.encode(), path).data == wanted else None


def _read_text(entry: Entry) -> str:
    if entry.content is None or (entry.document is None and entry.refused is None and entry.text_only is None):
        raise PackError(entry.problems)
    return entry.content.decode()


def _stem(file: str, version: Version, folder: Folder) -> str:
    """Return the path of a pack file without its extension; its name must start with the version."""
    stem = file.removesuffix(".yaml").removesuffix(".yml")
    name = stem.rpartition("/")[2]
    if name == str(version) or name.startswith(f"{version}."):
        return stem
    hint = f"rename it to {version}.yaml"
    message = f"the name of the file does not start with its version {version}"
    raise UsageError(Problem("PP935", message, Location(folder.show(file)), hint))


def _find_snapshots(folder: Folder, stems: Iterable[str]) -> Iterator[str]:
    for stem in stems:
        place, slash, name = stem.rpartition("/")
        start = f"{place}{slash}{_SNAPSHOTS}/{name}."
        for file in folder.find(_SNAPSHOT_END, below=f"{place}{slash}{_SNAPSHOTS}"):
            # The name of a test has no dot here: `1.0.0.en.test.txt` belongs to `1.0.0.en`.
            if file.startswith(start) and "." not in file.removeprefix(start).removesuffix(_SNAPSHOT_END):
                yield file


def _find_tests(folder: Folder, stems: Iterable[str]) -> Iterator[str]:
    for stem in stems:
        yield from (f"{stem}{end}" for end in TESTS if folder.exists(f"{stem}{end}"))
