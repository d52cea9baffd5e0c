"""Texts in hidden files, which then replace the files next to them in one step."""

import os
import stat
from collections.abc import Callable

_DEFAULT_MODE = 0o644


def write_temporary(target: str, text: str) -> str:
    """Write the text of a file to a hidden file next to it, with its permissions, and return the path of that."""
    from tempfile import mkstemp

    folder, name = os.path.split(target)
    os.makedirs(folder or ".", exist_ok=True)
    descriptor, temporary = mkstemp(dir=folder or ".", prefix=f".{name}.")
    try:
        os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode) if os.path.exists(target) else _DEFAULT_MODE)
        with open(descriptor, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
    except BaseException:
        os.unlink(temporary)
        raise
    return temporary


def write_if(target: str, text: str, is_allowed: Callable[[], bool]) -> bool:
    """Write a file atomically if a function that is asked at the last moment allows it; return whether it did."""
    temporary = write_temporary(target, text)
    try:
        if not is_allowed():
            return False
        os.replace(temporary, target)
        temporary = ""
        return True
    finally:
        if temporary:
            os.unlink(temporary)
