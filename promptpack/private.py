"""A folder of the user's own, that nobody else can read or write, and where it is."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass


@dataclass(frozen=True)
class PrivateFolder:
    """A folder that nobody but the user can read or write; what is not certain to be so is left alone."""

    root: str

    @classmethod
    def open(cls, path: str) -> PrivateFolder | None:
        """Open a folder, made where there is none; there is nothing to open where others could get in."""
        try:
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            with suppress(FileExistsError):
                os.mkdir(path, 0o700)
            status = os.lstat(path)
        except OSError:
            return None
        return cls(path) if stat.S_ISDIR(status.st_mode) and _is_private(status) else None

    def read(self, name: str, limit: int) -> bytes | None:
        """Read a file of at most `limit` bytes; one that is not there, or not private, is nothing."""
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
        """Write a file whole or not at all, and say which; without `replace`, one that is there stays."""
        from tempfile import mkstemp

        try:
            descriptor, beside = mkstemp(dir=self.root, prefix=".new-")
        except OSError:
            return False
        try:
            with open(descriptor, "wb") as stream:
                stream.write(content)
            if replace:
                os.replace(beside, f"{self.root}/{name}")
            else:
                os.link(beside, f"{self.root}/{name}")
        except OSError:
            return False
        finally:
            _remove(beside)
        return True

    def shrink(self, most: int) -> None:
        """Remove the files that were written first, until half of `most` bytes are left; do nothing below that."""
        try:
            with os.scandir(self.root) as items:
                found = [(item.path, item.stat(follow_symlinks=False)) for item in items if not item.is_dir()]
        except OSError:
            return  # somebody else is shrinking it
        total = sum(status.st_size for _, status in found)
        if total <= most:
            return
        for file, status in sorted(found, key=lambda pair: pair[1].st_mtime_ns):
            if total <= most // 2:
                return
            _remove(file)
            total -= status.st_size


def _is_private(status: os.stat_result) -> bool:
    # Where there are no such owners and modes, nothing is certain.
    return hasattr(os, "geteuid") and status.st_uid == os.geteuid() and not status.st_mode & 0o077


def user_folder(kind: str) -> str | None:
    """Find where the user keeps our files of a kind, by the XDG rules; without a home there is no such place."""
    given = os.environ.get(f"XDG_{kind.upper()}_HOME", "")
    if given.startswith("/"):
        return f"{given}/promptpack"
    home = os.environ.get("HOME", "")
    below = {"cache": ".cache", "state": ".local/state"}[kind]
    return f"{home}/{below}/promptpack" if home.startswith("/") else None


def _remove(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)
