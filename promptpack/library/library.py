"""The `Library`: every pack of some folders, found by name, version range and locale."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from promptpack import files, pack
from promptpack.cache import Cache
from promptpack.files import Folder, RecordingFolder
from promptpack.library.build_cache import Lineage, digest_of_partials, find_clean, store_clean
from promptpack.library.build_result import BuildResult
from promptpack.library.contents import Contents, read_again, read_contents
from promptpack.library.entry import Entry, read_entry
from promptpack.library.ranges import PackReference, choose_locale, parse_reference, preference, refuse_twins, sort_key
from promptpack.pack.version import Version
from promptpack.problem import PackError, Problem, UsageError, did_you_mean
from promptpack.template.limits import Limits
from promptpack.template.render_cache import DEFAULT_LIMIT, RenderCache

if TYPE_CHECKING:
    from promptpack.library.contents import Partials
    from promptpack.pack import BuildContext, Pack, Sections, Sketch
    from promptpack.pack.link import FolderPartials
    from promptpack.template import Source

_DEEPEST_EXTENDS = 8


@dataclass(frozen=True)
class Listed:
    """A line of the library's list."""

    name: str
    version: Version | None
    locale: str
    path: str
    problems: tuple[Problem, ...] = ()


class Library:
    """Immutable once open; packs are built when they are first asked for."""

    def __init__(
        self,
        entries: Iterable[Entry],
        partials: Partials,
        limits: Limits | None = None,
        broken: Mapping[str, tuple[Problem, ...]] | None = None,
        cache: Cache | None = None,
        render_cache: RenderCache | None = None,
    ) -> None:
        self._limits = limits or Limits()
        self._render_cache = render_cache or RenderCache()
        # The cache holds results for the default limits only.
        self._cache = cache if cache is not None and self._limits == Limits() else Cache()
        self._contents = Contents(tuple(entries), partials, broken or {})
        self._index(refuse_twins(self._contents.entries))
        # Without a lock: building twice does no harm, and one that is held while the process forks is never let go.
        self._results: dict[str, BuildResult] = {}
        self._partials_of_packs: dict[str, FolderPartials] = {}

    def _index(self, entries: Iterable[Entry]) -> None:
        self._entries = tuple(entries)
        self._by_name: dict[str, list[Entry]] = {}
        self._found: dict[tuple[str, str], tuple[Library, Entry]] = {}
        for entry in self._entries:
            self._by_name.setdefault(entry.name, []).append(entry)

    @classmethod
    def open(
        cls,
        *folders: str,
        limits: Limits | None = None,
        cache: str | bool | None = None,
        render_cache_bytes: int = DEFAULT_LIMIT,
    ) -> Library:
        """Find every pack in the folders; without a folder, the shipped packs. Broken packs do not hide the others.

        Files that have not changed are not parsed again: see `Cache.open` for the values of `cache`. All packs together
        use at most `render_cache_bytes` of memory for results that the next render may need again.
        """
        found = [_existing(folder) for folder in folders] or [files.shipped("packs")]
        opened = Cache.open(cache)
        return cls._of(read_contents(found, opened), limits, opened, RenderCache(render_cache_bytes))

    @classmethod
    def _of(cls, contents: Contents, limits: Limits | None, cache: Cache | None, render_cache: RenderCache) -> Library:
        return cls(contents.entries, contents.partials, limits, contents.broken, cache, render_cache)

    def reload(self) -> Library:
        """Read the folders again and give the library as it is now: this one, where nothing has changed.

        A pack that can no longer be built stays as it was before, and `problems` tells what is wrong with its file.
        """
        contents = read_again(self._contents)
        fresh = Library._of(contents, self._limits, None, self._render_cache)
        is_same = contents == self._contents
        known = {entry.shown: self._result(entry) for entry in self._entries}
        for entry in fresh._entries:
            old = known.get(entry.shown)
            fresh._results[entry.shown] = fresh._try_build(entry) if old is None else fresh._renew(entry, old, is_same)
        fresh._index(result.entry for result in fresh._results.values())
        return self if is_same and fresh._results == self._results else fresh

    def _renew(self, entry: Entry, old: BuildResult, is_same: bool) -> BuildResult:
        """Build a pack again if one of its files has changed; keep the last good pack when it is broken now."""
        has_parent = entry.document is not None and "extends" in entry.document.data
        is_current = old.is_current(entry, self._contents.partials[entry.folder.root]) and (is_same or not has_parent)
        # Always build a broken pack again: the file that fixes it may be new.
        if is_current and not old.problems:
            return old
        new = self._try_build(entry)
        last_good = _built(old) if new.build is None else None
        return new if last_good is None else replace(new, entry=old.entry, build=lambda: last_good)

    def with_text(self, path: str, text: str) -> Library:
        """Give a library in which one file, new or not, holds another text, as an editor's unsaved buffer does."""
        for folder in map(Folder, self._contents.partials):
            file = folder.to_relative(path)
            if file is not None:
                others = (entry for entry in self._contents.entries if entry.shown != folder.show(file))
                entries = (*others, read_entry(folder, file, text))
                contents = replace(self._contents, entries=entries)
                return Library._of(contents, self._limits, None, self._render_cache)
        raise UsageError(Problem("PP704", f"{path!r} is in no folder of this library"))

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Every pack file, in order of name, version and locale."""
        return tuple(sorted(self._entries, key=sort_key))

    @property
    def folders(self) -> tuple[Folder, ...]:
        """The folders that are open."""
        return tuple(map(Folder, self._contents.partials))

    def partials_of(self, folder: Folder) -> Mapping[str, Source]:
        """The partials that the packs of a folder share."""
        return self._contents.partials[folder.root]

    def find(self, request: str, locale: str | None = None) -> Entry:
        """Find the file that `extends` would mean by a request: here, or else among the shipped packs."""
        return self._home_of(request)._choose(parse_reference(request), locale)

    def get(self, request: str, locale: str | None = None) -> Pack:
        """Get the newest pack that fits, releases before drafts; raises the pack's problems when it is broken."""
        return self.build(self._choose(parse_reference(request), locale))

    def list(self) -> tuple[Listed, ...]:
        """List every pack file, in order of name, version and locale, with the problems known so far."""
        return tuple(
            Listed(entry.name, entry.version, entry.locale, entry.shown, entry.problems) for entry in self.entries
        )

    def packs(self) -> Iterator[Pack]:
        """Build and give every pack that is not broken."""
        for entry in self.entries:
            try:
                yield self.build(entry)
            except PackError:
                continue  # told by `problems`

    def select(self, *requests: str) -> tuple[tuple[Pack, ...], tuple[Problem, ...]]:
        """Build all that the requests mean, in every version and locale; gives the packs, and what broke the others."""
        wanted = [parse_reference(request) for request in requests]
        for request in wanted:
            self._choose(request, None)
        packs: list[Pack] = []
        problems: dict[Problem, None] = {}
        for entry in sorted(self._entries, key=sort_key):
            if wanted and not any(request.means(entry.name, entry.version) for request in wanted):
                continue
            try:
                packs.append(self.build(entry))
            except PackError as error:
                problems.update(dict.fromkeys(error.problems))
        return tuple(packs), tuple(problems)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Every problem of every pack; builds them all."""
        return tuple(dict.fromkeys(problem for found in self.problems_by_file().values() for problem in found))

    def problems_by_file(self) -> dict[str, tuple[Problem, ...]]:
        """The problems of each broken file; those of a file that a pack relies on are among the pack's."""
        results = {entry.shown: self._result(entry) for entry in self._entries}
        broken = {shown: result.problems for shown, result in results.items() if result.problems}
        return {**broken, **self._contents.broken}

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """What is suspicious in the pack files, and yet no reason to refuse them."""
        return tuple(
            problem for entry in self.entries if entry.document is not None for problem in entry.document.warnings
        )

    def raise_for_problems(self) -> None:
        """Raise a `PackError` with every problem of every pack, if there are any; for a service that is to start."""
        if self.problems:
            raise PackError(self.problems)

    def _choose(self, request: PackReference, locale: str | None) -> Entry:
        named = self._by_name.get(request.name)
        if not named:
            raise UsageError(Problem("PP701", f"no pack named {request.name!r}", None, self._instead_of(request.name)))
        fitting = [entry for entry in named if request.means(entry.name, entry.version)]
        if not fitting:
            versions = ", ".join(sorted({str(entry.version) for entry in named}))
            problem = Problem(
                "PP702", f"no version of {request.name!r} fits {request.text!r}", None, f"there is {versions}"
            )
            raise UsageError(problem)
        newest = max(fitting, key=preference)
        return choose_locale([entry for entry in fitting if entry.version == newest.version], locale)

    def _instead_of(self, name: str) -> str:
        """Hint at a pack that may be meant: one of the shipped ones, or one with nearly the same name."""
        shipped = files.shipped("packs").root
        if all(folder.root != shipped for folder in self.folders) and any(e.name == name for e in _shipped().entries):
            return f"it is among the shipped packs, which '--packs {shipped}' or Library.open() opens"
        return did_you_mean(name, self._by_name) or "see 'promptpack list'"

    def build(self, entry: Entry) -> Pack:
        """Build the pack of one file, once; raises its problems when it is broken."""
        result = self._result(entry)
        if result.pack is None:
            raise PackError(result.problems)
        return result.pack

    def _result(self, entry: Entry) -> BuildResult:
        known = self._results.get(entry.shown)
        return known or self._results.setdefault(entry.shown, self._try_build(entry))

    def sketch(self, entry: Entry, folder: Folder | None = None) -> Sketch:
        """Make what can be made of the pack of one file; raises its problems when it cannot be taken apart.

        What it refers to is read from `folder`, if that is given, which may remember it.
        """
        if entry.document is None or entry.problems:
            raise PackError(entry.problems)
        return pack.sketch(entry.document, self._around(entry, (), folder))

    def salvage(self, entry: Entry) -> Sketch | None:
        """Make what can be made of a pack file that is refused, to tell what else is wrong; None when it is too little.

        Raises the problems of `extends`, when it cannot be followed.
        """
        left = entry.document or (pack.salvage(entry.refused) if entry.refused else None)
        return pack.sketch(left, self._around(entry, ())) if left else None

    def _try_build(self, entry: Entry) -> BuildResult:
        if entry.load is None or entry.problems:
            return BuildResult(entry, entry, entry.problems)
        partials = self._contents.partials[entry.folder.root]
        if self._cache.is_on:
            folder = find_clean(self._cache, entry, digest_of_partials(partials), self._is_lineage)
            if folder is not None:
                return BuildResult(entry, entry, (), lambda: self._build(entry, entry.folder), folder.reads, partials)
        folder = RecordingFolder(entry.folder.root)
        try:
            built = self._build(entry, folder)
        except PackError as error:
            return BuildResult(entry, entry, error.problems, None, folder.reads, partials)
        if self._cache.is_on:
            store_clean(self._cache, entry, self._lineage(entry), digest_of_partials(partials), folder)
        return BuildResult(entry, entry, (), lambda: built, folder.reads, partials)

    def _build(self, entry: Entry, folder: Folder) -> Pack:
        assert entry.document is not None  # noqa: S101 -- the caller has checked `load`
        return pack.build(entry.document, self._around(entry, (), folder))

    def ancestors(self, entry: Entry) -> Iterator[tuple[str, str, Entry]]:
        """Give the files that a pack extends, one after the other, each with what `extends` says and the locale."""
        home = self
        while entry.document is not None and "extends" in entry.document.data:
            request, locale = entry.document.data["extends"], entry.document.data.get("locale", "")
            home, entry = home._find(request, locale)
            yield request, locale, entry

    def follow(self, requests: Iterable[tuple[str, str]]) -> Sequence[Entry] | None:
        """Give the files that such a chain of `extends` and locales means now; None where it leads nowhere."""
        home = self
        found: list[Entry] = []
        for request, locale in requests:
            try:
                home, parent = home._find(request, locale)
            except UsageError:
                return None
            found.append(parent)
        return found

    def _lineage(self, entry: Entry) -> Lineage:
        return [[request, locale, parent.digest] for request, locale, parent in self.ancestors(entry)]

    def _is_lineage(self, rows: Lineage) -> bool:
        parents = self.follow((request, locale) for request, locale, _ in rows)
        return parents is not None and [parent.digest for parent in parents] == [row[2] for row in rows]

    def _find(self, request: str, locale: str) -> tuple[Library, Entry]:
        """Find the file that `extends` means, and the library that it is in."""
        known = self._found.get((request, locale))
        if known is None:
            home = self._home_of(request)
            known = self._found[request, locale] = home, home._choose(parse_reference(request), locale or None)
        return known

    def _around(self, entry: Entry, trail: tuple[str, ...], folder: Folder | None = None) -> BuildContext:
        def parents(request: str, locale: str) -> Sections:
            return self._parent(entry, request, locale, (*trail, entry.shown))

        return pack.BuildContext(
            folder or entry.folder, entry.file, self._partials(entry), parents, self._limits, self._render_cache
        )

    def _partials(self, entry: Entry) -> FolderPartials:
        from promptpack.pack.link import FolderPartials

        root = entry.folder.root
        known = self._partials_of_packs.get(root)
        return known or self._partials_of_packs.setdefault(
            root, FolderPartials(self._contents.partials[root], self._limits)
        )

    def _parent(self, child: Entry, request: str, locale: str, trail: tuple[str, ...]) -> Sections:
        try:
            home, parent = self._find(request, locale)
        except UsageError as error:
            raise PackError(
                _at_extends(child, "PP231", found.message, found.hint) for found in error.problems
            ) from error
        if parent.shown in trail:
            raise PackError(_at_extends(child, "PP232", f"'extends' goes in a circle: {_circle(trail, parent)}"))
        if len(trail) >= _DEEPEST_EXTENDS:
            raise PackError(_at_extends(child, "PP233", f"'extends' is deeper than {_DEEPEST_EXTENDS} packs"))
        if parent.document is None:
            raise PackError([_at_extends(child, "PP234", f"extends a broken pack: {parent.shown}"), *parent.problems])
        return pack.gather(parent.document, home._around(parent, trail))

    def _home_of(self, request: str) -> Library:
        """Give the library that has the pack: this one, or else the shipped one."""
        name = parse_reference(request).name
        if name in self._by_name:
            return self
        shipped = _shipped()
        return shipped if name in shipped._by_name else self


def _built(result: BuildResult) -> Pack | None:
    try:
        return result.pack
    except PackError:
        return None  # a cached result, and the files that it refers to have changed since


@cache
def _shipped() -> Library:
    return Library.open()


def _existing(folder: str) -> Folder:
    opened = Folder(str(folder))
    if not opened.is_there:
        raise UsageError(Problem("PP704", f"no folder {folder!r}", None, "give a folder that holds packs"))
    return opened


def _at_extends(child: Entry, code: str, message: str, hint: str = "") -> Problem:
    document = child.document or child.refused
    return Problem(code, message, document.locate(("extends",)) if document else None, hint)


def _circle(trail: tuple[str, ...], parent: Entry) -> str:
    return " -> ".join((*trail[trail.index(parent.shown) :], parent.shown))
