"""The `OpenFolder`: a folder held open; its files are the same ones even if a link takes the place of its path."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_HAS_DESCRIPTORS = os.open in os.supports_dir_fd  # not on Windows, where paths are used instead
_EXCHANGE = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS
_UNSUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)


class OpenFolder:
    """A folder whose files are opened, renamed and removed by name, without following links."""

    def __init__(self, path: str, descriptor: int | None) -> None:
        self._path = path
        self._descriptor = descriptor

    @classmethod
    def below(cls, root: str, parts: Iterable[str] = (), *, create: bool = False) -> OpenFolder:
        """Open a folder part by part from its root; a link in between is an `OSError`, a link as the root is not."""
        if not _HAS_DESCRIPTORS:
            path = os.path.join(root or ".", *parts)
            if create:
                os.makedirs(path, exist_ok=True)
            return cls(path, None)
        here = os.open(root or ".", _FOLDER)
        for part in parts:
            parent = here
            try:
                here = _step(parent, part, create=create)
            finally:
                os.close(parent)
        return cls("", here)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)

    def open(self, name: str, flags: int, mode: int = 0o600) -> int:
        """Return a descriptor of a file, which is no link."""
        return os.open(self._name(name), flags | _NO_LINK, mode, dir_fd=self._descriptor)

    def mode(self, name: str) -> int | None:
        """Return the mode of a file; None if it is missing."""
        with suppress(FileNotFoundError):
            return os.stat(self._name(name), dir_fd=self._descriptor).st_mode
        return None

    def set_mode(self, name: str, mode: int) -> None:
        """Change the permissions of a file."""
        os.chmod(self._name(name), mode, dir_fd=self._descriptor)

    def replace(self, name: str, target: str) -> None:
        """Rename a file; one that has the name already is gone."""
        here = self._descriptor
        os.replace(self._name(name), self._name(target), src_dir_fd=here, dst_dir_fd=here)

    def link(self, name: str, target: str) -> None:
        """Give a file a second name, which nothing has yet."""
        here = self._descriptor
        os.link(self._name(name), self._name(target), src_dir_fd=here, dst_dir_fd=here)

    def exchange(self, name: str, target: str) -> bool:
        """Exchange the files of two names in one step; return False where the system or its disk cannot."""
        rename = None if self._descriptor is None else _find_rename()
        if rename is None:
            return False
        here = self._descriptor
        error = rename(here, os.fsencode(name), here, os.fsencode(target), _EXCHANGE)
        if error and error not in _UNSUPPORTED:
            raise OSError(error, os.strerror(error), target)
        return not error

    def remove(self, name: str) -> None:
        """Delete a file if it exists."""
        with suppress(FileNotFoundError):
            os.unlink(self._name(name), dir_fd=self._descriptor)

    def _name(self, name: str) -> str:
        return os.path.join(self._path, name) if self._descriptor is None else name


def open_below(root: str, path: str, flags: int) -> int:
    """Open a file folder by folder from its root, so that a link created meanwhile is not followed."""
    *folders, name = (part for part in path[len(root) :].split("/") if part not in ("", "."))
    with OpenFolder.below(root, folders) as folder:
        return folder.open(name, flags)


def _step(parent: int, name: str, *, create: bool) -> int:
    if name == "..":
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), name)
    if create:
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=parent)
    return os.open(name, _FOLDER | _NO_LINK, dir_fd=parent)


@cache
def _find_rename() -> Callable[[int | None, bytes, int | None, bytes, int], int] | None:
    """Return the system's function that can exchange two files, and returns an error number; Python has none."""
    try:
        import ctypes
    except ImportError:
        return None
    system = ctypes.CDLL(None, use_errno=True)
    function = getattr(system, "renameat2", None) or getattr(system, "renameatx_np", None)
    if function is None:
        return None
    function.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    return lambda *given: ctypes.get_errno() if function(*given) else 0
