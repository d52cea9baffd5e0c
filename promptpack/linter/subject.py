"""The `Subject`: one pack as rules see it, with its parsed templates, their locations, and the library around it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, TypeVar

from promptpack.document import Document
from promptpack.files import Folder, RecordingFolder
from promptpack.lazy import cached_property
from promptpack.library import Library, building
from promptpack.library.entry import Entry
from promptpack.linter.paragraphs import ParagraphIndex, find_paragraphs
from promptpack.linter.parsed_texts import ParsedText, ParsedTexts, PartialTexts, SharedTexts
from promptpack.linter.types import CleanTemplates, TypeCheck, check_pack
from promptpack.pack.building import CompiledSections
from promptpack.pack.contract import Contract
from promptpack.pack.model import Input, InputValue
from promptpack.pack.placed import Placed
from promptpack.pack.sections import Sections
from promptpack.pack.version import Version
from promptpack.problem import PackError
from promptpack.template.engine import Engine
from promptpack.template.names import Dependencies, DependencyFinder

T = TypeVar("T")
_TOO_MANY_NODES = "PP326"
# Each pack reports the problems in the files that the packs of its folder share.
_MAX_IN_PARTIAL_FILES: Final = 100


@dataclass(frozen=True)
class Subject:
    """One pack of a library; text that could not be parsed is left out."""

    folder: Folder
    file: str
    compiled: CompiledSections
    library: "LintLibrary" = field(repr=False, compare=False)
    is_pruned: bool = False
    """Whether the file is invalid, and invalid sections may have been removed so that the rest can be checked."""
    cache: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def document(self) -> Document:
        """The pack's own file."""
        return self.compiled.sections.document

    @property
    def sections(self) -> Sections:
        """The sections of the pack, including inherited ones, each with its location."""
        return self.compiled.sections

    @property
    def inputs(self) -> Mapping[str, Input]:
        """The declared inputs, including inherited ones."""
        return self.compiled.inputs

    @property
    def contract(self) -> Contract | None:
        """The reply contract, if the pack declares one."""
        return self.compiled.contract

    @cached_property
    def reply_schema(self) -> Mapping[str, Any]:
        """The JSON Schema of the contract with the pack's actions; empty without a contract."""
        return self.contract.json_schema() if self.contract else {}

    @property
    def engine(self) -> Engine:
        """The engine that parses the pack's templates."""
        return self.compiled.compiler.engine

    @property
    def identity(self) -> tuple[str, str, str]:
        """Name, version and locale, as declared in the file."""
        data = self.document.data
        return data["name"], data["version"], data.get("locale", "")

    @cached_property
    def default_variant(self) -> "Subject | None":
        """The default variant of a pack in another language; None for the default variant itself."""
        if self._is_default:
            return None
        return next((other for other in self.library.variants(self) if other._is_default), None)

    @property
    def _is_default(self) -> bool:
        _, version, locale = self.identity
        file = self.document.path.rsplit("/", 1)[-1]
        return not locale or not file.startswith(f"{version}.{locale}.")

    @property
    def texts(self) -> tuple[ParsedText, ...]:
        """The templates and expressions of the pack, without its partials."""
        return self._parsed.texts

    @cached_property
    def partials(self) -> Mapping[str, ParsedText]:
        """The partials that the pack may include, by name."""
        return PartialTexts(self.engine.analysed, self.library.shared_texts)

    @property
    def partial_files(self) -> list[tuple[str, str]]:
        """The path and the text of each file with a partial, which the packs of the folder share."""
        return self.library.partial_files(self.folder)

    @property
    def dependencies(self) -> DependencyFinder:
        """Finds the names and partials that the templates of the pack use."""
        return self.engine.dependencies

    def dependencies_of(self, text: ParsedText) -> Dependencies:
        """Return the names and partials that a text uses."""
        return text.find_dependencies(self.engine.analysed)

    @property
    def inputs_outside_templates(self) -> frozenset[str]:
        """The inputs used outside templates: as history, as tools, as the value of a slot."""
        histories = (message.value["history"] for message in self.sections.messages if "history" in message.value)
        tools = {self.contract.tools_input} if self.contract and self.contract.tools_input else set()
        return frozenset((*histories, *tools, *_input_values(self.compiled.slots)))

    @cached_property
    def type_check(self) -> TypeCheck:
        """The type errors of the templates, by the schemas of the inputs and of the reply."""
        if self._is_too_large:
            return TypeCheck((), is_complete=True)
        return check_pack(self.compiled, self.library.clean_templates)

    @property
    def is_complete(self) -> bool:
        """Whether every template could be parsed: only then is a name that was not found really unused."""
        return not self.is_pruned and self._parsed.is_complete and self.engine.analysed.is_complete

    @property
    def own_schemas(self) -> Iterator[Placed]:
        """The schemas of inputs, reply and params that the pack's own file contains or references, each once."""
        seen: set[tuple[str, str]] = set()
        for placed in self.sections.inputs.values():
            if self.owns(placed):
                yield from self.compiled.references.reach(placed, seen)
        for _, placed in self._find_reply_schemas(seen):
            yield placed

    @property
    def reply_schemas(self) -> Iterator[tuple[str, Placed]]:
        """The reply and params schemas that the pack's own file contains or references, each once with a label."""
        return self._find_reply_schemas(set())

    def _find_reply_schemas(self, seen: set[tuple[str, str]]) -> Iterator[tuple[str, Placed]]:
        contract = self.sections.reply.get("contract")
        named = [("the reply", contract)] if contract and isinstance(contract.value, Mapping) else []
        named += (
            (f"params of {name}", placed.child("params"))
            for name, placed in self.sections.actions.items()
            if "params" in placed.value
        )
        for what, placed in named:
            if self.owns(placed):
                yield from ((what, reached) for reached in self.compiled.references.reach(placed, seen))

    def cached(self, key: str, compute: Callable[[], T]) -> T:
        """Compute a value about the pack on first use; rules share it."""
        return _cached(self.cache, key, compute)

    def find_in_partial_files(self, key: str, find: Callable[[str, str], Iterable[T]]) -> tuple[T, ...]:
        """Search the files that the packs of the folder share, once for all packs; return the first results."""

        def find_all() -> tuple[T, ...]:
            found = (one for path, text in self.partial_files for one in find(path, text))
            return tuple(islice(found, _MAX_IN_PARTIAL_FILES))

        return self.library.cached(f"{key} {self.folder.root}", find_all)

    def owns(self, placed: Placed) -> bool:
        """Return whether a section is in the pack's own file; an inherited one is reported with the parent's file."""
        return placed.document is self.document and placed.document.owns(placed.path)

    @property
    def _is_too_large(self) -> bool:
        return any(problem.code == _TOO_MANY_NODES for problem in self.compiled.problems)

    @cached_property
    def _parsed(self) -> ParsedTexts:
        if self._is_too_large:
            return ParsedTexts((), is_complete=False)
        return self.library.shared_texts.parse(self.sections, self.engine)


class LintLibrary:
    """A library as rules see it: each pack becomes a `Subject` on first use.

    Only the locales of one version are cached, since rules compare no other packs: the syntax trees of thousands of
    packs would fill the memory.
    """

    def __init__(self, library: Library, paragraphs: dict[str, list[str]] | None = None) -> None:
        """Wrap a library; `paragraphs` caches the digests of long paragraphs by the digest of their file."""
        self.entries: tuple[Entry, ...] = library.entries
        self.folders: tuple[Folder, ...] = library.folders
        self.library = library
        self._paragraphs = {} if paragraphs is None else paragraphs
        self._subjects: dict[str, Subject | PackError] = {}
        self._recordings: dict[str, RecordingFolder] = {}
        self._loaded: tuple[str, Version | None] | None = None
        self._cache: dict[str, Any] = {}
        self.shared_texts: SharedTexts = SharedTexts()
        self.clean_templates: CleanTemplates = CleanTemplates()

    def load(self, entry: Entry) -> Subject:
        """Return a pack as a subject; raise its problems when it is too broken to be checked."""
        if (entry.name, entry.version) != self._loaded:
            self._loaded = (entry.name, entry.version)
            self._subjects.clear()
            self._recordings.clear()
        if entry.path not in self._subjects:
            folder = self._recordings[entry.path] = entry.folder.record()
            try:
                compiled = self.library._compile_sections(entry, folder)
                self._subjects[entry.path] = Subject(entry.folder, entry.file, compiled, self)
            except PackError as error:
                self._subjects[entry.path] = error
        found = self._subjects[entry.path]
        if isinstance(found, PackError):
            raise PackError(found.problems) from found
        return found

    def load_pruned(self, entry: Entry) -> Subject | None:
        """Return the valid rest of an invalid pack, or None if too little is left; raise when `extends` is broken."""
        compiled = self.library._compile_pruned(entry)
        return Subject(entry.folder, entry.file, compiled, self, is_pruned=True) if compiled else None

    def variants(self, subject: Subject) -> Iterator[Subject]:
        """Iterate over the other locales of a pack's version, without broken ones."""
        for entry in self._by_version.get(subject.identity[:2], ()):
            if entry.path == subject.document.path:
                continue
            if self.is_valid(entry):  # otherwise reported when that file is linted
                yield self.load(entry)

    def partial_files(self, folder: Folder) -> list[tuple[str, str]]:
        """Return the path and the text of each file with a partial of a folder."""
        return [(source.locate(1, 1).path, source.text) for source in self.library._partials_of(folder).values()]

    def documents(self) -> Iterator[Document]:
        """Iterate over the files that could be parsed as packs."""
        return (entry.document for entry in self.entries if entry.document is not None)

    def locales(self, entry: Entry) -> list[Entry]:
        """Return the files of a pack's version in all locales, including this one."""
        return self._by_version[entry.name, str(entry.version)]

    def is_valid(self, entry: Entry) -> bool:
        """Return whether the pack of a file can be built."""
        try:
            return not self.load(entry).compiled.problems
        except PackError:
            return False

    def recorded_folder(self, entry: Entry) -> RecordingFolder:
        """Return the files that were read to load a pack; only for the last loaded version."""
        return self._recordings[entry.path]

    def ancestors(self, entry: Entry) -> Iterator[tuple[str, str, Entry]]:
        """Yield the files that a pack extends, nearest first, each with the value of `extends` and the locale."""
        return building.ancestors(self.library, entry)

    def follow(self, references: Iterable[tuple[str, str]]) -> Sequence[Entry] | None:
        """Return the files that a chain of `extends` and locales finds now; None if one of them does not exist."""
        return building.follow(self.library, references)

    def digest_of_partials(self, folder: Folder) -> str:
        """Return a digest of the partials that the packs of a folder share."""
        return self.cached(folder.root, lambda: self.library._digest_of_shared(folder))

    def paragraphs_of(self, entry: Entry) -> list[str]:
        """Return the digests of the long paragraphs of a file; an empty list if it cannot be parsed."""
        cached = self._paragraphs.get(entry.digest)
        if cached is not None:
            return cached
        if entry.document is None:
            return []
        found = self._paragraphs[entry.digest] = [paragraph.digest for paragraph in find_paragraphs(entry.document)]
        return found

    @cached_property
    def paragraph_index(self) -> ParagraphIndex:
        """The files that contain each long paragraph."""
        found = ParagraphIndex()
        for entry in self.entries:
            for digest in self.paragraphs_of(entry):
                found.add(digest, entry.name, entry.path)
        return found

    def cached(self, key: str, compute: Callable[[], T]) -> T:
        """Compute a value about all packs on first use."""
        return _cached(self._cache, key, compute)

    @cached_property
    def _by_version(self) -> dict[tuple[str, str], list[Entry]]:
        found: dict[tuple[str, str], list[Entry]] = {}
        for entry in self.entries:
            found.setdefault((entry.name, str(entry.version)), []).append(entry)
        return found


def _cached(cache: dict[str, Any], key: str, compute: Callable[[], T]) -> T:
    if key not in cache:
        cache[key] = compute()
    value: T = cache[key]
    return value


def _input_values(value: Any) -> Iterator[str]:
    match value:
        case InputValue(name=name):
            yield name
        case Mapping():
            for item in value.values():
                yield from _input_values(item)
        case tuple():
            for item in value:
                yield from _input_values(item)
