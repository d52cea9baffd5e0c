"""Kill a command before each of its file operations, one after another."""

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from promptpack.cli.main import main

State = dict[str, bytes]
_CHANGES = ("os.link", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.truncate")
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


def list_states_after_kills(folder: Path, words: list[str], read: Callable[[Path], State]) -> Iterator[State]:
    """Run a command in copies of a folder, killed before its n-th change of a file; yield what each copy then has.

    In each copy, the command is run again, and its result must be that of a command that nobody kills.
    """
    whole = Path(shutil.copytree(folder, folder.parent / "whole"))
    assert not _run_until(_MAX_OPERATIONS, words, whole, _is_change)
    for number in range(_MAX_OPERATIONS):
        copy = Path(shutil.copytree(folder, folder.parent / f"killed {number}"))
        is_killed = _run_until(number, words, copy, _is_change)
        yield read(copy)
        _run_until(_MAX_OPERATIONS, words, copy, _is_change)
        assert read(copy) == read(whole), number
        shutil.rmtree(copy)
        if not is_killed:
            return


def _is_operation(event: str, _: tuple[Any, ...]) -> bool:
    return event.startswith(_COUNTED) and event != "os.kill"


def _is_change(event: str, arguments: tuple[Any, ...]) -> bool:
    """Return whether an event creates, replaces or deletes a file; a number is a file that is open already."""
    is_new = event == "open" and isinstance(arguments[0], str) and bool(arguments[2] & (os.O_WRONLY | os.O_RDWR))
    return is_new or event in _CHANGES


def _run_until(
    number: int, words: list[str], place: Path | None = None, counts: Callable[..., bool] = _is_operation
) -> bool:
    """Return whether the command was killed: False if it has fewer operations."""
    child = os.fork()
    if child == 0:
        left = number
        os.chdir(place or Path.cwd())
        for stream in (1, 2):  # the output of so many runs says nothing
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)

        def count(event: str, arguments: tuple[Any, ...]) -> None:
            nonlocal left
            if counts(event, arguments):
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        try:
            sys.addaudithook(count)
            main(words, standalone_mode=False)
        finally:  # this process must not continue as a copy of the test run
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])
