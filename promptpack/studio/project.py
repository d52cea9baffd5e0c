"""The `Project`: the opened folder of packs, and the texts in it that the studio may read and write."""

from __future__ import annotations

import codecs
import hashlib
import re
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final, NamedTuple

from promptpack import files
from promptpack.character_patterns import UNSEEN
from promptpack.characters import decode_utf8
from promptpack.document import normalize
from promptpack.editor import Buffer, Workspace
from promptpack.library import Library
from promptpack.library.entry import Entry
from promptpack.problem import Location, PackError, Problem, PromptpackError, UsageError, as_data

SUFFIXES = (".yaml", ".yml", ".j2")
"""The files that the studio shows; only these are read and written."""
MAX_BYTES: Final = 1_000_000
"""How large a file may be."""
_MAX_PATH = 500
# With a colon or a backslash, Windows reads a name as another file.
_PLAIN_PART = re.compile(r"[^/\\:\x00-\x1f\x7f]+")


class StoredText(NamedTuple):
    """A text as it is on disk; `content` is None if there is no file."""

    text: str = ""
    content: bytes | None = None

    @property
    def digest(self) -> str:
        """The digest of the file; empty if there is none."""
        return "" if self.content is None else digest_of(self.content)

    def encode(self, text: str) -> bytes:
        """Return an edited text with the line ends and the byte order mark of the file."""
        content = self.content or b""
        has_crlf = 0 < content.count(b"\r\n") == content.count(b"\n")
        edited = (text.replace("\n", "\r\n") if has_crlf else text).encode()
        return codecs.BOM_UTF8 + edited if content.startswith(codecs.BOM_UTF8) else edited


class Project:
    """The packs of one folder; `workspace` may be used by one thread at a time, under `lock`."""

    def __init__(self, root: str) -> None:
        self.folder: files.Folder = files.Folder(root)
        self.workspace: Workspace = Workspace(root)
        self.lock: threading.RLock = threading.RLock()

    @property
    def library(self) -> Library:
        """The packs as they are on disk."""
        with self.lock:
            return self.workspace.library_of(self.folder.root)

    def refresh(self) -> None:
        """Read the files again when they are needed next."""
        with self.lock:
            self.workspace.refresh()

    def path_of(self, relative: str) -> str:
        """Return the path of a file as problems show it; raise if the studio may not open it."""
        parts = relative[: _MAX_PATH + 1].split("/")
        is_plain = all(_PLAIN_PART.fullmatch(part) and not part.startswith(".") for part in parts)
        if (
            not is_plain
            or len(relative) > _MAX_PATH
            or not relative.endswith(SUFFIXES)
            or any(part.endswith((" ", ".")) for part in parts)
            or UNSEEN.search(relative)
        ):
            message = f"{relative[:200]!r} is not a file that the studio opens"
            hint = f"it opens files in the folder {self.folder.root!r} that end with {', '.join(SUFFIXES)}"
            raise UsageError(Problem("PP993", message, None, hint))
        self.folder.require_inside(relative)
        return self.folder.show(relative)

    def relative(self, path: str) -> str:
        """Return a path as the page shows it: relative to the folder if it is inside."""
        return self.folder.to_relative(path) or path

    def read(self, relative: str) -> StoredText:
        """Return a text as it is on disk; links and files that are not text are refused."""
        path = self.path_of(relative)
        if not self.folder.is_occupied(relative):
            return StoredText()
        content = self.folder.read(relative)
        return StoredText(normalize(decode_utf8(content, path)), content)

    def write(self, relative: str, text: str, base: str) -> StoredText | None:
        """Replace a text whose digest is still `base`, and return the new one; None if it has changed since."""
        stored, place = self.read(relative), Location(self.path_of(relative))
        try:
            content = stored.encode(text)
        except UnicodeEncodeError as error:
            problem = Problem("PP408", "text contains half of a surrogate pair", place, "type it again")
            raise UsageError(problem) from error
        if len(content) > MAX_BYTES:
            message = f"file is larger than {MAX_BYTES:,} bytes"
            raise PackError(Problem("PP102", message, place, "split it into partials"))
        if stored.digest != base or not self.folder.replace(relative, stored.content, content):
            return None
        self.refresh()
        # Not the file on disk, which another program may have changed since.
        return StoredText(normalize(content.decode()), content)

    def entry(self, relative: str) -> Entry | None:
        """Return the pack file at a path; None if it is another file."""
        path = self.path_of(relative)
        return next((entry for entry in self.library.entries if entry.path == path), None)

    def buffer(self, relative: str, text: str) -> Buffer:
        """Return a buffer of a pack as it is typed; the caller has the lock."""
        return self.workspace.open(self.path_of(relative), text)

    def write_problem(self, problem: Problem) -> dict[str, Any]:
        """Return a problem as plain data; its path is relative to the folder."""
        data = as_data(problem)
        return {**data, "path": self.relative(data["path"])} if data["path"] else data

    def shown(self, error: PromptpackError) -> list[dict[str, Any]]:
        """Return the problems of an error as plain data."""
        return [self.write_problem(problem) for problem in error.problems]

    def text_of(self, typed: Mapping[str, str], relative: str) -> str:
        """Return the text of a file as it is typed, else as it is on disk."""
        self.path_of(relative)
        found = typed.get(relative)
        return self.read(relative).text if found is None else found

    def stamps(self) -> dict[str, files.Stamp]:
        """Return the stamps of the files of the folder and of its schemas."""
        found: dict[str, files.Stamp] = {}
        for folder, prefix in ((self.folder, ""), (self.folder.sibling, files.SIBLING)):
            with suppress(OSError):
                found |= {
                    f"{prefix}{file}": stamp for file, stamp in folder.stamps(*SUFFIXES, ".json", ".lock", ".toml")
                }
        return found


def digest_of(content: bytes) -> str:
    """Return the digest of a file."""
    return hashlib.sha256(content).hexdigest()
