"""Folders of packs as they were at a git revision: plumbing commands only, so no program of a repository runs."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from promptpack.files import SIBLING
from promptpack.problem import Location, Problem, UsageError, did_you_mean
from promptpack.sources.file_collection import Collection
from promptpack.sources.memory_folder import MemoryFolder

_SECONDS = 30
_MAX_TAGS = 10
_MAX_LOG = 1_000
_LINK, _SUBMODULE = "120000", "160000"
_FIELDS = "%H%x00%an%x00%aI%x00%s%x00"
_ENVIRONMENT = {
    "GIT_LITERAL_PATHSPECS": "1",  # a folder named ':(top)' is a folder
    "GIT_ALLOW_PROTOCOL": "none",  # a partial clone does not fetch
    "GIT_NO_LAZY_FETCH": "1",  # "
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


class TreeFile(NamedTuple):
    """A file of a revision: its path relative to the folder of packs, the kind that git calls mode, and its id."""

    path: str
    mode: str
    id: str
    size: int

    @property
    def is_special(self) -> bool:
        """Whether it is a link or a submodule, not a file."""
        return self.mode in (_LINK, _SUBMODULE)


class LogEntry(NamedTuple):
    """A commit that changed a file."""

    revision: str
    author: str
    date: str
    subject: str


class Revision(NamedTuple):
    """A folder of packs at a commit."""

    folder: str
    """As the user wrote it."""
    name: str
    """The revision as the user wrote it."""
    commit: str
    path: str
    """The folder relative to the top of the repository; empty if it is the top."""

    @classmethod
    def find(cls, folder: str, name: str) -> Revision:
        """Find the commit that a revision names; raise a `UsageError` if there is none."""
        if not name or name.startswith("-") or ":" in name or not name.isprintable():
            hint = "write a tag, a branch or a commit, such as v1.2.0"
            raise UsageError(Problem("PP772", f"{name!r} is not a revision", None, hint))
        here, below = _nearest(folder)
        status, prefix, message = _run(here, "rev-parse", "--show-prefix")
        if status != 0:
            raise UsageError(Problem("PP771", f"{folder!r} is not in a git repository: {_first_line(message)}"))
        status, commit, _ = _run(here, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        if status != 0:
            raise UsageError(Problem("PP772", f"the repository has no revision {name!r}", None, _suggest(here, name)))
        path = posixpath.normpath(posixpath.join(prefix.decode("utf-8", "surrogateescape").removesuffix("\n"), below))
        return cls(folder, name, commit.decode().strip(), path.removeprefix("."))

    def list_files(self) -> tuple[TreeFile, ...]:
        """Return the files of the folder and of `schemas` next to it, with their ids, without reading them."""
        schemas = posixpath.join(posixpath.dirname(self.path), "schemas")
        wanted = (f"{self.path}/", f"{schemas}/") if self.path else ()
        listed = _git(self.folder, "ls-tree", "-r", "-z", "-l", "--full-tree", self.commit, "--", *wanted)
        found = tuple(_parse_tree(listed, self.path, schemas))
        if any(not file.path.startswith("../") for file in found):
            return found
        raise UsageError(Problem("PP773", f"revision {self.name!r} has no folder {self.folder!r}", None, self._where()))

    def read(self, files: Iterable[TreeFile]) -> MemoryFolder:
        """Return a folder in memory with files of this revision."""
        root = f"git:{self.name}:{posixpath.normpath(self.folder)}"
        collection = Collection(root)
        wanted: list[TreeFile] = []
        for file in files:
            if file.mode == _SUBMODULE:
                collection.refuse(file.path, "PP774", "is a submodule, whose files are not part of the revision")
            elif file.mode == _LINK:
                collection.refuse_link(file.path)
            elif collection.accepts(file.path, file.size):
                wanted.append(file)
        for file, content in zip(wanted, self._contents(wanted), strict=True):
            collection.add(file.path, content)
        return MemoryFolder(root, texts=collection.texts, refused=collection.refused, origin=root)

    def _contents(self, wanted: list[TreeFile]) -> Iterator[bytes]:
        ids = "".join(f"{file.id}\n" for file in wanted)
        output = _git(self.folder, "cat-file", "--batch", given=ids.encode()) if wanted else b""
        position = 0
        for file in wanted:
            start = output.index(b"\n", position) + 1
            if output[position : start - 1].decode() != f"{file.id} blob {file.size}":
                raise UsageError(_damaged(self.folder, f"{file.path!r} is missing in the repository"))
            position = start + file.size + 1
            yield output[start : position - 1]

    def _where(self) -> str:
        """Return a hint at a folder of the same name elsewhere in the revision."""
        listed = _git(self.folder, "ls-tree", "-r", "-d", "-z", "--name-only", "--full-tree", self.commit)
        folders = listed.decode("utf-8", "surrogateescape").split("\0")[:-1]
        same = [one for one in folders if posixpath.basename(one) == posixpath.basename(self.path)]
        return f"it has {same[0]!r}, counted from the top of the repository" if same else ""


def open_revision(folder: str, revision: str) -> MemoryFolder:
    """Return a folder of packs, and `schemas` next to it, as they were at a revision; nothing is written."""
    found = Revision.find(folder, revision)
    return found.read(found.list_files())


def log(folder: str, file: str) -> tuple[LogEntry, ...]:
    """Return the commits that changed a file of a folder, newest first; a renamed file starts anew."""
    here, below = _nearest(folder)
    words = ("rev-list", f"--max-count={_MAX_LOG}", f"--format=format:{_FIELDS}", "HEAD", "--")
    output = _git(here, *words, posixpath.join(below, file)).decode("utf-8", "replace")
    fields = output.split("\0")
    # A line "commit <id>" precedes each row.
    rows = zip(*(fields[start::4] for start in range(4)), strict=False)
    return tuple(LogEntry(first.rpartition("\n")[2], *others) for first, *others in rows)


def _nearest(folder: str) -> tuple[str, str]:
    """Return the nearest existing folder, and the rest of the path: a revision may have folders that are gone."""
    here, below = os.path.abspath(folder), ""
    while not os.path.isdir(here) and here != os.path.dirname(here):
        here, name = os.path.split(here)
        below = posixpath.join(name, below) if below else name
    return here, below


def _parse_tree(listed: bytes, path: str, schemas: str) -> Iterator[TreeFile]:
    for row in listed.decode("utf-8", "surrogateescape").split("\0")[:-1]:
        facts, _, full = row.partition("\t")
        mode, _, blob, size = facts.split()
        is_own = not path or full.startswith(f"{path}/")
        relative = full.removeprefix(f"{path}/") if is_own else SIBLING + full.removeprefix(f"{schemas}/")
        yield TreeFile(relative, mode, blob, int(size) if size.isdigit() else 0)


def _suggest(here: str, name: str) -> str:
    listed = _run(here, "for-each-ref", "--format=%(refname:short)", "--sort=-creatordate", "refs/tags", "refs/heads")[
        1
    ]
    names = listed.decode("utf-8", "replace").split()
    shown = ", ".join(names[:_MAX_TAGS])
    return did_you_mean(name, names) or (f"it has {shown}" if names else "it has no tags and no branches")


def _git(folder: str, *words: str, given: bytes = b"") -> bytes:
    status, output, message = _run(_nearest(folder)[0], *words, given=given)
    if status != 0:
        raise UsageError(_damaged(folder, f"git {words[0]} failed: {_first_line(message)}"))
    return output


def _damaged(folder: str, message: str) -> Problem:
    return Problem("PP771", message, Location(folder), "run 'git fsck' to check the repository")


def _run(here: str, *words: str, given: bytes = b"") -> tuple[int, bytes, bytes]:
    """Run a plumbing command; return its exit code and what it wrote."""
    import subprocess

    command = ["git", "-C", here, "--no-pager", "--no-optional-locks", "--no-replace-objects", *words]
    try:
        done = subprocess.run(  # noqa: S603 -- fixed words, ids, and values after '--' or '--end-of-options'
            command, env=_environment(os.environ), input=given, capture_output=True, timeout=_SECONDS, check=False
        )
    except FileNotFoundError as error:
        hint = "install git, or use a folder or an archive"
        raise UsageError(Problem("PP771", "git is not installed, and a revision needs it", None, hint)) from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(Problem("PP771", f"git {words[0]} failed: {error}")) from error
    return done.returncode, done.stdout, done.stderr


def _environment(given: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of git: a hook gets variables that are relative to another folder."""
    return {**{name: value for name, value in given.items() if not name.startswith("GIT_")}, **_ENVIRONMENT}


def _first_line(message: bytes) -> str:
    return (message.decode("utf-8", "replace").strip().splitlines() or ["no message"])[0]
