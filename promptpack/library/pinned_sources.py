"""Open the sources of a library: sources in a lock file must have the recorded digest."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from promptpack.cache import Cache
from promptpack.files import Folder
from promptpack.library.contents import LOCK
from promptpack.problem import Location, Problem
from promptpack.sources.opening import is_elsewhere, name_source, open_folder

if TYPE_CHECKING:
    from promptpack.sources.memory_folder import MemoryFolder


def open_sources(sources: Iterable[str], cache: Cache, changed: Collection[str] = ()) -> list[Folder]:
    """Open folders and other sources; those that the lock file of a folder records are verified, unless `changed`."""
    given = [str(source) for source in sources]
    pins = _read_pins(given) if any(map(is_elsewhere, given)) else {}
    allowed = {name_source(source) for source in changed if is_elsewhere(source)}
    return [_open(source, cache, {name: pin for name, pin in pins.items() if name not in allowed}) for source in given]


def _open(source: str, cache: Cache, pins: dict[str, str]) -> Folder:
    return open_folder(source, cache, pins.get(name_source(source), "") if is_elsewhere(source) else "")


def _read_pins(sources: Iterable[str]) -> dict[str, str]:
    """Return the digests of sources in the lock files of folders; of two, that of the first folder."""
    from promptpack.library.lock import read_lock

    pins: dict[str, str] = {}
    for folder in (Folder(source) for source in sources if not is_elsewhere(source)):
        if folder.is_occupied(LOCK):
            locked = read_lock(folder.read(LOCK), folder.show(LOCK)).sources
            pins = {**{name: digest.removeprefix("sha256:") for name, digest in locked.items()}, **pins}
    return pins


def find_unlocked(folder: MemoryFolder) -> Iterator[Problem]:
    """Yield the problem of a source that neither a lock file nor its URL gives a digest."""
    if not folder.pin:
        hint = f"run: promptpack lock FOLDER {folder.source}, where FOLDER is opened with it"
        message = f"{folder.source} is not locked: no packs.lock of the library has its digest"
        yield Problem("PP786", message, Location(folder.source), hint)
