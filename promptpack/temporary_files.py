"""Hidden files that take the place of the files next to them in one step."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from promptpack.open_folder import OpenFolder

_DEFAULT_MODE = 0o644
_MAX_READ = 64_000_000
_READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NEW_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


class TemporaryFile:
    """The new content of a file, in a hidden file next to it."""

    def __init__(self, folder: OpenFolder, name: str, content: bytes) -> None:
        self._folder = folder
        self._name = name
        self._content = content
        # Not made from the name, which may be as long as a name can be.
        self._hidden = f".{os.urandom(8).hex()}.new"
        self._is_ours = True

    def write(self) -> None:
        """Write the content, with the permissions of the file that it will replace."""
        mode = self._folder.mode(self._name)
        with open(self._folder.open(self._hidden, _NEW_FLAGS), "wb") as stream:
            self._folder.set_mode(self._hidden, _DEFAULT_MODE if mode is None else stat.S_IMODE(mode))
            stream.write(self._content)
            stream.flush()
            os.fsync(stream.fileno())

    def replace(self) -> None:
        """Take the place of the file, whatever it contains."""
        self._folder.replace(self._hidden, self._name)

    def replace_only(self, old: bytes | None) -> bool:
        """Take the place of the file only if it has this content, or if it is None and there is none.

        Both files are exchanged in one step. Then the old file is checked: it is restored if another program has
        changed it, or has it open for writing.
        """
        if old is None:
            return self._create()
        allowed: bytes | None = old
        put: bytes | None = self._content
        while True:
            try:
                is_done = self._folder.exchange(self._hidden, self._name)
            except FileNotFoundError:
                return False
            if not is_done:
                return self._replace_checked(old)
            self._is_ours = False
            taken = self._read(self._hidden)
            if taken == allowed:
                self._is_ours = True
                return put is self._content
            allowed, put = put, taken

    def remove(self) -> None:
        """Delete the hidden file, unless it has become the file of another program."""
        if self._is_ours:
            self._folder.remove(self._hidden)

    def _create(self) -> bool:
        try:
            self._folder.link(self._hidden, self._name)
        except FileExistsError:
            return False
        except OSError:  # the disk has no second names
            if self._folder.mode(self._name) is not None:
                return False
            self.replace()
        return True

    def _replace_checked(self, old: bytes) -> bool:
        """Replace the file right after it was compared, where two files cannot be exchanged."""
        if self._read(self._name) != old:
            return False
        self.replace()
        return True

    def _read(self, name: str) -> bytes | None:
        """Return the content of a file; None if it is none, or if another program has it open for writing."""
        with suppress(OSError), open(self._folder.open(name, _READ_FLAGS), "rb") as stream:
            return None if _is_being_written(stream.fileno()) else stream.read(_MAX_READ)
        return None


@contextmanager
def write_temporary(root: str, relative: str, content: bytes) -> Iterator[TemporaryFile]:
    """Write a temporary file for a file below a folder, and create its folder; it is gone afterwards.

    No link below `root` is followed.
    """
    *parts, name = (part for part in relative.replace(os.sep, "/").split("/") if part not in ("", "."))
    os.makedirs(root or ".", exist_ok=True)
    with OpenFolder.below(root, parts, create=True) as folder:
        file = TemporaryFile(folder, name, content)
        try:
            file.write()
            yield file
        finally:
            file.remove()


def _is_being_written(descriptor: int) -> bool:
    """Return whether a file is open for writing; only Linux shows it, by refusing a lease."""
    try:
        import fcntl
        import signal
    except ImportError:  # on Windows, a file that is being written cannot be replaced
        return False
    if not hasattr(fcntl, "F_SETLEASE"):
        return False
    try:
        # A program that opens the file meanwhile causes this signal, which is ignored; the usual one ends the process.
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except BlockingIOError:
        return True
    except OSError:
        return False  # a disk without leases
    return False
