"""`Library.reload`: read the folders again, keep the last good packs, and report what has changed."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import zip_longest

from promptpack.cache import Cache
from promptpack.files import Folder, stamp_place
from promptpack.library.building import ancestors, try_build
from promptpack.library.contents import FLOW, LABELS, LOCK, Contents, read_contents
from promptpack.library.entry import BuildResult, Entry
from promptpack.library.library import Library
from promptpack.library.reload_report import Absence, PackName, ReloadReport
from promptpack.pack.model import Pack
from promptpack.problem import PackError, Problem, UsageError

_SUFFIXES = (".yaml", ".yml", ".j2", ".json", ".csv", ".jsonl", LOCK)
# Files that change while they are read could be mixed: half of them old, half of them new.
_MAX_READS = 5
UNSTABLE = "PP730"
"""The problem of files that changed while they were read: a reload that could not be done."""
BuildResults = Mapping[str, BuildResult]
"""The packs and problems of a library, by path."""


def reload(library: Library) -> ReloadReport:
    """Return the library as its folders are now, and what has changed."""
    last = {entry.path: library._result(entry) for entry in library._entries}
    for _ in range(_MAX_READS):
        before = _stamp(library.folders)
        fresh = _Reload(library, last).read()
        if _stamp(library.folders) == before:
            report = _compare(library, fresh, last)
            return _freeze(report, library) if library._is_frozen else report
    message = f"the files changed while they were read, {_MAX_READS} times"
    problem = Problem(UNSTABLE, message, None, "reload again; until then all packs stay as they are")
    return ReloadReport(library, problems=(*library.problems, problem))


def _freeze(report: ReloadReport, library: Library) -> ReloadReport:
    """Return the report of a frozen library, which stays as it is while anything differs from its lock files."""
    from promptpack.library.locking import freeze

    try:
        freeze(report.library)
    except PackError as error:
        return ReloadReport(library, problems=error.problems)
    return report


def is_due(library: Library) -> bool:
    """Return whether a reload would remove a pack: its file is gone, and the grace period is over."""
    return any(absence.is_over(library._grace) for absence in library._gone.values())


def _stamp(folders: Iterable[Folder]) -> list[object]:
    return [
        stamp
        for folder in folders
        for stamp in (folder.stamp, dict(folder.stamps(*_SUFFIXES)), dict(folder.sibling.stamps(*_SUFFIXES)))
    ]


def _compare(library: Library, fresh: Library, last: BuildResults) -> ReloadReport:
    now = fresh._results
    if fresh._contents == library._contents and fresh._gone == library._gone and now == last:
        return ReloadReport(library, problems=library.problems)
    fresh._render_cache.retain({pack._render_cache for one in now.values() if (pack := one.built) is not None})
    old, new = _by_name(last.values()), _by_name(now.values())
    return ReloadReport(
        fresh,
        tuple(sorted(new.keys() - old.keys())),
        tuple(sorted(old.keys() - new.keys())),
        tuple(sorted(name for name in old.keys() & new.keys() if _differ(old[name], new[name]))),
        fresh.problems,
    )


def _by_name(results: Iterable[BuildResult]) -> dict[PackName, BuildResult]:
    return {_name_of(result.entry): result for result in results if result.build is not None}


def _name_of(entry: Entry) -> PackName:
    return PackName(entry.name, str(entry.version), entry.locale)


def _differ(old: BuildResult, new: BuildResult) -> bool:
    if old is new:
        return False
    before, after = _pack_or_none(old), _pack_or_none(new)
    return before is None or after is None or before.digest != after.digest


def _pack_or_none(result: BuildResult) -> Pack | None:
    try:
        return result.pack
    except PackError:
        return None  # the result is from the cache, which another version of Jinja has filled


class _Reload:
    """One attempt to read the folders of a library again."""

    def __init__(self, library: Library, last: BuildResults) -> None:
        contents, gone = _keep_missing_files(read_contents(library.folders, Cache(), library._contents), library)
        self._library = library
        self._last = last
        self._fresh = Library(contents, library._limits, None, library._render_cache, library._grace)
        self._fresh._gone.update(gone)
        self._unchanged: dict[str, bool] = {}

    def read(self) -> Library:
        """Return the library of the files as they are now, with the packs that it shares with the last one."""
        fresh = self._fresh
        present = {entry.path for entry in fresh._entries}
        gone = {path: one for path, one in self._last.items() if path not in present and one.build is not None}
        moved = _by_name(gone.values())
        for entry in fresh._entries:
            old = self._last.get(entry.path) or moved.get(_name_of(entry))
            fresh._results[entry.path] = try_build(fresh, entry) if old is None else self._rebuild(entry, old)
        self._keep_missing(gone)
        fresh._index(result.entry for result in fresh._results.values())
        return fresh

    def _rebuild(self, entry: Entry, old: BuildResult) -> BuildResult:
        """Build a pack again if one of its files has changed; keep the last good pack if it is broken now."""
        # Always build a broken pack again: the file that fixes it may be new.
        if not old.problems and self._is_current(entry, old):
            return old
        new = try_build(self._fresh, entry)
        last_good = _pack_or_none(old) if new.build is None else None
        if last_good is None:
            return new
        kept = replace(old.entry, folder=entry.folder, file=entry.file)  # the broken file may be a moved one
        return replace(new, entry=kept, build=lambda: last_good)

    def _is_current(self, entry: Entry, old: BuildResult) -> bool:
        """Return whether neither the files of a pack nor those of the packs that it extends have changed."""
        if not old.is_current(entry, self._fresh._contents.partials[entry.folder.root]):
            return False
        # One parent at a time: packs that extend each other in a cycle have no last one.
        pairs = zip_longest((parent for _, _, parent in ancestors(self._fresh, entry)), old.parents)
        try:
            return all(new == last and self._is_unchanged(last) for new, last in pairs)
        except (PackError, UsageError):
            return False  # a parent is gone, or the lock file is broken

    def _is_unchanged(self, parent: Entry) -> bool:
        """Return whether the files that a parent reads are unchanged; shipped packs never change."""
        if parent.path not in self._unchanged:
            old = self._last.get(parent.path)
            partials = self._fresh._contents.partials.get(parent.folder.root, {})
            self._unchanged[parent.path] = old is None or old.is_current(parent, partials)
        return self._unchanged[parent.path]

    def _keep_missing(self, gone: BuildResults) -> None:
        """Add the packs whose files are gone, if the grace period is not over or their folder cannot be read."""
        fresh = self._fresh
        moved = {_name_of(entry) for entry in fresh._entries}
        for path, result in gone.items():
            is_unreadable = any(path.startswith(f"{place}/") for place in fresh._contents.broken)
            if _name_of(result.entry) not in moved and (self._is_in_grace(path) or is_unreadable):
                fresh._results[path] = replace(result, problems=()) if result.problems else result

    def _is_in_grace(self, path: str) -> bool:
        """Return whether the grace period of a missing file is not over."""
        absence = _find_absence(path, self._library)
        if absence.is_over(self._library._grace):
            return False
        self._fresh._gone[path] = absence
        return True


def _find_absence(path: str, library: Library) -> Absence:
    """Return since when a file is missing; the time starts again if the file was back."""
    last, place = library._gone.get(path), stamp_place(path)
    return last if last is not None and last.place == place else Absence(library._grace.clock(), place)


def _keep_missing_files(contents: Contents, library: Library) -> tuple[Contents, dict[str, Absence]]:
    """Keep missing flows and labels until the grace period is over, and the last good ones of broken labels."""
    gone: dict[str, Absence] = {}

    def keep(now: Mapping[str, bytes], last: Mapping[str, bytes], file: str) -> dict[str, bytes]:
        kept = dict(now)
        for folder in contents.folders:
            if folder.root in last and folder.root not in now:
                absence = _find_absence(folder.show(file), library)
                if not absence.is_over(library._grace):
                    gone[folder.show(file)] = absence
                    kept[folder.root] = last[folder.root]
        return kept

    old = library._contents
    contents = contents._replace(
        flows=keep(contents.flows, old.flows, FLOW), labels=keep(contents.labels, old.labels, LABELS)
    )
    if contents.locks != old.locks:
        from promptpack.library.lock import find_lock_problems

        broken = find_lock_problems(contents)
        last = {root: one for root, one in old.locks.items() if Folder(root).show(LOCK) in broken}
        contents = contents._replace(locks={**contents.locks, **last}, broken={**broken, **contents.broken})
    if contents.labels:
        from promptpack.library.labels import keep_good

        contents = keep_good(contents, old)
    return contents, gone
