"""Wait for changes of files, and reload a library after each: with `watchfiles`, from the extra `watch`.

Without it, `changes` polls, for the command line.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from types import TracebackType
from typing import Self

from promptpack.files import Folder, Stamp, is_file
from promptpack.library import Library
from promptpack.library.reload_report import ReloadReport
from promptpack.library.reloading import UNSTABLE, is_due
from promptpack.problem import MissingExtraError, Problem
from promptpack.sources.memory_folder import MemoryFolder

_SUFFIXES = (".yaml", ".yml", ".j2", ".json", ".toml", ".lock", ".csv", ".jsonl")
_PAUSE_SECONDS = 0.5
OnReload = Callable[[ReloadReport], object]
OnError = Callable[[Exception], object]
WakeUps = Callable[[tuple[Folder, ...], threading.Event], Iterator[bool]]
"""Yields regularly until the event is set; True if something may have changed."""


class Watch:
    """Comes from `Library.watch`; reloads in its own thread until `stop`, also as a context manager."""

    def __init__(self, library: Library, on_reload: OnReload | None = None, on_error: OnError | None = None) -> None:
        if find_spec("watchfiles") is None:
            hint = "run: python -m pip install 'promptpack-agents[watch]', or install watchfiles"
            raise MissingExtraError(Problem("PP731", "watching files needs the extra 'watch'", None, hint))
        self._library = library
        self._problems = library.problems  # builds every pack, so that each has a last good version
        self._on_reload = on_reload
        self._on_error = on_error
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="promptpack-watch", daemon=True)
        self._thread.start()

    def __repr__(self) -> str:
        return f"Watch({self._library!r}, {'stopped' if self._stopped.is_set() else 'running'})"

    @property
    def library(self) -> Library:
        """The newest library."""
        return self._library

    def stop(self) -> None:
        """Stop watching, and wait until a callback that is running has returned; the library stays usable."""
        self._stopped.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None:
        self.stop()

    def _run(self) -> None:
        must_reload = True  # the files may have changed since the library was opened
        for has_changed in _observe(self._library.folders, self._stopped, _notified):
            if has_changed or must_reload or is_due(self._library):
                try:
                    self._reload()
                except Exception as error:  # noqa: BLE001 -- an error of a callback does not stop the watch
                    self._report(error)
                must_reload = any(problem.code == UNSTABLE for problem in self._problems)

    def _reload(self) -> None:
        report = self._library.reload()
        is_news = report.library is not self._library or report.problems != self._problems
        self._library, self._problems = report.library, report.problems
        if is_news and self._on_reload is not None:
            self._on_reload(report)

    def _report(self, error: Exception) -> None:
        try:
            if self._on_error is not None:
                self._on_error(error)
                return
        except Exception as second:  # noqa: BLE001 -- as above
            error = second
        threading.excepthook(threading.ExceptHookArgs((type(error), error, error.__traceback__, self._thread)))


def changes(roots: Iterable[str]) -> Iterator[None]:
    """Yield after every change in some folders, forever."""
    wake_ups = _polled if find_spec("watchfiles") is None else _notified
    for has_changed in _observe(tuple(map(Folder, roots)), threading.Event(), wake_ups):
        if has_changed:
            yield


def _observe(folders: tuple[Folder, ...], stopped: threading.Event, wake_ups: WakeUps) -> Iterator[bool]:
    """Yield at every wake-up whether a file has changed since the last one."""
    both = tuple(dict.fromkeys(one for folder in folders for one in (folder, folder.sibling)))
    seen = _stamps(both)
    for may_have_changed in wake_ups(both, stopped):
        now = _stamps(both) if may_have_changed else seen
        yield now != seen
        seen = now


def _stamps(folders: tuple[Folder, ...]) -> dict[str, Stamp]:
    return {folder.show(file): stamp for folder in folders for file, stamp in folder.stamps(*_SUFFIXES)}


def _polled(_: tuple[Folder, ...], stopped: threading.Event) -> Iterator[bool]:
    while not stopped.wait(_PAUSE_SECONDS):
        yield True


def _notified(folders: tuple[Folder, ...], stopped: threading.Event) -> Iterator[bool]:
    """Watch the folders that exist; start again when one of them is created, removed or replaced."""
    while not stopped.is_set():
        roots = [path for folder in folders if (path := _watched_path(folder))]
        if roots:
            try:
                yield from _notified_until_replaced(roots, folders, stopped)
            except FileNotFoundError:
                continue  # a folder was removed just now
        elif not stopped.wait(_PAUSE_SECONDS):
            yield True


def _watched_path(folder: Folder) -> str:
    """Return the path on disk whose changes matter: the folder, or the archive of packs in memory; else nothing."""
    if isinstance(folder, MemoryFolder):
        return folder.origin if is_file(folder.origin) else ""
    return folder.root if folder.is_there else ""


def _notified_until_replaced(roots: list[str], folders: tuple[Folder, ...], stopped: threading.Event) -> Iterator[bool]:
    from watchfiles import watch

    watched = _numbers(folders)
    # Something may have changed before the watch began.
    may_have_changed = True
    pause = int(_PAUSE_SECONDS * 1000)
    for found in watch(*roots, watch_filter=None, stop_event=stopped, rust_timeout=pause, yield_on_timeout=True):
        yield may_have_changed or bool(found)
        may_have_changed = False
        # Files of a new folder may be older than its watch, and a new folder may get the number of a removed one.
        if _numbers(folders) != watched or not all(is_file(path) for _, path in found):
            return


def _numbers(folders: tuple[Folder, ...]) -> list[int | None]:
    return [stamp[0] if (stamp := folder.stamp) else None for folder in folders]
