"""Folders of packs in zip files and wheels, read into memory; a hostile archive is refused."""

from __future__ import annotations

import hashlib
import io
import stat
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from promptpack import files
from promptpack.files import SIBLING
from promptpack.problem import Location, PackError, Problem, UsageError
from promptpack.sources.file_collection import MAX_FILE_BYTES, Collection
from promptpack.sources.memory_folder import MemoryFolder

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo

MAX_ARCHIVE_BYTES = 50_000_000
# The list of files at the end of an archive: enough for the files that a source may have.
_MAX_LIST_BYTES = 5_000_000
# Text compresses to a tenth; an archive of more than this many bytes per byte was made to exhaust memory.
_MAX_RATIO = 100
_MAX_UNSUSPICIOUS_BYTES = 10_000_000
_END, _END_BYTES, _MAX_COMMENT = b"PK\x05\x06", 22, 65_535
_END_64 = b"PK\x06\x07"
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_STORED, _DEFLATED = 0, 8
ENTRY_POINTS = ".dist-info/entry_points.txt"


def open_archive(path: str) -> MemoryFolder:
    """Return the folder of packs of a zip file or wheel on disk."""
    content = files.read(path, limit=MAX_ARCHIVE_BYTES)
    return replace(read_archive(content, path), origin=path, archive=hashlib.sha256(content).hexdigest())


def read_archive(content: bytes, shown: str, inside: str | None = None) -> MemoryFolder:
    """Return the folder of packs of a zip file or wheel: `inside`, or its folder `packs`, or all of it.

    `shown` is the name of the archive in problems. The files of `schemas` next to the folder are included.
    """
    from zipfile import BadZipFile, ZipFile

    _check_list(content, shown)
    try:
        with ZipFile(io.BytesIO(content)) as archive:
            members = _check_members(archive, shown)
            path = _choose(archive, members, shown) if inside is None else inside.strip("/")
            return _ArchiveReader(archive, len(content), shown, path).read(members)
    except (BadZipFile, NotImplementedError, ValueError, OverflowError, EOFError, zlib.error) as error:
        raise UsageError(_damaged(shown, str(error))) from error


def _check_list(content: bytes, shown: str) -> None:
    """Refuse an archive without a list of files at its end, or with one that is too long to read into memory."""
    end = len(content) - _END_BYTES
    if not content.startswith(_END, max(end, 0)) or not content.endswith(b"\0\0"):
        end = content.rfind(_END, max(end - _MAX_COMMENT, 0))
    if end < 0 or len(content) < end + _END_BYTES:
        raise UsageError(_damaged(shown, "it has no list of files at its end"))
    size = int.from_bytes(content[end + 12 : end + 16], "little")
    if size > _MAX_LIST_BYTES or content.startswith(_END_64, max(end - 20, 0)):
        raise UsageError(Collection(shown).too_large("has a list of files that is too long"))


def _check_members(archive: ZipFile, shown: str) -> dict[str, ZipInfo]:
    """Return the files of an archive by path; raise all problems of their names and kinds."""
    members = archive.infolist()
    repeated = {name for name, count in Counter(member.filename for member in members).items() if count > 1}
    problems = [
        Problem("PP777", f"{member.orig_filename!r} {reason}", Location(shown), "build the archive again without it")
        for member in members
        for reason in _reasons(member, member.filename in repeated)
    ]
    if problems:
        raise PackError(dict.fromkeys(problems))
    return {member.filename: member for member in members if not member.is_dir()}


def _reasons(member: ZipInfo, is_repeated: bool) -> Iterator[str]:
    name = member.orig_filename
    parts = name.removesuffix("/").split("/")
    kind = stat.S_IFMT(member.external_attr >> 16)
    if ".." in parts:
        yield "leads out of the archive"
    elif name.startswith("/") or (len(name) > 1 and name[1] == ":"):
        yield "is an absolute path"
    elif "" in parts or "." in parts or "\\" in name or not name.isprintable():
        yield "is not a plain path"
    if stat.S_ISLNK(kind):
        yield "is a symbolic link"
    elif kind and not stat.S_ISREG(kind) and not stat.S_ISDIR(kind):
        yield "is not a regular file"
    if member.flag_bits & _ENCRYPTED:
        yield "is encrypted"
    elif member.compress_type not in (_STORED, _DEFLATED):
        yield "uses a compression other than deflate"
    if is_repeated:
        yield "is in the archive more than once"


def _choose(archive: ZipFile, members: dict[str, ZipInfo], shown: str) -> str:
    """Return the folder of packs of an archive: the one that a wheel registers, or `packs`, or the top."""
    registered = next((name for name in members if name.count("/") == 1 and name.endswith(ENTRY_POINTS)), None)
    if registered is not None and members[registered].file_size <= MAX_FILE_BYTES:
        from promptpack.sources.packages import choose_registered

        with archive.open(members[registered]) as stream:
            return choose_registered(stream.read(MAX_FILE_BYTES).decode("utf-8", "replace"), shown)
    return "packs" if any(name.startswith("packs/") for name in members) else ""


class _ArchiveReader:
    """Reads the files of one folder of an archive, within limits that are checked while reading."""

    def __init__(self, archive: ZipFile, size: int, shown: str, path: str) -> None:
        self._archive = archive
        self._shown = shown
        self._path = path
        self._root = f"{shown}/{path}" if path else shown
        self._collection = Collection(self._root)
        self._read = 0
        self._limit = max(size * _MAX_RATIO, _MAX_UNSUSPICIOUS_BYTES)

    def read(self, members: dict[str, ZipInfo]) -> MemoryFolder:
        """Return the folder."""
        for name, member in members.items():
            path = self._relative(name)
            if path is not None and self._collection.accepts(path, 0):
                content = self._content(member)
                if self._collection.accepts(path, len(content)):
                    self._collection.add(path, content)
        found = self._collection
        if not any(path.endswith((".yaml", ".yml")) for path in (*found.texts, *found.refused)):
            where = f"in the folder {self._path!r}" if self._path else "and no folder 'packs'"
            hint = "put the packs into the folder 'packs' of the archive"
            raise UsageError(Problem("PP778", f"the archive has no packs {where}", Location(self._shown), hint))
        return MemoryFolder(self._root, texts=found.texts, refused=found.refused)

    def _relative(self, name: str) -> str | None:
        if not self._path:
            return name
        parent = self._path.rpartition("/")[0]
        schemas = f"{parent}/schemas/" if parent else "schemas/"
        if name.startswith(schemas):
            return SIBLING + name.removeprefix(schemas)
        return name.removeprefix(f"{self._path}/") if name.startswith(f"{self._path}/") else None

    def _content(self, member: ZipInfo) -> bytes:
        try:
            with self._archive.open(member) as stream:
                content = stream.read(MAX_FILE_BYTES + 1)
        except (zlib.error, EOFError, OSError) as error:
            raise UsageError(_damaged(f"{self._shown}/{member.filename}", str(error))) from error
        self._read += len(content)
        if self._read > self._limit:
            raise UsageError(self._collection.too_large(f"unpacks to more than {_MAX_RATIO} times its size"))
        return content


def _damaged(shown: str, reason: str) -> Problem:
    hint = "download or build the archive again"
    return Problem("PP776", f"is not a zip file, or is damaged: {reason}", Location(shown), hint)
