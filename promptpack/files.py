"""All disk access, with the modules next to it: reading inside a folder only, and atomic writes."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from errno import EEXIST
from functools import cache
from typing import TYPE_CHECKING, BinaryIO

from promptpack.characters import decode_utf8
from promptpack.lazy import cached_property
from promptpack.open_folder import open_below
from promptpack.problem import Location, PackError, Problem, UsageError
from promptpack.source_names import is_archive, is_source, without_credentials

if TYPE_CHECKING:
    from pathlib import Path

_MAX_BYTES = 1_000_000
_MAX_FOLDERS = 10_000  # a folder with more is not a folder of packs, but a home folder or a disk
# Without O_NONBLOCK, opening a pipe without a writer would block forever.
_READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)
_PACKAGE = os.path.dirname(os.path.realpath(__file__))
SIBLING = "../schemas/"
"""The folder next to a folder of packs whose files packs may refer to."""
Stamp = tuple[int, ...]
"""The number of a file, its times and its size."""
_SKIPPED_FOLDERS = frozenset(("node_modules", "__pycache__"))  # they never hold packs


@dataclass(frozen=True)
class Folder:
    """A folder; only files inside it can be read."""

    root: str

    @property
    def name(self) -> str:
        """The last part of the folder's path."""
        return os.path.basename(self.root)

    @cached_property
    def real_root(self) -> str:
        """The absolute path of the folder without links, resolved on first use."""
        return os.path.realpath(self.root)

    @property
    def is_there(self) -> bool:
        """Whether the folder exists."""
        return os.path.isdir(self.root)

    @property
    def sibling(self) -> Folder:
        """The folder `schemas` next to it, whose files packs may refer to."""
        return Folder(self._join(SIBLING.rstrip("/")))

    @property
    def stamp(self) -> Stamp | None:
        """A stamp of the folder itself, which changes when it is renamed or replaced; None if it is missing."""
        return stamp_file(self.root) if self.is_there else None

    def find(
        self, *suffixes: str, below: str = "", refused: dict[str, tuple[Problem, ...]] | None = None
    ) -> Iterator[str]:
        """Yield the sorted relative paths of the files with one of the suffixes; hidden files are skipped.

        Folders that cannot be read, links to folders, and a folder with too many are added to `refused` with their
        problems.
        """
        problems = {} if refused is None else refused

        def refuse(error: OSError) -> None:
            if not isinstance(error, FileNotFoundError):  # a missing folder has no files
                place = Location(os.path.normpath(error.filename))
                problems[place.path] = (Problem("PP120", f"cannot be read: {error.strerror}", place),)

        for count, (where, folders, files) in enumerate(os.walk(self._join(below), onerror=refuse)):
            if count == _MAX_FOLDERS:
                message = f"contains more than {_MAX_FOLDERS:,} folders; the others are not read"
                problems[self.root] = (Problem("PP127", message, Location(self.root), "use a folder with packs only"),)
                return
            folders[:] = sorted(name for name in folders if name not in _SKIPPED_FOLDERS and not name.startswith("."))
            for name in folders:
                path = os.path.normpath(os.path.join(where, name))
                if not name.startswith("_") and os.path.islink(path):  # folders that start with '_' hold no packs
                    problems[path] = (_link_problem(name, Location(path), "folder"),)
            prefix = where[len(self.root) :].replace(os.sep, "/").strip("/")
            yield from (
                f"{prefix}/{name}" if prefix else name
                for name in sorted(files)
                if name.endswith(suffixes) and not name.startswith(".")
            )

    def stamps(self, *suffixes: str) -> Iterator[tuple[str, Stamp]]:
        """Yield the files with one of the suffixes, each with its stamp (see `stamp_file`)."""
        for relative in self.find(*suffixes):
            found = stamp_file(self._join(relative))
            if found is not None:
                yield relative, found

    def read(self, relative: str) -> bytes:
        """Read a file inside the folder; links, pipes, devices and large files are refused before reading.

        A file of the folder `schemas` next to it can be read too.
        """
        if relative.startswith(SIBLING):
            return self.sibling.read(relative.removeprefix(SIBLING))
        return read(self._resolve_inside(relative), shown=self.show(relative), below=self.root)

    def show(self, relative: str) -> str:
        """Return the path of a file as shown to the user, relative to the working directory if `root` is."""
        return os.path.normpath(self._join(relative))

    def resolve(self, file: str, reference: str) -> str:
        """Return the path, relative to the folder, of `reference` in `file`; it may lead outside with `..`."""
        return os.path.normpath(os.path.join(os.path.dirname(file), reference)).replace(os.sep, "/")

    def relative_to(self, other: Folder, relative: str) -> str | None:
        """Return the path of a file of this folder relative to another folder, or None if it is outside."""
        mine = os.path.normpath(os.path.join(os.path.realpath(self.root), relative))
        base = os.path.join(os.path.realpath(other.root), "")
        return mine.removeprefix(base).replace(os.sep, "/") if mine.startswith(base) else None

    def to_relative(self, path: str) -> str | None:
        """Return a path relative to the folder, or None if it is outside."""
        below = os.path.relpath(path, self.root).replace(os.sep, "/")
        return None if below.startswith("../") or below == ".." else below

    def exists(self, relative: str) -> bool:
        """Return whether a file exists."""
        return os.path.isfile(self._join(relative))

    def is_occupied(self, relative: str) -> bool:
        """Return whether anything has this path: a file, a folder, a link."""
        return os.path.lexists(self._join(relative))

    def write(self, texts: Mapping[str, str], before: Mapping[str, bytes | None] | None = None) -> None:
        """Write files in this order, each one atomically, and only over what was there `before`; prepare all first."""
        from promptpack.temporary_files import write_temporary

        path = ""
        try:
            with ExitStack() as stack:
                prepared = []
                for path, text in texts.items():
                    require_writable(self._join(path))
                    prepared.append(stack.enter_context(write_temporary(self.root, path, text.encode())))
                for path, file in zip(texts, prepared, strict=True):
                    if not before or path not in before:
                        file.replace()
                    elif not file.replace_only(before[path]):
                        raise FileExistsError(EEXIST, "it has changed meanwhile; try again")
        except OSError as error:
            raise self._write_error(path, error) from error

    def replace(self, relative: str, old: bytes | None, new: bytes) -> bool:
        """Write a file atomically if it still has the content `old`, or is still missing; return whether it was."""
        from promptpack.temporary_files import write_temporary

        try:
            with write_temporary(self.root, relative, new) as file:
                return file.replace_only(old)
        except OSError as error:
            raise self._write_error(relative, error) from error

    def require_inside(self, relative: str) -> None:
        """Raise if a path leads out of the folder, also through a symbolic link; it need not exist."""
        self._resolve_inside(relative)

    def record(self) -> RecordingFolder:
        """Return a folder that records which files are read."""
        return RecordingFolder(self.root)

    def _join(self, relative: str) -> str:
        return os.path.join(self.root, relative) if relative else self.root

    def _write_error(self, relative: str, error: OSError) -> UsageError:
        return UsageError(Problem("PP126", f"cannot be written: {error.strerror}", Location(self.show(relative))))

    def _resolve_inside(self, relative: str) -> str:
        parts = relative.replace(os.sep, "/").split("/")
        place = Location(self.show(relative))
        if os.path.isabs(relative) or ".." in parts or "\x00" in relative:
            raise PackError(Problem("PP121", f"path {relative!r} leads out of the folder", place))
        path = self.root
        for part in parts:
            path += f"/{part}"
            if os.path.islink(path):
                raise PackError(_link_problem(part, place, "file"))
        return path


def stamp_file(path: str) -> Stamp | None:
    """Return a stamp of a file, which changes when it is written or replaced; None if it is missing."""
    try:
        status = os.stat(path)
    except OSError:
        return None  # deleted since it was found
    return status.st_ino, status.st_mtime_ns, status.st_ctime_ns, status.st_size


@dataclass(frozen=True)
class RecordingFolder(Folder):
    """A folder that reads each file once, and records which files were read and which were absent."""

    reads: dict[str, bytes] = field(default_factory=dict)
    absent: set[str] = field(default_factory=set)

    def read(self, relative: str) -> bytes:
        """Return a file inside the folder, as it was when it was first read."""
        if relative not in self.reads:
            self.reads[relative] = Folder.read(self, relative)
        return self.reads[relative]

    def exists(self, relative: str) -> bool:
        """Return whether a file exists, or existed when it was read; record it if it is absent."""
        if relative in self.reads or Folder.exists(self, relative):
            return True
        self.absent.add(relative)
        return False

    @property
    def digests(self) -> dict[str, str]:
        """The digests of the files that were read."""
        return {file: _digest(content) for file, content in self.reads.items()}

    def is_unchanged(self, digests: Mapping[str, str], absent: Iterable[str]) -> bool:
        """Read the files that another folder recorded, and return whether all of them are unchanged or still absent."""
        try:
            is_same = all(_digest(self.read(file)) == digest for file, digest in digests.items())
        except PackError:
            return False
        return is_same and not any(self.exists(file) for file in absent)


def _digest(content: bytes) -> str:
    import hashlib

    return hashlib.sha256(content).hexdigest()


def read(path: str | Path, *, shown: str | None = None, limit: int = _MAX_BYTES, below: str = "") -> bytes:
    """Read a regular file of at most `limit` bytes; no link between the folder `below` and the file is followed."""
    place = Location(shown or str(path))
    try:
        # Checked before it is opened, because opening a device can already trigger it.
        _require_regular(os.stat(path), place)
        descriptor = open_below(below, str(path), _READ_FLAGS) if below else os.open(path, _READ_FLAGS)
    except (OSError, ValueError) as error:  # a name with a NUL is a `ValueError`
        reason = error.strerror if isinstance(error, OSError) else error
        raise PackError(Problem("PP120", f"cannot be read: {reason}", place)) from error
    with _open_regular(descriptor, place) as stream:
        status = os.fstat(stream.fileno())
        data = b"" if status.st_size > limit else stream.read(status.st_size + 1)
        if len(data) > status.st_size:  # the file grows, or the file system does not report sizes
            data += stream.read(limit + 1 - len(data))
    if max(status.st_size, len(data)) > limit:
        raise PackError(Problem("PP102", f"file is larger than {limit:,} bytes", place, "split it into partials"))
    return data


def stamp_place(path: str) -> Stamp | None:
    """Return the stamp of the nearest folder above a missing file: it changes if the file exists for a moment."""
    while not os.path.isdir(path) and path != os.path.dirname(path):
        path = os.path.dirname(path)
    return stamp_file(path or ".")


def is_file(path: str) -> bool:
    """Return whether a path is a file."""
    return os.path.isfile(path)


def _link_problem(name: str, place: Location, kind: str) -> Problem:
    return Problem("PP122", f"{name!r} is a symbolic link", place, f"replace it with the {kind} itself")


def _require_regular(status: os.stat_result, place: Location) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise PackError(Problem("PP123", "is not a regular file", place))


def _open_regular(descriptor: int, place: Location) -> BinaryIO:
    """Return a stream; the file may have become a folder since it was checked."""
    try:
        _require_regular(os.fstat(descriptor), place)
        return open(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_text(path: str | Path, limit: int = _MAX_BYTES) -> str:
    """Read a regular UTF-8 text file of at most `limit` bytes."""
    return decode_utf8(read(path, limit=limit), str(path))


def write(path: str | Path, text: str) -> None:
    """Write a file atomically, through a temporary file; an existing file keeps its permissions."""
    folder, name = os.path.split(path)
    Folder(folder).write({name: text})


def require_writable(path: str) -> None:
    """Raise a `UsageError` if a file is in an archive or in another read-only source."""
    place = os.path.dirname(path)
    while not os.path.exists(place) and place != os.path.dirname(place):
        place = os.path.dirname(place)
    if is_source(path) or (is_archive(place) and os.path.isfile(place)):
        message = "cannot be written: it is in a read-only source"
        raise UsageError(
            Problem("PP784", message, Location(without_credentials(path)), "copy the packs into a folder, and use that")
        )


def remove(path: str) -> None:
    """Delete a file if it exists."""
    with suppress(FileNotFoundError):
        os.unlink(path)


def group_by_root(paths: str | Iterable[str]) -> dict[str, set[str]]:
    """Group one or more paths by their folder of packs; an empty set means all files of that folder."""
    groups: dict[str, set[str]] = {}
    whole: set[str] = set()
    for path in map(os.fspath, [paths] if isinstance(paths, (str, os.PathLike)) else paths):
        if is_source(path) or is_archive(path):
            whole.add(path)
            continue
        if not os.path.exists(path):
            raise UsageError(Problem("PP704", f"no file or folder {path!r}"))
        root, chosen = find_root(path)
        if chosen:
            groups.setdefault(root, set()).update(chosen)
        else:
            whole.add(root)
    return {**groups, **{root: set() for root in whole}}


def find_root(given: str) -> tuple[str, set[str]]:
    """Return the folder of packs of a path, and the selected files in it; an empty set means all."""
    import re
    from pathlib import Path

    is_version = re.compile(r"\d+\.\d+\.\d+(?![^/]*\.tests\.ya?ml)[^/]*\.ya?ml").fullmatch
    is_beside = re.compile(r"(?:flow|labels)\.ya?ml|packs\.lock|.*\.(?:j2|jsonl?|csv|tests\.ya?ml)").fullmatch
    path = Path(given)
    if path.is_dir():
        versions = {str(file) for file in path.iterdir() if is_version(file.name)}
        return (os.path.normpath(path.parent if versions else path), {os.path.normpath(file) for file in versions})
    if is_beside(path.name):
        is_below = path.parent.name.startswith("_") or any(is_version(one.name) for one in path.parent.glob("*.*"))
        return _first_below_disk(path, is_below), set()  # all packs may be affected
    # A pack is <root>/<name>/<version>.yaml, or a file of any name in its root.
    return _first_below_disk(path, is_version(path.name) is not None), {os.path.normpath(path)}


def _first_below_disk(path: Path, is_below: bool) -> str:
    """Return the folder around that of a file, or its own; the whole disk is not a folder of packs."""
    for folder in (path.parent.parent, path.parent) if is_below else (path.parent,):
        if str(folder) != folder.anchor:
            return os.path.normpath(folder)
    raise UsageError(Problem("PP704", f"{str(path)!r} is not in a folder of packs", None, "move it into a folder"))


def find_upwards(start: str, *names: str) -> Iterator[str]:
    """Yield the files of these names in the folder `start` and its parents, nearest first."""
    from pathlib import Path

    folder = Path(start).resolve()
    for place in (folder, *folder.parents):
        yield from (_shorten(place / name) for name in names if (place / name).is_file())


def relative_to_file(path: str, file: str) -> str:
    """Return a path relative to the folder of a file."""
    return os.path.relpath(path, os.path.dirname(file) or ".").replace(os.sep, "/")


def _shorten(path: Path) -> str:
    """Return a path relative to the working directory if it is inside."""
    here = os.getcwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


@cache
def shipped(kind: str) -> Folder:
    """Return the folder of shipped `packs` or `schemas`: in the installed package, or next to it in a checkout."""
    inside = f"{_PACKAGE}/_shipped/{kind}"
    return Folder(inside if os.path.isdir(inside) else f"{os.path.dirname(_PACKAGE)}/{kind}")


def read_environment(name: str) -> str:
    """Return an environment variable, or an empty text."""
    return os.environ.get(name, "")
