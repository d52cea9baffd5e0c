"""The `Library`: every pack of some folders, found by name, version range and locale."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from promptpack import files, pack
from promptpack.cache import Cache
from promptpack.files import Folder, RecordingFolder
from promptpack.library.bulk import without_collector
from promptpack.library.contents import Contents, read_again, read_contents
from promptpack.library.entry import Entry, read_entry
from promptpack.library.outcome import Outcome
from promptpack.library.ranges import Request, parse_request
from promptpack.pack.version import Version
from promptpack.problem import PackError, Problem, UsageError, did_you_mean
from promptpack.template.bounds import Limits

if TYPE_CHECKING:
    from promptpack.library.contents import Partials
    from promptpack.library.memory import Lineage
    from promptpack.pack import Pack, Parts, Sketch, Surroundings
    from promptpack.pack.partials import PartialsOfPacks
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
    ) -> None:
        self._limits = limits or Limits()
        # What is kept was worked out within the limits that there are by default.
        self._memory = cache if cache is not None and self._limits == Limits() else Cache()
        self._contents = Contents(tuple(entries), partials, broken or {})
        self._settle(_refuse_twins(self._contents.entries))
        # Without a lock: building twice does no harm, and one that is held while the process forks is never let go.
        self._outcomes: dict[str, Outcome] = {}
        self._partials_of_packs: dict[str, PartialsOfPacks] = {}

    def _settle(self, entries: Iterable[Entry]) -> None:
        self._entries = tuple(entries)
        self._by_name: dict[str, list[Entry]] = {}
        self._found: dict[tuple[str, str], tuple[Library, Entry]] = {}
        for entry in self._entries:
            self._by_name.setdefault(entry.name, []).append(entry)

    @classmethod
    def open(cls, *folders: str, limits: Limits | None = None, cache: str | bool | None = None) -> Library:
        """Find every pack in the folders; without a folder, the shipped packs. Broken packs do not hide the others.

        Files that have not changed are not parsed again: see `Cache.open` for what `cache` may be.
        """
        found = [_existing(folder) for folder in folders] or [files.shipped("packs")]
        opened = Cache.open(cache)
        with without_collector():
            return cls._of(read_contents(found, opened), limits, opened)

    @classmethod
    def _of(cls, contents: Contents, limits: Limits | None, cache: Cache | None = None) -> Library:
        return cls(contents.entries, contents.partials, limits, contents.broken, cache)

    def reload(self) -> Library:
        """Read the folders again and give the library as it is now: this one, where nothing has changed.

        A pack that can no longer be built stays as it was before, and `problems` tells what is wrong with its file.
        """
        contents = read_again(self._contents)
        fresh = Library._of(contents, self._limits)
        is_same = contents == self._contents
        known = {entry.shown: self._outcome(entry) for entry in self._entries}
        for entry in fresh._entries:
            old = known.get(entry.shown)
            fresh._outcomes[entry.shown] = fresh._try_build(entry) if old is None else fresh._renew(entry, old, is_same)
        fresh._settle(outcome.entry for outcome in fresh._outcomes.values())
        return self if is_same and fresh._outcomes == self._outcomes else fresh

    def _renew(self, entry: Entry, old: Outcome, is_same: bool) -> Outcome:
        """Build a pack again where anything it is made of has changed; keep what was good where it is not any more."""
        stands_alone = entry.document is not None and "extends" not in entry.document.data
        is_current = old.is_of(entry, self._contents.partials[entry.folder.root]) and (is_same or stands_alone)
        # What was broken is tried again: what mends it may be a file that was not there.
        if is_current and not old.problems:
            return old
        new = self._try_build(entry)
        return replace(new, entry=old.entry, pack=old.pack) if new.pack is None else new

    def with_text(self, path: str, text: str) -> Library:
        """Give a library in which one file, new or not, holds another text, as an editor's unsaved buffer does."""
        for folder in map(Folder, self._contents.partials):
            file = folder.to_relative(path)
            if file is not None:
                others = (entry for entry in self._contents.entries if entry.shown != folder.show(file))
                entries = (*others, read_entry(folder, file, text))
                return Library(entries, self._contents.partials, self._limits, self._contents.broken)
        raise UsageError(Problem("PP704", f"{path!r} is in no folder of this library"))

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Every pack file, in order of name, version and locale."""
        return tuple(sorted(self._entries, key=_order))

    @property
    def folders(self) -> tuple[Folder, ...]:
        """The folders that are open."""
        return tuple(map(Folder, self._contents.partials))

    def partials_of(self, folder: Folder) -> Mapping[str, Source]:
        """The partials that the packs of a folder share."""
        return self._contents.partials[folder.root]

    def find(self, request: str, locale: str | None = None) -> Entry:
        """Find the file that `extends` would mean by a request: here, or else among the shipped packs."""
        return self._home_of(request)._choose(parse_request(request), locale)

    def get(self, request: str, locale: str | None = None) -> Pack:
        """Get the newest pack that fits, releases before drafts; raises the pack's problems when it is broken."""
        return self.build(self._choose(parse_request(request), locale))

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
        wanted = [parse_request(request) for request in requests]
        for request in wanted:
            self._choose(request, None)
        packs: list[Pack] = []
        problems: dict[Problem, None] = {}
        for entry in sorted(self._entries, key=_order):
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
        with without_collector():
            outcomes = {entry.shown: self._outcome(entry) for entry in self._entries}
        broken = {shown: outcome.problems for shown, outcome in outcomes.items() if outcome.problems}
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

    def _choose(self, request: Request, locale: str | None) -> Entry:
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
        newest = max(fitting, key=_preference)
        return _for_locale([entry for entry in fitting if entry.version == newest.version], locale)

    def _instead_of(self, name: str) -> str:
        """Hint at a pack that may be meant: one of the shipped ones, or one with nearly the same name."""
        shipped = files.shipped("packs").root
        if all(folder.root != shipped for folder in self.folders) and any(e.name == name for e in _shipped().entries):
            return f"it is among the shipped packs, which '--packs {shipped}' or Library.open() opens"
        return did_you_mean(name, self._by_name) or "see 'promptpack list'"

    def build(self, entry: Entry) -> Pack:
        """Build the pack of one file, once; raises its problems when it is broken."""
        outcome = self._outcome(entry)
        if outcome.pack is None:
            raise PackError(outcome.problems)
        return outcome.pack

    def _outcome(self, entry: Entry) -> Outcome:
        known = self._outcomes.get(entry.shown)
        return known or self._outcomes.setdefault(entry.shown, self._try_build(entry))

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

    def _try_build(self, entry: Entry) -> Outcome:
        if entry.load is None or entry.problems:
            return Outcome(entry, entry, None, entry.problems)
        partials = self._contents.partials[entry.folder.root]
        if self._memory.is_on:
            from promptpack.library.memory import recall

            known = recall(self._memory, entry, partials, self._is_lineage, lambda: self._build(entry, entry.folder))
            if known is not None:
                return known
        folder = RecordingFolder(entry.folder.root)
        try:
            built = self._build(entry, folder)
        except PackError as error:
            return Outcome(entry, entry, None, error.problems, folder.reads, partials)
        outcome = Outcome(entry, entry, built, (), folder.reads, partials)
        if self._memory.is_on:
            from promptpack.library.memory import remember

            remember(self._memory, outcome, self._lineage(entry), folder)
        return outcome

    def _build(self, entry: Entry, folder: Folder) -> Pack:
        assert entry.document is not None  # noqa: S101 -- what cannot be loaded has been told of
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
            known = self._found[request, locale] = home, home._choose(parse_request(request), locale or None)
        return known

    def _around(self, entry: Entry, trail: tuple[str, ...], folder: Folder | None = None) -> Surroundings:
        def parents(request: str, locale: str) -> Parts:
            return self._parent(entry, request, locale, (*trail, entry.shown))

        return pack.Surroundings(folder or entry.folder, entry.file, self._partials(entry), parents, self._limits)

    def _partials(self, entry: Entry) -> PartialsOfPacks:
        from promptpack.pack.partials import PartialsOfPacks

        root = entry.folder.root
        known = self._partials_of_packs.get(root)
        return known or self._partials_of_packs.setdefault(
            root, PartialsOfPacks(self._contents.partials[root], self._limits)
        )

    def _parent(self, child: Entry, request: str, locale: str, trail: tuple[str, ...]) -> Parts:
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
        name = parse_request(request).name
        if name in self._by_name:
            return self
        shipped = _shipped()
        return shipped if name in shipped._by_name else self


@cache
def _shipped() -> Library:
    return Library.open()


def _existing(folder: str) -> Folder:
    opened = Folder(str(folder))
    if not opened.is_there:
        raise UsageError(Problem("PP704", f"no folder {folder!r}", None, "give a folder that holds packs"))
    return opened


def _refuse_twins(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Break all packs that share name, version and locale, since nothing says which one is meant."""
    groups: dict[tuple[str, Version | None, str], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((entry.name, entry.version, entry.locale), []).append(entry)
    for entry in entries:
        twins = [twin.shown for twin in groups[entry.name, entry.version, entry.locale] if twin is not entry]
        if not twins or entry.document is None:
            yield entry
            continue
        label = f"{entry.name}@{entry.version}" + (f" ({entry.locale})" if entry.locale else "")
        place = entry.document.locate_key(("name",))
        problem = Problem("PP705", f"{label} is also in {', '.join(twins)}", place, "change name, version or locale")
        yield replace(entry, problems=(*entry.problems, problem))


def _for_locale(variants: list[Entry], locale: str | None) -> Entry:
    by_locale = {entry.locale.lower(): entry for entry in reversed(variants)}
    wanted = (locale or "").replace("_", "-").lower()
    while wanted:
        if wanted in by_locale:
            return by_locale[wanted]
        wanted = wanted.rpartition("-")[0]
    return next((entry for entry in variants if entry.is_default), variants[0])


def _preference(entry: Entry) -> tuple[bool, Version]:
    version = entry.version or Version(0, 0, 0, ("broken",))
    return not version.is_draft, version


def _order(entry: Entry) -> tuple[str, Version, str]:
    return entry.name, entry.version or Version(0, 0, 0, ("broken",)), entry.locale


def _at_extends(child: Entry, code: str, message: str, hint: str = "") -> Problem:
    document = child.document or child.refused
    return Problem(code, message, document.locate(("extends",)) if document else None, hint)


def _circle(trail: tuple[str, ...], parent: Entry) -> str:
    return " -> ".join((*trail[trail.index(parent.shown) :], parent.shown))
