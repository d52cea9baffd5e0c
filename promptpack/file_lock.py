"""One process at a time changes files of a folder: reading, changing and writing a file belong together."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic, sleep

from promptpack.problem import Location, Problem, UsageError

with suppress(ImportError):  # not on Windows, where two commands at the same time may lose a change
    import fcntl

_MAX_WAIT_SECONDS = 30.0
_PAUSE_SECONDS = 0.01


@contextmanager
def exclusive(folder: str) -> Iterator[None]:
    """Wait until no other process is inside this block for the same folder.

    The folder itself is locked, so no file is left behind, and the lock ends with the process, even a killed one.
    """
    if "fcntl" not in globals():
        yield
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise UsageError(Problem("PP126", f"cannot be written: {error.strerror}", Location(folder))) from error
    try:
        _lock(descriptor, folder)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, folder: str) -> None:
    end = monotonic() + _MAX_WAIT_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if monotonic() > end:
                message = f"cannot be written: another process has been writing here for {_MAX_WAIT_SECONDS:g} seconds"
                raise UsageError(Problem("PP126", message, Location(folder), "end it, and try again")) from error
        except OSError:
            return  # a file system without locks
        else:
            return
        sleep(_PAUSE_SECONDS)
