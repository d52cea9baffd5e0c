"""Waiting for files to change: with `watchfiles` where the extra `watch` is installed, else by looking again."""

import time
from collections.abc import Iterator

from promptpack import files

_SUFFIXES = (".yaml", ".yml", ".j2", ".json", ".toml")
_PAUSE_SECONDS = 0.5


def changes(folders: tuple[str, ...]) -> Iterator[None]:
    """Come back after every change below the folders, for ever."""
    try:
        from watchfiles import watch
    except ImportError:
        yield from _by_looking(folders)
        return
    for found in watch(*folders):
        if any(path.endswith(_SUFFIXES) for _, path in found):
            yield


def _by_looking(folders: tuple[str, ...]) -> Iterator[None]:
    seen = _stamps(folders)
    while True:
        time.sleep(_PAUSE_SECONDS)
        now = _stamps(folders)
        if now != seen:
            seen = now
            yield


def _stamps(folders: tuple[str, ...]) -> dict[str, tuple[int, int]]:
    return {path: stamp for folder in folders for path, stamp in files.Folder(folder).stamps(*_SUFFIXES)}
