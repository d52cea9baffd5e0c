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

    def open_inner(self, name: str) -> PrivateFolder | None:
        """Open a folder in this one, and create it if needed."""
        return self.open(f"{self.root}/{name}")

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

    def open_log(self, name: str) -> PrivateLog | None:
        """Open a file that only grows, and create it if needed; return None if it may not be private."""
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK | os.O_NOFOLLOW
        try:
            descriptor = os.open(f"{self.root}/{name}", flags, 0o600)
        except OSError:
            return None
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or not _is_private(status):
            os.close(descriptor)
            return None
        return PrivateLog(f"{self.root}/{name}", descriptor)

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


class PrivateLog:
    """A file of lines that only grows, and that only one process writes."""

    def __init__(self, path: str, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor

    def lock(self) -> bool:
        """Return whether no other process has locked the file; the lock ends with the process."""
        import fcntl

        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def read_lines(self) -> list[bytes]:
        """Return the whole lines; a line without an end was cut off when its process died, and is removed."""
        with open(self._descriptor, "rb", closefd=False) as stream:
            stream.seek(0)
            content = stream.read()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            os.ftruncate(self._descriptor, whole)
        return content[:whole].splitlines()

    def append(self, line: bytes, *, durable: bool = True) -> None:
        """Write a line, which survives the end of this process, and with `durable` that of the machine."""
        content = line + b"\n"
        while content:
            content = content[os.write(self._descriptor, content) :]
        if durable:
            os.fsync(self._descriptor)

    def clear(self) -> None:
        """Remove all lines."""
        os.ftruncate(self._descriptor, 0)

    def close(self) -> None:
        """Close the file and give up the lock."""
        os.close(self._descriptor)


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
