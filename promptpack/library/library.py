"""The `Library`: every pack of some folders, found by name, version range and locale."""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from promptpack import files, pack
from promptpack.cache import Cache
from promptpack.files import Folder
from promptpack.library.entry import Entry, Row, read_entry
from promptpack.library.ranges import Request, parse_request
from promptpack.pack import Pack, Parts, Sketch, Surroundings, Version
from promptpack.problem import Location, PackError, Problem, UsageError, did_you_mean
from promptpack.template import Limits, Source

_DEEPEST_EXTENDS = 8
_PARTIALS = "_partials"


@dataclass(frozen=True, slots=True)
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
        self, entries: Iterable[Entry], partials: Mapping[str, Mapping[str, Source]], limits: Limits | None = None
    ) -> None:
        self._limits = limits or Limits()
        self._found = tuple(entries)
        self._entries = tuple(_refuse_twins(self._found))
        self._partials = partials
        self._packs: dict[str, Pack | PackError] = {}
        self._lock = threading.RLock()

    @classmethod
    def open(cls, *folders: str, limits: Limits | None = None, cache: str | bool | None = None) -> "Library":
        """Find every pack in the folders; without a folder, the shipped packs. Broken packs do not hide the others.

        Files that have not changed are not parsed again: see `Cache.open` for what `cache` may be.
        """
        found = [_existing(folder) for folder in folders] or [files.shipped("packs")]
        kept = Cache.open(cache)
        entries = [entry for folder in found for entry in _read_entries(folder, kept)]
        partials = {folder.root: _shared_partials(folder) for folder in found}
        return cls(entries, partials, limits)

    def with_text(self, path: str, text: str) -> "Library":
        """Give a library in which one file, new or not, holds another text, as an editor's unsaved buffer does."""
        for folder in map(Folder, self._partials):
            file = folder.inside(path)
            if file is not None:
                others = (entry for entry in self._found if entry.shown != folder.show(file))
                return Library((*others, read_entry(folder, file, text)), self._partials, self._limits)
        raise UsageError(Problem("PP704", f"{path!r} is in no folder of this library"))

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Every pack file, in order of name, version and locale."""
        return tuple(sorted(self._entries, key=_order))

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
        """The problems of each broken pack file; those of a file it relies on are among them."""
        broken: dict[str, tuple[Problem, ...]] = {}
        for entry in self._entries:
            try:
                self.build(entry)
            except PackError as error:
                broken[entry.shown] = error.problems
        return broken

    def _choose(self, request: Request, locale: str | None) -> Entry:
        named = [entry for entry in self._entries if entry.name == request.name]
        if not named:
            hint = did_you_mean(request.name, {entry.name for entry in self._entries})
            raise UsageError(Problem("PP701", f"no pack named {request.name!r}", None, hint or "see 'promptpack list'"))
        fitting = [entry for entry in named if request.means(entry.name, entry.version)]
        if not fitting:
            versions = ", ".join(sorted({str(entry.version) for entry in named}))
            problem = Problem(
                "PP702", f"no version of {request.name!r} fits {request.text!r}", None, f"there is {versions}"
            )
            raise UsageError(problem)
        newest = max(fitting, key=_preference)
        return _for_locale([entry for entry in fitting if entry.version == newest.version], locale)

    def build(self, entry: Entry) -> Pack:
        """Build the pack of one file, once; raises its problems when it is broken."""
        with self._lock:
            if entry.shown not in self._packs:
                self._packs[entry.shown] = self._try_build(entry, ())
            built = self._packs[entry.shown]
        if isinstance(built, PackError):
            raise PackError(built.problems) from built
        return built

    def sketch(self, entry: Entry) -> Sketch:
        """Make what can be made of the pack of one file; raises its problems when it cannot be taken apart."""
        if entry.document is None or entry.problems:
            raise PackError(entry.problems)
        return pack.sketch(entry.document, self._around(entry, ()))

    def _try_build(self, entry: Entry, trail: tuple[str, ...]) -> Pack | PackError:
        if entry.document is None or entry.problems:
            return PackError(entry.problems)
        try:
            return pack.build(entry.document, self._around(entry, trail))
        except PackError as error:
            return error

    def _around(self, entry: Entry, trail: tuple[str, ...]) -> Surroundings:
        def parents(request: str, locale: str) -> Parts:
            return self._parent(entry, request, locale, (*trail, entry.shown))

        return Surroundings(entry.folder, entry.file, self._partials[entry.folder.root], parents, self._limits)

    def _parent(self, child: Entry, request: str, locale: str, trail: tuple[str, ...]) -> Parts:
        try:
            home = self._home_of(request)
            parent = home._choose(parse_request(request), locale or None)
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

    def _home_of(self, request: str) -> "Library":
        """Give the library that has the pack: this one, or else the shipped one."""
        name = parse_request(request).name
        if any(entry.name == name for entry in self._entries):
            return self
        shipped = _shipped()
        return shipped if any(entry.name == name for entry in shipped._entries) else self


@cache
def _shipped() -> Library:
    return Library.open()


def _existing(folder: str) -> Folder:
    opened = Folder(str(folder))
    if not opened.is_there:
        raise UsageError(Problem("PP704", f"no folder {folder!r}", None, "give a folder that holds packs"))
    return opened


def _read_entries(folder: Folder, cache: Cache) -> list[Entry]:
    name = ("library", files.real_path(folder.root))
    known: dict[str, Row] = cache.get(*name) or {}
    entries = [read_entry(folder, file, cache=cache, known=known.get(file)) for file in _pack_files(folder)]
    rows = {entry.file: entry.row for entry in entries if entry.row is not None}
    if rows != known:
        cache.put(rows, *name)
        cache.shrink()
    return entries


def _pack_files(folder: Folder) -> Iterator[str]:
    for file in folder.find(".yaml", ".yml"):
        hidden = any(part.startswith("_") for part in file.split("/"))
        if not hidden and file not in ("flow.yaml", "flow.yml"):
            yield file


def _shared_partials(folder: Folder) -> dict[str, Source]:
    partials: dict[str, Source] = {}
    for file in folder.find(".j2", below=_PARTIALS):
        try:
            text = folder.read(file).decode().replace("\r\n", "\n").removesuffix("\n")
        except UnicodeDecodeError as error:
            raise PackError(Problem("PP101", "file is not UTF-8", Location(folder.show(file)))) from error
        partials[file.removeprefix(f"{_PARTIALS}/").removesuffix(".j2")] = Source.of_text(text, folder.show(file))
    return partials


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
    by_locale = {entry.locale: entry for entry in reversed(variants)}
    wanted = locale or ""
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
    return Problem(code, message, child.document.locate(("extends",)) if child.document else None, hint)


def _circle(trail: tuple[str, ...], parent: Entry) -> str:
    return " -> ".join((*trail[trail.index(parent.shown) :], parent.shown))
