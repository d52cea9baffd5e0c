"""Kill a command before each of its file operations, one after another."""

import os
import signal
import sys
from pathlib import Path
from typing import Any

from promptpack.cli.main import main

_COUNTED = ("open", "os.", "shutil.", "tempfile.", "fcntl.")
_MAX_OPERATIONS = 2_000


def assert_killed_anywhere_is_whole(path: Path, words: list[str]) -> None:
    """Run a command in forked processes, the n-th of which is killed before its n-th operation on files.

    Whatever the command has done until then, the file has its old or its new content, and the command works afterwards.
    """
    old = path.read_bytes()
    states = []
    for number in range(_MAX_OPERATIONS):
        path.write_bytes(old)
        is_killed = _run_until(number, words)
        states.append(path.read_bytes())
        if not is_killed:
            break
    new = states[-1]
    assert new != old
    assert set(states) == {old, new}
    changes = [number for number in range(1, len(states)) if states[number] != states[number - 1]]
    assert len(changes) == 1, "the file changes in one operation"


def _run_until(number: int, words: list[str]) -> bool:
    """Return whether the command was killed: False if it has fewer operations."""
    child = os.fork()
    if child == 0:
        left = number

        def count(event: str, _: tuple[Any, ...]) -> None:
            nonlocal left
            if event.startswith(_COUNTED) and event != "os.kill":
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        try:
            sys.addaudithook(count)
            main(words, standalone_mode=False)
        finally:  # this process must not go on as a copy of the test run
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])
