"""Work in the background: wait for changes on disk, and run lint and tests of all packs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from typing import Any, Final

from promptpack.library import Library
from promptpack.library.entry import Entry
from promptpack.linter.checking import lint_library
from promptpack.linter.lint_settings import find_settings
from promptpack.linter.result_cache import ResultCache
from promptpack.linter.subject import LintLibrary
from promptpack.problem import PackError, PromptpackError
from promptpack.studio.project import digest_of
from promptpack.studio.studio import Studio
from promptpack.trial import run

Broadcast = Callable[[str, Mapping[str, Any]], None]
_POLL_SECONDS: Final = 0.5
_BATCH: Final = 10
_PAUSE_SECONDS: Final = 0.02
_MAX_PAUSES: Final = 100


class PackObserver:
    """Sends changes on disk, and the results of lint and tests of each pack, to all pages."""

    def __init__(self, studio: Studio, executor: Executor, broadcast: Broadcast) -> None:
        self._studio = studio
        self._executor = executor
        self._broadcast = broadcast
        self._cache = ResultCache()
        self._must_check = asyncio.Event()
        self._must_check.set()

    async def watch(self) -> None:
        """Announce every change of files until cancelled."""
        seen = await self._in_thread(self._studio.project.stamps)
        while True:
            await asyncio.sleep(_POLL_SECONDS)
            now = await self._in_thread(self._studio.project.stamps)
            changed = sorted(path for path in {*seen, *now} if seen.get(path) != now.get(path))
            seen = now
            if changed:
                await self._in_thread(self._studio.project.refresh)
                digests = await self._in_thread(lambda: {path: self._digest(path) for path in changed})  # noqa: B023
                self._broadcast("files", digests)
                self._must_check.set()

    async def check(self) -> None:
        """Check all packs, and again after every change, until cancelled; the first results arrive first."""
        while True:
            await self._must_check.wait()
            self._must_check.clear()
            library = await self._in_thread(lambda: self._studio.project.library)
            packs = LintLibrary(library)
            for entries in _batches(library.entries):
                found = await self._in_thread(lambda: self._check(packs, entries))  # noqa: B023
                news = {path: status for path, status in found.items() if self._studio.status.get(path) != status}
                self._studio.status.update(news)
                if news:
                    self._broadcast("status", news)
                if self._must_check.is_set():
                    break

    def _check(self, packs: LintLibrary, entries: Iterable[Entry]) -> dict[str, dict[str, Any]]:
        found = {}
        for entry in entries:
            for _ in range(_MAX_PAUSES):
                if not self._studio.waiting:
                    break
                time.sleep(_PAUSE_SECONDS)  # typing comes first
            found[entry.file] = self._check_one(packs, entry)
        return found

    def _check_one(self, packs: LintLibrary, entry: Entry) -> dict[str, Any]:
        try:
            settings = find_settings(entry.folder.root)
            problems = lint_library(packs, settings, {entry.path}, self._cache).problems
        except PromptpackError as error:
            problems = error.problems
        worst = [one.severity for one in problems]
        counts = {"errors": worst.count("error"), "warnings": worst.count("warning")}
        return {**counts, **_run_tests(packs.library, entry)}

    def _digest(self, path: str) -> str:
        """Return the digest of a file on disk; an empty text if it is gone, or cannot be read."""
        try:
            return digest_of(self._studio.project.folder.read(path))
        except PackError:
            return ""

    async def _in_thread(self, work: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._executor, work)


def _batches(entries: tuple[Entry, ...]) -> Iterable[tuple[Entry, ...]]:
    return (entries[start : start + _BATCH] for start in range(0, len(entries), _BATCH))


def _run_tests(library: Library, entry: Entry) -> dict[str, int]:
    try:
        trials = list(run([library._build_entry(entry)]))
    except PromptpackError:
        return {"passed": 0, "failed": 0}
    failed = sum(not trial.passed for trial in trials)
    return {"passed": len(trials) - failed, "failed": failed}
