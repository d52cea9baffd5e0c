"""What touches the disk, with `private.py`: folders that are read without leaving them, files written whole."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from promptpack.lazy import cached_property
from promptpack.problem import Location, PackError, Problem, UsageError

if TYPE_CHECKING:
    from pathlib import Path

_LARGEST = 1_000_000
_READABLE = 0o644
# Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
_READING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)
_PACKAGE = os.path.dirname(os.path.realpath(__file__))
# Folders that hold no packs, however deep a search goes.
_SKIPPED = frozenset(("node_modules", "__pycache__"))


@dataclass(frozen=True)
class Folder:
    """A folder whose files can be read; nothing outside of it can."""

    root: str

    @property
    def name(self) -> str:
        """The last part of the folder's path."""
        return os.path.basename(self.root)

    @cached_property
    def real_root(self) -> str:
        """The one absolute path of the folder, as it was when it was first asked for."""
        return os.path.realpath(self.root)

    @property
    def is_there(self) -> bool:
        """Whether there is such a folder."""
        return os.path.isdir(self.root)

    def find(
        self, *suffixes: str, below: str = "", refused: dict[str, tuple[Problem, ...]] | None = None
    ) -> Iterator[str]:
        """Find the files with one of the suffixes, as sorted paths relative to the folder; hidden ones are left out.

        Folders that cannot be looked into, and links to folders, are put into `refused`, with what is wrong with them.
        """
        told = {} if refused is None else refused

        def refuse(error: OSError) -> None:
            if not isinstance(error, FileNotFoundError):  # a folder that is not there holds no files
                place = Location(os.path.normpath(error.filename))
                told[place.path] = (Problem("PP120", f"cannot be read: {error.strerror}", place),)

        for where, folders, files in os.walk(self._join(below), onerror=refuse):
            folders[:] = sorted(name for name in folders if name not in _SKIPPED and not name.startswith("."))
            for name in folders:
                path = os.path.normpath(os.path.join(where, name))
                if not name.startswith("_") and os.path.islink(path):  # what begins with '_' holds no packs
                    told[path] = (_linked(name, Location(path), "folder"),)
            prefix = where[len(self.root) :].replace(os.sep, "/").strip("/")
            yield from (
                f"{prefix}/{name}" if prefix else name
                for name in sorted(files)
                if name.endswith(suffixes) and not name.startswith(".")
            )

    def stamps(self, *suffixes: str) -> Iterator[tuple[str, tuple[int, int]]]:
        """Give the files with one of the suffixes, each with the time of its last change and its size."""
        for relative in self.find(*suffixes):
            try:
                status = os.stat(self._join(relative))
            except FileNotFoundError:
                continue  # it went away while we looked
            yield relative, (status.st_mtime_ns, status.st_size)

    def read(self, relative: str) -> bytes:
        """Read a file below the folder, once; links, pipes, devices and large files are refused before reading."""
        return read(self._inside(relative), shown=self.show(relative), below=self.root)

    def show(self, relative: str) -> str:
        """Write a file's path as the user would, from where they stand."""
        return os.path.normpath(self._join(relative))

    def resolve(self, file: str, reference: str) -> str:
        """Give the path, relative to the folder, that `reference` in `file` means; it may lead out with `..`."""
        return os.path.normpath(os.path.join(os.path.dirname(file), reference)).replace(os.sep, "/")

    def relative_to(self, other: Folder, relative: str) -> str | None:
        """Give the path of one of this folder's files as seen from another folder that holds it."""
        mine = os.path.normpath(os.path.join(os.path.realpath(self.root), relative))
        base = os.path.join(os.path.realpath(other.root), "")
        return mine.removeprefix(base).replace(os.sep, "/") if mine.startswith(base) else None

    def inside(self, path: str) -> str | None:
        """Give a path, as seen from where the user stands, relative to the folder, if it leads into it."""
        below = os.path.relpath(path, self.root).replace(os.sep, "/")
        return None if below.startswith("../") or below == ".." else below

    def exists(self, relative: str) -> bool:
        """Say whether a file is there."""
        return os.path.isfile(self._join(relative))

    def same_or_absent(self, relative: str, other: Folder, name: str) -> bool:
        """Say whether there is no such file, or the same one as in another folder."""
        here, there = self._join(relative), other._join(name)
        if not os.path.exists(here):
            return True
        from filecmp import cmp

        return os.path.isfile(here) and os.path.isfile(there) and cmp(here, there, shallow=False)

    def _join(self, relative: str) -> str:
        return os.path.join(self.root, relative) if relative else self.root

    def _inside(self, relative: str) -> str:
        parts = relative.replace(os.sep, "/").split("/")
        place = Location(self.show(relative))
        if os.path.isabs(relative) or ".." in parts or "\x00" in relative:
            raise PackError(Problem("PP121", f"path {relative!r} leads out of the folder", place))
        path = self.root
        for part in parts:
            path += f"/{part}"
            if os.path.islink(path):
                raise PackError(_linked(part, place, "file"))
        return path


@dataclass(frozen=True)
class RecordingFolder(Folder):
    """A folder that remembers what was read from it, and which files beside it were like others."""

    reads: dict[str, bytes] = field(default_factory=dict)
    alike: dict[str, str] = field(default_factory=dict)

    def read(self, relative: str) -> bytes:
        """Read a file below the folder, and remember it."""
        self.reads[relative] = Folder.read(self, relative)
        return self.reads[relative]

    def same_or_absent(self, relative: str, other: Folder, name: str) -> bool:
        """Compare a file, and remember it if it is alike."""
        is_alike = Folder.same_or_absent(self, relative, other, name)
        if is_alike:
            self.alike[relative] = name
        return is_alike

    @property
    def digests(self) -> dict[str, str]:
        """The digests of the files that were read."""
        return {file: _digest(content) for file, content in self.reads.items()}

    def repeats(self, digests: Mapping[str, str], alike: Mapping[str, str]) -> bool:
        """Read the files that another such folder remembered, and say whether all of them are as they were."""
        schemas = shipped("schemas")
        try:
            is_same = all(_digest(self.read(file)) == digest for file, digest in digests.items())
        except PackError:
            return False
        return is_same and all(self.same_or_absent(file, schemas, name) for file, name in alike.items())


def _digest(content: bytes) -> str:
    import hashlib

    return hashlib.sha256(content).hexdigest()


def read(path: str | Path, *, shown: str | None = None, limit: int = _LARGEST, below: str = "") -> bytes:
    """Read a regular file of at most `limit` bytes; `below` is a folder, from which no link on the way is followed."""
    place = Location(shown or str(path))
    try:
        # Looked at before it is opened, since opening a device can be enough to set it off.
        _refuse_kind(os.stat(path), place)
        descriptor = _open_below(below, str(path)) if below else os.open(path, _READING)
    except OSError as error:
        raise PackError(Problem("PP120", f"cannot be read: {error.strerror}", place)) from error
    with open(descriptor, "rb") as stream:
        status = os.fstat(stream.fileno())
        _refuse_kind(status, place)
        data = b"" if status.st_size > limit else stream.read(status.st_size + 1)
        if len(data) > status.st_size:  # it grows, or its system does not tell sizes
            data += stream.read(limit + 1 - len(data))
    if max(status.st_size, len(data)) > limit:
        raise PackError(Problem("PP102", f"file is larger than {limit:,} bytes", place, "split it into partials"))
    return data


def _linked(name: str, place: Location, kind: str) -> Problem:
    return Problem("PP122", f"{name!r} is a symbolic link", place, f"put the {kind} itself there")


def _refuse_kind(status: os.stat_result, place: Location) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise PackError(Problem("PP123", "is not a regular file", place))


def _open_below(root: str, path: str) -> int:
    """Open a file step by step from its root, so that a link put on the way meanwhile leads nowhere."""
    *folders, name = (part for part in path[len(root) :].split("/") if part not in ("", "."))
    if os.open not in os.supports_dir_fd:
        return os.open(path, _READING)
    here = os.open(root, os.O_RDONLY)
    try:
        for folder in folders:
            above, here = here, os.open(folder, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=here)
            os.close(above)
        return os.open(name, _READING | os.O_NOFOLLOW, dir_fd=here)
    finally:
        os.close(here)


def read_text(path: str | Path, limit: int = _LARGEST) -> str:
    """Read a regular file of UTF-8 text, of at most `limit` bytes."""
    try:
        return read(path, limit=limit).decode()
    except UnicodeDecodeError as error:
        raise PackError(Problem("PP101", "file is not UTF-8", Location(str(path)), "save it as UTF-8")) from error


def write(path: str | Path, text: str) -> None:
    """Write a file whole or not at all, beside it first, then moved over it; an existing one keeps its permissions."""
    try:
        _write(str(path), text)
    except OSError as error:
        raise UsageError(Problem("PP126", f"cannot be written: {error.strerror}", Location(str(path)))) from error


def _write(target: str, text: str) -> None:
    from tempfile import mkstemp

    folder, name = os.path.split(target)
    os.makedirs(folder or ".", exist_ok=True)
    descriptor, beside = mkstemp(dir=folder or ".", prefix=f".{name}.")
    try:
        os.chmod(beside, stat.S_IMODE(os.stat(target).st_mode) if os.path.exists(target) else _READABLE)
        with open(descriptor, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(beside, target)
    except BaseException:
        _remove(beside)
        raise


def _remove(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)


def group_by_root(paths: Iterable[str]) -> dict[str, set[str]]:
    """Sort paths by the folder of packs they belong to; no files at a root mean all of it."""
    groups: dict[str, set[str]] = {}
    whole: set[str] = set()
    for path in paths:
        if not os.path.exists(path):
            raise UsageError(Problem("PP704", f"no file or folder {path!r}"))
        root, chosen = root_of(path)
        if chosen:
            groups.setdefault(root, set()).update(chosen)
        else:
            whole.add(root)
    return {**groups, **{root: set() for root in whole}}


def root_of(given: str) -> tuple[str, set[str]]:
    """Give the folder of packs that a path belongs to, and the files in it that are meant, or none for all."""
    import re
    from pathlib import Path

    is_version = re.compile(r"\d+\.\d+\.\d+[^/]*\.ya?ml").fullmatch
    path = Path(given)
    if path.is_dir():
        versions = {str(file) for file in path.iterdir() if is_version(file.name)}
        return (os.path.normpath(path.parent if versions else path), {os.path.normpath(file) for file in versions})
    if path.suffix in (".j2", ".json") or path.stem == "flow":
        is_below = path.parent.name.startswith("_") or any(is_version(one.name) for one in path.parent.glob("*.*"))
        return os.path.normpath(path.parent.parent if is_below else path.parent), set()  # all packs may be affected
    # A pack lies at <root>/<name>/<version>.yaml, or is a file of any name in its root.
    root = path.parent.parent if is_version(path.name) else path.parent
    return os.path.normpath(root), {os.path.normpath(path)}


def find_upwards(start: str, *names: str) -> Iterator[str]:
    """Give the files of these names in the folder of `start` and in those above it, the nearest first."""
    from pathlib import Path

    folder = Path(start).resolve()
    for place in (folder, *folder.parents):
        yield from (_shown(place / name) for name in names if (place / name).is_file())


def relative(path: str, file: str) -> str:
    """Write a path as seen from the folder that a file is in."""
    return os.path.relpath(path, os.path.dirname(file) or ".").replace(os.sep, "/")


def _shown(path: Path) -> str:
    """Write a path as the user would, from where they stand, if it is below."""
    here = os.getcwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


@cache
def shipped(kind: str) -> Folder:
    """Find the shipped `packs` or `schemas`: inside the installed package, or beside it in a checkout."""
    inside = f"{_PACKAGE}/_shipped/{kind}"
    return Folder(inside if os.path.isdir(inside) else f"{os.path.dirname(_PACKAGE)}/{kind}")


def setting(name: str) -> str:
    """Read a setting from the environment; one that is not there is empty."""
    return os.environ.get(name, "")


def code_stamp() -> str:
    """Give what changes with the code of a checkout; that of an installed package changes with its version alone."""
    if os.path.isdir(f"{_PACKAGE}/_shipped"):
        return ""
    beside = os.path.dirname(_PACKAGE)
    # Shipped packs are extended, and shipped schemas referred to, by packs of other folders.
    stamps = [*_stamps(_PACKAGE, ".py"), *_stamps(f"{beside}/schemas", ".json"), *_stamps(f"{beside}/packs", ".yaml")]
    return f"{len(stamps)}.{max(stamps)}"


def _stamps(folder: str, suffix: str) -> Iterator[int]:
    with os.scandir(folder) as found:
        for item in found:
            if item.name.endswith(suffix):
                yield item.stat().st_mtime_ns
            elif item.is_dir() and item.name != "__pycache__":
                yield from _stamps(item.path, suffix)
