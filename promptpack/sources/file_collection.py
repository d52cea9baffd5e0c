"""Collect the files of a source into memory, within limits."""

from __future__ import annotations

from promptpack.files import SIBLING
from promptpack.problem import Location, Problem, UsageError
from promptpack.sources.memory_folder import MemoryFolder

SUFFIXES = (".yaml", ".yml", ".j2", ".json", ".txt", ".lock", ".csv", ".jsonl")
"""The files that a folder of packs may use; all others are ignored."""
MAX_FILES = 10_000
MAX_FILE_BYTES = 1_000_000
MAX_TOTAL_BYTES = 100_000_000
_SKIPPED_FOLDERS = frozenset(("node_modules", "__pycache__"))


class Collection:
    """The files of a source so far; `root` is the name of the source in problems."""

    def __init__(self, root: str) -> None:
        self.texts: dict[str, bytes] = {}
        self.refused: dict[str, Problem] = {}
        self._shown = MemoryFolder(root)
        self._total = 0

    def accepts(self, path: str, size: int) -> bool:
        """Return whether a file is used and not too large; count it."""
        if not _is_used(path) or not path.endswith(SUFFIXES):
            return False
        if size > MAX_FILE_BYTES:
            self.refuse(path, "PP102", f"file is larger than {MAX_FILE_BYTES:,} bytes", "split it into partials")
            return False
        self._total += size
        if self._total > MAX_TOTAL_BYTES:
            raise UsageError(self.too_large(f"has more than {MAX_TOTAL_BYTES:,} bytes"))
        return True

    def add(self, path: str, content: bytes) -> None:
        """Add a file that was accepted."""
        self.texts[path] = content
        if len(self.texts) > MAX_FILES:
            raise UsageError(self.too_large(f"has more than {MAX_FILES:,} files"))

    def refuse_link(self, path: str) -> None:
        """Add the problem of a symbolic link to a file that is used, or maybe to a folder of packs."""
        name = path.rpartition("/")[2]
        may_be_folder = "." not in name and not name.startswith("_")
        if _is_used(path) and (path.endswith(SUFFIXES) or may_be_folder):
            self.refuse(path, "PP122", f"{name!r} is a symbolic link", "replace it with the file or folder itself")

    def refuse(self, path: str, code: str, message: str, hint: str = "") -> None:
        """Add the problem of a file or folder that cannot be used."""
        self.refused[path] = Problem(code, message, Location(self._shown.show(path)), hint)

    def too_large(self, message: str) -> Problem:
        """Return the problem of a source that exceeds a limit."""
        return Problem("PP775", message, Location(self._shown.root), "use a source with packs only")


def _is_used(path: str) -> bool:
    """Return whether a folder on disk would show this file: nothing hidden, nothing in folders without packs."""
    parts = path.removeprefix(SIBLING).split("/")
    return not any(part.startswith(".") or part in _SKIPPED_FOLDERS for part in parts)
