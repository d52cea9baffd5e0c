"""A folder whose files are in memory, with the paths of the place that they come from."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from promptpack.files import SIBLING, Folder, RecordingFolder, Stamp, stamp_file
from promptpack.problem import Location, PackError, Problem

_SIBLING_FOLDER = SIBLING.rstrip("/")


@dataclass(frozen=True, eq=False)
class MemoryFolder(RecordingFolder):
    """A folder that never touches the disk: `texts` has all its files, and those of `schemas` next to it.

    `refused` has the problems of files and folders of the place that cannot be used. `origin` is the source to read
    when the library reloads; it is empty if the files cannot change. `source` is the name of the source in lock files,
    without credentials; `archive` is the digest of the archive, if it is one; `pin` is the digest that was required.
    """

    texts: Mapping[str, bytes] = field(default_factory=dict)
    refused: Mapping[str, Problem] = field(default_factory=dict)
    origin: str = ""
    source: str = ""
    archive: str = ""
    pin: str = ""

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    @property
    def real_root(self) -> str:
        """The path of the original folder."""
        return self.root

    @property
    def is_there(self) -> bool:
        """Whether the folder exists."""
        return True

    @property
    def stamp(self) -> Stamp | None:
        """The stamp of the archive on disk; empty for other sources."""
        return stamp_file(self.origin) or ()

    @property
    def sibling(self) -> Folder:
        """The folder `schemas` next to it."""
        texts = {file.removeprefix(SIBLING): text for file, text in self.texts.items() if file.startswith(SIBLING)}
        return MemoryFolder(self.show(_SIBLING_FOLDER), texts=texts)

    def find(
        self, *suffixes: str, below: str = "", refused: dict[str, tuple[Problem, ...]] | None = None
    ) -> Iterator[str]:
        """Yield the sorted relative paths of the files with one of the suffixes; others that are refused are added."""
        inside = f"{below}/" if below else ""
        for file in sorted((*self.texts, *self.refused)):
            if file.startswith(inside) and file.startswith("../") == below.startswith("../"):
                if file.endswith(suffixes):
                    yield file
                elif file in self.refused and refused is not None:
                    refused[self.show(file)] = (self.refused[file],)

    def stamps(self, *suffixes: str) -> Iterator[tuple[str, Stamp]]:
        """Yield the archive on disk, if the files come from one."""
        del suffixes
        if self.stamp:
            yield "", self.stamp

    def read(self, relative: str) -> bytes:
        """Return a file, and record it."""
        if relative in self.refused:
            raise PackError(self.refused[relative])
        if relative not in self.texts:
            place = Location(self.show(relative))
            raise PackError(Problem("PP120", "cannot be read: No such file or directory", place))
        return self.reads.setdefault(relative, self.texts[relative])

    def exists(self, relative: str) -> bool:
        """Return whether a file exists; record it if it is absent."""
        if self.is_occupied(relative):
            return True
        self.absent.add(relative)
        return False

    def is_occupied(self, relative: str) -> bool:
        """Return whether anything has this path."""
        return relative in self.texts or relative in self.refused

    @property
    def digest(self) -> str:
        """One hash of the paths and contents of all files."""
        import hashlib

        found = hashlib.sha256()
        for path, content in sorted(self.texts.items()):
            found.update(f"{len(path)}:{path}:{len(content)}:".encode("utf-8", "surrogatepass") + content)
        return found.hexdigest()

    @property
    def source_digest(self) -> str:
        """The digest that a lock file records: of the archive, or of all files."""
        return self.archive or self.digest

    def record(self) -> RecordingFolder:
        """Return a folder that records which files are read."""
        return replace(self, reads={}, absent=set())

    def show(self, relative: str) -> str:
        """Return the path of a file as shown to the user; the part before the last colon of the root is unchanged."""
        start, colon, path = self.root.rpartition(":")
        return start + colon + posixpath.normpath(posixpath.join(path, relative))

    def relative_to(self, other: Folder, relative: str) -> str | None:
        """Return the path of a file relative to another folder; None if it is outside, or in memory."""
        return None if self.is_occupied(relative) else super().relative_to(other, relative)

    def refreshed(self) -> MemoryFolder:
        """Return the folder as its source is now: the same object if nothing has changed."""
        if not self.origin:
            return self
        from promptpack.sources.opening import open_source

        fresh = open_source(self.origin, pin=self.pin)
        return self if (fresh.texts, fresh.refused) == (self.texts, self.refused) else fresh

    def to_relative(self, path: str) -> str | None:
        """Return a path relative to the folder, or None if it is outside."""
        inside = self.show("-").removesuffix("-")
        return path.removeprefix(inside) if path.startswith(inside) else None
