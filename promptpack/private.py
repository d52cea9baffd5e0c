"""Folders that only the user can read and write, and their default locations."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass

from promptpack import files


@dataclass(frozen=True)
class PrivateFolder:
    """A folder that only the user can read and write; anything that may not be private is not used."""

    root: str

    @classmethod
    def open(cls, path: str) -> PrivateFolder | None:
        """Open a folder, and create it if needed; return None if others could access it."""
        try:
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            with suppress(FileExistsError):
                os.mkdir(path, 0o700)
            status = os.lstat(path)
        except OSError:
            return None
        return cls(path) if stat.S_ISDIR(status.st_mode) and _is_private(status) else None

    def read(self, name: str, limit: int) -> bytes | None:
        """Read a file of at most `limit` bytes; return None if it is missing or not private."""
        try:
            descriptor = os.open(f"{self.root}/{name}", os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
        except OSError:
            return None
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or not _is_private(status) or status.st_size > limit:
            os.close(descriptor)
            return None
        with open(descriptor, "rb") as stream:
            return stream.read(status.st_size)

    def write(self, name: str, content: bytes, *, replace: bool = True) -> bool:
        """Write a file atomically, and return whether it was written; without `replace`, an existing file stays."""
        from tempfile import mkstemp

        try:
            descriptor, temporary = mkstemp(dir=self.root, prefix=".new-")
        except OSError:
            return False
        try:
            with open(descriptor, "wb") as stream:
                stream.write(content)
            if replace:
                os.replace(temporary, f"{self.root}/{name}")
            else:
                os.link(temporary, f"{self.root}/{name}")
        except OSError:
            return False
        finally:
            files.remove(temporary)
        return True

    def shrink(self, limit: int) -> None:
        """If the files exceed `limit` bytes, remove the oldest until half of that remains."""
        try:
            with os.scandir(self.root) as items:
                found = [(item.path, item.stat(follow_symlinks=False)) for item in items if not item.is_dir()]
        except OSError:
            return  # another process is shrinking it
        total = sum(status.st_size for _, status in found)
        if total <= limit:
            return
        for file, status in sorted(found, key=lambda pair: pair[1].st_mtime_ns):
            if total <= limit // 2:
                return
            files.remove(file)
            total -= status.st_size


def _is_private(status: os.stat_result) -> bool:
    # Without POSIX owners and modes, nothing is certainly private.
    return hasattr(os, "geteuid") and status.st_uid == os.geteuid() and not status.st_mode & 0o077


def user_folder(kind: str) -> str | None:
    """Return the user's folder for files of a kind, by the XDG rules; None without a home folder."""
    given = os.environ.get(f"XDG_{kind.upper()}_HOME", "")
    if given.startswith("/"):
        return f"{given}/promptpack"
    home = os.environ.get("HOME", "")
    below = {"cache": ".cache", "state": ".local/state"}[kind]
    return f"{home}/{below}/promptpack" if home.startswith("/") else None
