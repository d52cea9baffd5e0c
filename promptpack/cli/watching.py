"""Wait for file changes: with `watchfiles` if the extra `watch` is installed, else by polling."""

import time
from collections.abc import Iterator

from promptpack import files

_SUFFIXES = (".yaml", ".yml", ".j2", ".json", ".toml")
_PAUSE_SECONDS = 0.5


def changes(folders: tuple[str, ...]) -> Iterator[None]:
    """Yield after every change in the folders, forever."""
    try:
        from watchfiles import watch
    except ImportError:
        yield from _poll(folders)
        return
    for found in watch(*folders):
        if any(path.endswith(_SUFFIXES) for _, path in found):
            yield


def _poll(folders: tuple[str, ...]) -> Iterator[None]:
    seen = _stamps(folders)
    while True:
        time.sleep(_PAUSE_SECONDS)
        now = _stamps(folders)
        if now != seen:
            seen = now
            yield


def _stamps(folders: tuple[str, ...]) -> dict[str, tuple[int, int]]:
    return {path: stamp for folder in folders for path, stamp in files.Folder(folder).stamps(*_SUFFIXES)}
