"""The `Library`: every pack of some folders, found by name, version range and locale."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import promptpack
from promptpack import files
from promptpack.cache import Cache
from promptpack.files import Folder
from promptpack.lazy import cached_property
from promptpack.library import choosing
from promptpack.library.build_cache import digest_of_partials
from promptpack.library.building import extends_of, find_parent, read_parent, try_build
from promptpack.library.choosing import parse_reference, sort_key
from promptpack.library.contents import Contents, add_conflicts, read_contents, replace_text
from promptpack.library.entry import BuildResult, Entry, Listed, complete_variants
from promptpack.library.pinned_sources import open_sources
from promptpack.pack import building
from promptpack.pack.building import BuildContext, CompiledSections
from promptpack.pack.model import Pack
from promptpack.pack.pack_compiler import FolderPartials
from promptpack.pack.sections import Sections
from promptpack.problem import PackError, Problem, UsageError
from promptpack.template.model import Limits, Source
from promptpack.template.render_cache import DEFAULT_LIMIT, RenderCache

if TYPE_CHECKING:
    from promptpack.library.pickling import StoredLibrary, StoredPack
    from promptpack.library.reload_report import Absence


class GracePeriod(NamedTuple):
    """How many seconds a pack stays available after its file is gone, and the clock that counts them."""

    seconds: float = 5.0
    clock: Callable[[], float] = time.monotonic

    def require_valid(self) -> GracePeriod:
        """Return the same value; raise a `UsageError` unless the seconds are zero or more."""
        if not self.seconds >= 0:  # also refuses NaN
            message = f"the grace period is {self.seconds!r} seconds"
            raise UsageError(Problem("PP732", message, None, "pass 0 or more"))
        return self


_DEFAULT_GRACE = GracePeriod()


class Library:
    """Comes from `Library.open`; immutable after opening. Packs are built on first use."""

    def __init__(
        self,
        contents: Contents,
        limits: Limits | None = None,
        cache: Cache | None = None,
        render_cache: RenderCache | None = None,
        grace: GracePeriod = _DEFAULT_GRACE,
    ) -> None:
        self._limits = limits or Limits()
        self._render_cache = render_cache or RenderCache()
        # The cache holds results for the default limits only.
        self._cache = cache if cache is not None and self._limits == Limits() else Cache()
        self._contents = contents
        self._grace = grace
        # The packs that are still available although their files are gone.
        self._gone: dict[str, Absence] = {}
        self._index(add_conflicts(tuple(complete_variants(contents.entries))))
        # Without a lock: building twice is harmless, and a lock that is held during a fork is never released.
        self._results: dict[str, BuildResult] = {}
        self._folder_partials: dict[str, FolderPartials] = {}
        self._labelled: dict[tuple[str, str], Pack] = {}
        self._is_frozen = False
        # The digests that packs must have if this library comes from another process.
        self._digests: Mapping[str, str] = {}

    def _index(self, entries: Iterable[Entry]) -> None:
        self._entries = tuple(entries)
        self._by_name: dict[str, list[Entry]] = {}
        self._parents_cache: dict[tuple[str, str], tuple[Library, Entry]] = {}
        # The sections of packs that others extend, each with the length of its own chain of 'extends'.
        self._parent_sections: dict[str, tuple[int, Sections]] = {}
        for entry in self._entries:
            self._by_name.setdefault(entry.name, []).append(entry)

    @classmethod
    def open(
        cls,
        *folders: str,
        limits: Limits | None = None,
        cache: str | bool | None = None,
        render_cache_bytes: int = DEFAULT_LIMIT,
        grace: float = _DEFAULT_GRACE.seconds,
        clock: Callable[[], float] = _DEFAULT_GRACE.clock,
        frozen: bool = False,
    ) -> Library:
        """Open the packs in the `folders`, by default the shipped packs; broken packs do not affect the others.

        Unchanged files are not parsed again: `cache` is the folder for results, or False for none. `limits` are those
        of templates. All packs together cache at most `render_cache_bytes` of render results. A pack whose file is gone
        stays available after a reload until `grace` seconds have passed on the `clock`. A `frozen` library refuses any
        difference from the lock files: a release that changed, is missing or is not locked, every draft, and a source
        that is not locked.
        """
        period = GracePeriod(grace, clock).require_valid()
        disk_cache = Cache.open(cache)
        opened = open_sources(folders, disk_cache) if folders else [files.shipped("packs")]
        library = cls(read_contents(opened, disk_cache), limits, disk_cache, RenderCache(render_cache_bytes), period)
        if frozen:
            from promptpack.library.locking import freeze

            freeze(library)
        return library

    def reload(self) -> promptpack.ReloadReport:
        """Read the folders again, and report what has changed; this library stays as it is.

        A broken pack stays available as it was. A pack whose file is gone stays available for the grace period.
        """
        from promptpack.library.reloading import reload

        return reload(self)

    def watch(
        self,
        on_reload: Callable[[promptpack.ReloadReport], object] | None = None,
        *,
        on_error: Callable[[Exception], object] | None = None,
    ) -> promptpack.Watch:
        """Reload whenever a file changes, in a thread, and call `on_reload` with each report that has news.

        Needs the extra `watch`. An exception of `on_reload` does not stop the watch: `on_error` gets it, by default
        `threading.excepthook`. The returned watch has the newest `library`, and stops with `stop()` or `with`.
        """
        from promptpack.watching import Watch

        return Watch(self, on_reload, on_error)

    def warm(self) -> None:
        """Import and compile everything that renders and checks use, so that the first of them need not wait for it.

        Broken packs are skipped; `problems` has theirs. The schemas of tools are compiled when they first arrive.
        """
        from promptpack.warming import warm

        warm(self)

    def forget(self) -> None:
        """Drop everything that is cached of past contexts: texts, tools and fingerprints of values."""
        self._render_cache.clear()

    def _with_text(self, path: str, text: str) -> Library:
        """Return a library in which one file, new or not, has another text, such as an unsaved buffer of an editor."""
        return Library(replace_text(self._contents, path, text), self._limits, None, self._render_cache)

    def __repr__(self) -> str:
        return f"Library({', '.join(folder.root for folder in self.folders)}, {len(self._entries)} files)"

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Library) and self.digest == other.digest)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __reduce__(self) -> tuple[Callable[[StoredLibrary], Library], tuple[StoredLibrary]]:
        from promptpack.library.pickling import StoredLibrary, store_library

        return StoredLibrary.restore, (store_library(self),)

    def __deepcopy__(self, memo: object) -> Library:
        return self

    @cached_property
    def digest(self) -> str:
        """One hash of all files of the library; builds every pack."""
        from promptpack.library.pickling import store_library

        return store_library(self).digest

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The pack files, sorted by name, version and locale."""
        return tuple(sorted(self._entries, key=sort_key))

    @property
    def folders(self) -> tuple[Folder, ...]:
        """The folders of the library."""
        return self._contents.folders

    def _partials_of(self, folder: Folder) -> Mapping[str, Source]:
        """Return the partials that the packs of a folder share."""
        return self._contents.partials[folder.root]

    def _digest_of_shared(self, folder: Folder) -> str:
        """Return a digest of what the packs of a folder share: partials, and the lock that pins their parents."""
        return digest_of_partials(self._partials_of(folder), self._contents.locks.get(folder.root))

    def _find_entry(self, reference: str, locale: str | None = None) -> Entry:
        """Return the file that `extends` finds for `reference` and `locale`: here, or else among the shipped packs."""
        return find_parent(self, reference, locale or "")[1]

    def get(
        self, request: str, locale: str | None = None, *, fallback: str | None = None, key: str | None = None
    ) -> Pack:
        """Return the newest pack that matches `request`, releases before drafts; raise its problems if it is broken.

        `request` is `name`, `name@range` such as `planner@^1`, or `name@label` such as `planner@production`. A label
        that is a trial needs a `key`, such as a user id: each key gets the same version every time. A `locale` without
        a variant finds another variant of the same language (`en` for `en-US`, `zh-CN` for `zh`), else the variant for
        `fallback`. `fallback="default"` is the pack's default variant. Without a fallback, a `UsageError` lists the
        locales.
        """
        reference = parse_reference(request)
        pack = self._build_entry(choosing.choose(self, reference, locale, fallback, key))
        return self._with_label(pack, reference.label) if reference.label else pack

    def _with_label(self, pack: Pack, label: str) -> Pack:
        """Return a pack as requested by a label; the same object for each request."""
        name = pack.path, label
        return self._labelled.get(name) or self._labelled.setdefault(name, pack._with_label(label))

    @cached_property
    def _locks(self) -> Mapping[str, promptpack.library.lock.Lock]:
        """The lock file of each folder that has one, by folder; raises the problems of these files."""
        if not self._contents.locks:
            return {}
        from promptpack.library.lock import read_locks

        return read_locks(self._contents, self._cache)

    @cached_property
    def _labels(self) -> promptpack.library.labels.LabelIndex:
        """The labels of the folders; raises the problems of their files."""
        from promptpack.library.labels import read_labels

        return read_labels(self._contents)

    def restore(self, row: Mapping[str, Any], /, **inputs: Any) -> promptpack.Prompt:
        """Return the prompt that `Prompt.to_dict` stored as `row`; refuse it if the digest of its pack has changed.

        `inputs` has the secret inputs, which are not stored.
        """
        from promptpack.prompt.stored_prompt import check_row, read_prompt

        stored = check_row(row)
        pack, label = self.get(stored["pack"], stored["locale"] or None), stored.get("label")
        return read_prompt(self._with_label(pack, label) if isinstance(label, str) else pack, stored, inputs)

    def flow(
        self, locale: str | None = None, *, fallback: str | None = None, key: str | None = None
    ) -> promptpack.flow.Flow:
        """Return the flow of the folders, with the packs of a `locale` or `fallback`; raise all problems of it.

        `key` chooses the versions of trials, as in `get`.
        """
        from promptpack.flow.opening import open_flow

        return open_flow(self, locale, fallback, key)

    def _flow_content(self, folder: Folder) -> bytes | None:
        """Return the `flow.yaml` of a folder as it was when the library was opened; None if there was none."""
        return self._contents.flows.get(folder.root)

    def list(self) -> tuple[Listed, ...]:
        """List the pack files by name, version and locale, with the problems found so far."""
        return tuple(
            Listed(entry.name, entry.version, entry.locale, entry.path, entry.problems) for entry in self.entries
        )

    def packs(self) -> Iterator[Pack]:
        """Yield every pack that is not broken."""
        for entry in self.entries:
            try:
                yield self._build_entry(entry)
            except PackError:
                continue  # reported by `problems`

    def select(self, *references: str) -> tuple[tuple[Pack, ...], tuple[Problem, ...]]:
        """Return the packs that match `references`, in all versions and locales, and the problems of broken ones."""
        wanted = [choosing.select(self, reference) for reference in references]
        packs: list[Pack] = []
        problems: dict[Problem, None] = {}
        for entry in self.entries:
            if wanted and not any(reference.matches(entry.name, entry.version) for reference in wanted):
                continue
            try:
                packs.append(self._build_entry(entry))
            except PackError as error:
                problems.update(dict.fromkeys(error.problems))
        return tuple(packs), tuple(problems)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All problems of all packs; builds every pack."""
        return tuple(dict.fromkeys(problem for found in self.problems_by_file().values() for problem in found))

    def problems_by_file(self) -> dict[str, tuple[Problem, ...]]:
        """Return the problems of each broken file; those of a schema file belong to the pack that uses it."""
        results = {entry.path: self._result(entry) for entry in self._entries}
        broken = {path: result.problems for path, result in results.items() if result.problems}
        if self._contents.labels:
            from promptpack.library.labels import find_problems

            broken |= find_problems(self._contents, self._entries)
        if self._contents.locks:
            from promptpack.library.lock import find_lock_problems

            broken |= find_lock_problems(self._contents)
        return {**broken, **self._contents.broken}

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """Suspicious content in the pack files that is not an error."""
        return tuple(
            problem for entry in self.entries if entry.document is not None for problem in entry.document.warnings
        )

    def raise_for_problems(self) -> None:
        """Raise a `PackError` with all problems of all packs, if there are any; for the start of a service."""
        if self.problems:
            raise PackError(self.problems)

    def _build_entry(self, entry: Entry) -> Pack:
        """Return the pack of the file `entry`, built once; raise its problems if it is broken."""
        if self._is_frozen and (entry.version is None or entry.version.is_draft):
            message = f"{entry.name}@{entry.version} is a draft, and the library is frozen"
            raise UsageError(Problem("PP754", message, None, "release it and lock it, or request a release"))
        result = self._result(entry)
        if result.pack is None:
            raise PackError(result.problems)
        if self._digests:
            from promptpack.library.pickling import require_digest

            require_digest(result.pack, self._digests.get(entry.path))
        return result.pack

    def _result(self, entry: Entry) -> BuildResult:
        cached = self._results.get(entry.path)
        return cached or self._results.setdefault(entry.path, try_build(self, entry))

    def _compile_sections(self, entry: Entry, folder: Folder | None = None) -> CompiledSections:
        """Compile a pack file as far as possible; raise its problems if it does not match the pack schema.

        Schema files are read through `folder`, if given, which may record them.
        """
        if entry.document is None or entry.problems:
            raise PackError(entry.problems)
        return building.compile_sections(entry.document, self._build_context(entry, (), folder))

    def _compile_pruned(self, entry: Entry) -> CompiledSections | None:
        """Compile the valid rest of an invalid pack file, or return None if too little is left.

        Raise the problems of `extends` if it cannot be resolved.
        """
        from promptpack.pack.pruning import prune

        pruned = entry.document or (prune(entry.refused) if entry.refused else None)
        return building.compile_sections(pruned, self._build_context(entry, ())) if pruned else None

    def _build_context(self, entry: Entry, trail: tuple[str, ...], folder: Folder | None = None) -> BuildContext:
        def parents(reference: str, locale: str) -> Sections:
            return read_parent(self, entry, extends_of(self, entry, reference), locale, (*trail, entry.path))

        return building.BuildContext(
            folder or entry.folder, entry.file, self._find_partials(entry), parents, self._limits, self._render_cache,
            partial(self._store, entry), cache=self._cache,
        )  # fmt: skip

    def _store(self, entry: Entry, pack: Pack) -> StoredPack:
        from promptpack.library.pickling import store_pack

        return store_pack(self, entry, pack)

    def _find_partials(self, entry: Entry) -> FolderPartials:
        root = entry.folder.root
        cached = self._folder_partials.get(root)
        return cached or self._folder_partials.setdefault(
            root, FolderPartials(self._contents.partials[root], self._limits)
        )
