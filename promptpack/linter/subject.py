"""The `Subject`: one pack as rules look at it, every template read once, with places, and the other packs around it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from jinja2 import nodes

from promptpack.document import Document
from promptpack.files import Folder, RecordingFolder
from promptpack.lazy import cached_property
from promptpack.library import Library
from promptpack.library.build_cache import digest_of_partials
from promptpack.library.entry import Entry
from promptpack.linter.repeats import Repeats, find_paragraphs
from promptpack.linter.types import check_pack
from promptpack.pack import Contract, Input, Sketch
from promptpack.pack.model import InputValue
from promptpack.pack.parts import Parts
from promptpack.pack.placed import Placed
from promptpack.pack.version import Version
from promptpack.problem import Location, PackError, Problem
from promptpack.template import Engine, Source
from promptpack.template.positions import decode
from promptpack.template.tree import children

T = TypeVar("T")
Kind = Literal["content", "detail", "slot", "when", "require", "violation", "correction", "partial"]
# Python's own compiler gives up before this depth: a deeper tree is told by the sketch, and not worth the stack here.
_DEEPEST = 200


@dataclass(frozen=True, slots=True)
class Text:
    """A template or an expression, and its syntax tree as the author wrote it.

    `content` is the text of a message, `detail` what else a message renders (its name, the ids and arguments of calls),
    `violation` what a rule tells the model, `partial` a fragment; `when` and `require` are expressions.
    """

    kind: Kind
    source: Source
    tree: nodes.Template
    role: str = ""
    name: str = ""
    message: int | None = None
    """Which of the pack's messages it is part of, counted from 0."""

    def locate(self, position: int) -> Location:
        """Give the place in the file of a node, by the number that Jinja calls `lineno`."""
        return self.source.locate(*decode(position))


@dataclass(frozen=True)
class Subject:
    """One pack among the others; what could not be read of a broken one is left out."""

    file: str
    sketch: Sketch
    neighbours: "Neighbours" = field(repr=False, compare=False)
    refused: bool = False
    """Whether the file was refused, and something may have been taken out of it so that the rest can be looked at."""
    memory: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def document(self) -> Document:
        """The pack's own file."""
        return self.sketch.parts.document

    @property
    def parts(self) -> Parts:
        """The pieces of the pack, inherited ones among them, each with its place."""
        return self.sketch.parts

    @property
    def inputs(self) -> Mapping[str, Input]:
        """The declared inputs, inherited ones among them."""
        return self.sketch.inputs

    @property
    def contract(self) -> Contract | None:
        """The reply contract, if the pack declares one."""
        return self.sketch.contract

    @property
    def engine(self) -> Engine:
        """What the pack's templates are read with."""
        return self.sketch.linker.engine

    @property
    def identity(self) -> tuple[str, str, str]:
        """Name, version and locale, as the file says."""
        data = self.document.data
        return data["name"], data["version"], data.get("locale", "")

    @property
    def texts(self) -> tuple[Text, ...]:
        """The templates and expressions of the pack, without its partials."""
        return self._read.texts

    @cached_property
    def partials(self) -> Mapping[str, Text]:
        """The partials that the pack may include, by name."""
        return {text.name: text for text in self._read_partials.texts}

    @property
    def taken_by_name(self) -> frozenset[str]:
        """The inputs that are used as a whole, outside of templates: as history, as tools, as a slot's value."""
        histories = (message.value["history"] for message in self.parts.messages if "history" in message.value)
        tools = {self.contract.tools_input} if self.contract and self.contract.tools_input else set()
        return frozenset((*histories, *tools, *_input_values(self.sketch.slots)))

    @cached_property
    def mistyped(self) -> tuple[Problem, ...]:
        """What the types of the inputs and of the reply say about the templates."""
        return check_pack(self.sketch, self.engine)

    @property
    def is_whole(self) -> bool:
        """Whether everything could be read, so that what is not found is nowhere."""
        return not self.refused and self._read.whole and self._read_partials.whole

    @property
    def own_schemas(self) -> Iterator[Placed]:
        """The schemas that the pack's own file holds or refers to: of inputs, of the reply, of params."""
        for placed in self.parts.inputs.values():
            if self.owns(placed):
                yield from self.sketch.references.reach(placed)
        for _, placed in self.reply_schemas:
            yield placed

    @property
    def reply_schemas(self) -> Iterator[tuple[str, Placed]]:
        """The schemas of replies that the pack's own file holds or refers to, each with what it is of."""
        contract = self.parts.reply.get("contract")
        named = [("the reply", contract)] if contract and isinstance(contract.value, Mapping) else []
        named += (
            (f"params of {name}", placed.child("params"))
            for name, placed in self.parts.actions.items()
            if "params" in placed.value
        )
        for what, placed in named:
            if self.owns(placed):
                yield from ((what, reached) for reached in self.sketch.references.reach(placed))

    def once(self, key: str, make: Callable[[], T]) -> T:
        """Work something out about the pack, the first time that a rule asks for it."""
        return _once(self.memory, key, make)

    def owns(self, placed: Placed) -> bool:
        """Say whether a piece stands in the pack's own file; inherited ones are told where they stand."""
        return placed.document is self.document

    @cached_property
    def _read(self) -> "_Read":
        return _read_all(_written(self.parts), self.engine)

    @cached_property
    def _read_partials(self) -> "_Read":
        return self.neighbours.read_partials(self.sketch.linker.partials, self.engine)


class Neighbours:
    """The packs of a library, each made ready for rules when it is first asked for.

    Only the variants of one version are kept ready at a time, as rules compare no others: of thousands of packs, the
    syntax trees would fill the memory.
    """

    def __init__(self, library: Library, paragraphs: dict[str, list[str]] | None = None) -> None:
        """Take a library, and the digests of paragraphs as far as they are known, by the digest of their file."""
        self.entries = library.entries
        self.folders = library.folders
        self.ancestors = library.ancestors
        self.follow = library.follow
        self._library = library
        self._paragraphs = {} if paragraphs is None else paragraphs
        self._subjects: dict[str, Subject | PackError] = {}
        self._recordings: dict[str, RecordingFolder] = {}
        self._partials: tuple[Mapping[str, Source], _Read] | None = None
        self._label: tuple[str, Version | None] | None = None
        self._memory: dict[str, Any] = {}

    def subject_of(self, entry: Entry) -> Subject:
        """Give one pack as a subject; raises its problems when it is too broken to be looked at."""
        if (entry.name, entry.version) != self._label:
            self._label = (entry.name, entry.version)
            self._subjects.clear()
            self._recordings.clear()
        if entry.shown not in self._subjects:
            folder = self._recordings[entry.shown] = RecordingFolder(entry.folder.root)
            try:
                self._subjects[entry.shown] = Subject(entry.file, self._library.sketch(entry, folder), self)
            except PackError as error:
                self._subjects[entry.shown] = error
        found = self._subjects[entry.shown]
        if isinstance(found, PackError):
            raise PackError(found.problems) from found
        return found

    def salvage(self, entry: Entry) -> Subject | None:
        """Give what is left of a refused pack, if it is enough to look at; raises where `extends` leads nowhere."""
        sketch = self._library.salvage(entry)
        return Subject(entry.file, sketch, self, refused=True) if sketch else None

    def variants(self, subject: Subject) -> Iterator[Subject]:
        """Give the other locales of a pack's version that can be looked at."""
        for entry in self._by_label.get(subject.identity[:2], ()):
            if entry.shown == subject.document.path:
                continue
            try:
                yield self.subject_of(entry)
            except PackError:
                continue  # told where that file is linted

    def documents(self) -> Iterator[Document]:
        """Give every file that could be read as a pack."""
        return (entry.document for entry in self.entries if entry.document is not None)

    def group(self, entry: Entry) -> list[Entry]:
        """Give the files of a pack's version in all languages, this one among them."""
        return self._by_label[entry.name, str(entry.version)]

    def is_sound(self, entry: Entry) -> bool:
        """Say whether nothing keeps the pack of a file from being built."""
        try:
            return not self.subject_of(entry).sketch.problems
        except PackError:
            return False

    def read_partials(self, sources: Mapping[str, Source], engine: Engine) -> "_Read":
        """Read partials, once for all packs that follow each other and have the same ones."""
        if self._partials is None or self._partials[0] is not sources:
            written = (Written("partial", source, name=name) for name, source in sources.items())
            self._partials = (sources, _read_all(written, engine))
        return self._partials[1]

    def folder_of(self, entry: Entry) -> RecordingFolder:
        """Give what was read for a pack while it was looked at; only of the last one, and its other languages."""
        return self._recordings[entry.shown]

    def digest_of_partials(self, folder: Folder) -> str:
        """Give a digest of the partials that the packs of a folder share."""
        return self.once(folder.root, lambda: digest_of_partials(self._library.partials_of(folder)))

    def paragraphs_of(self, entry: Entry) -> list[str]:
        """Give the digests of the long paragraphs of a file, as far as it can be read."""
        known = self._paragraphs.get(entry.digest)
        if known is not None:
            return known
        if entry.document is None:
            return []
        found = self._paragraphs[entry.digest] = [one.digest for one in find_paragraphs(entry.document)]
        return found

    @cached_property
    def repeats(self) -> Repeats:
        """Where every long paragraph stands."""
        found = Repeats()
        for entry in self.entries:
            for digest in self.paragraphs_of(entry):
                found.add(digest, entry.name, entry.shown)
        return found

    def once(self, key: str, make: Callable[[], T]) -> T:
        """Work something out about all packs, the first time that it is asked for."""
        return _once(self._memory, key, make)

    @cached_property
    def _by_label(self) -> dict[tuple[str, str], list[Entry]]:
        found: dict[tuple[str, str], list[Entry]] = {}
        for entry in self.entries:
            found.setdefault((entry.name, str(entry.version)), []).append(entry)
        return found


def _once(memory: dict[str, Any], key: str, make: Callable[[], T]) -> T:
    if key not in memory:
        memory[key] = make()
    made: T = memory[key]
    return made


@dataclass(frozen=True, slots=True)
class Written:
    """A text before it is read."""

    kind: Kind
    source: Source
    role: str = ""
    name: str = ""
    message: int | None = None


@dataclass(frozen=True, slots=True)
class _Read:
    texts: tuple[Text, ...]
    whole: bool


def _read_all(written: Iterable[Written], engine: Engine) -> _Read:
    texts: list[Text] = []
    waiting = list(written)
    for one in waiting:
        is_expression = one.kind in ("when", "require")
        try:
            tree = engine.read_expression(one.source) if is_expression else engine.read(one.source)
        except PackError:
            continue  # told by the sketch, which compiles the same text
        if not _is_deeper(tree, _DEEPEST):
            texts.append(Text(one.kind, one.source, tree, one.role, one.name, one.message))
    return _Read(tuple(texts), len(texts) == len(waiting))


def _is_deeper(tree: nodes.Node, limit: int) -> bool:
    level = [tree]
    for _ in range(limit):
        level = [child for node in level for child in children(node)]
        if not level:
            return False
    return True


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


def _written(parts: Parts) -> Iterator[Written]:
    for index, message in enumerate(parts.messages):
        yield from (replace(written, message=index) for written in _of_message(message))
    for name, slot in parts.slots.items():
        role = name if name in ("system", "developer") else "user"
        yield from (replace(written, name=name) for written in _templates("slot", slot, role))
    for rule in parts.rules.values():
        yield from (_expression(kind, rule.child(kind)) for kind in ("when", "require") if kind in rule.value)
        yield Written("violation", rule.child("message").source())
    if "correction" in parts.reply:
        yield Written("correction", parts.reply["correction"].source())


def _of_message(message: Placed) -> Iterator[Written]:
    value: Mapping[str, Any] = message.value
    role = value.get("role", "")
    if "when" in value:
        yield _expression("when", message.child("when"), role)
    content = value.get("content")
    if isinstance(content, str):
        yield from _templates("content", message.child("content"), role)
    elif content is not None:
        for index, part in enumerate(content):
            placed = message.child("content", index)
            if "when" in part:
                yield _expression("when", placed.child("when"), role)
            for key in part:
                if key != "when" and not key.startswith("x-"):
                    yield from _templates("content" if key == "text" else "detail", placed.child(key), role)
    for key in ("name", "tool_call_id", "tool_calls"):
        if key in value:
            yield from _templates("detail", message.child(key), role)


def _templates(kind: Kind, placed: Placed, role: str = "") -> Iterator[Written]:
    match placed.value:
        case str():
            syntax = placed.document.data.get("syntax", "jinja")
            yield Written(kind, placed.source(syntax), role)
        case dict() as mapping:
            for key in mapping:
                yield from _templates(kind, placed.child(key), role)
        case list() as items:
            for index in range(len(items)):
                yield from _templates(kind, placed.child(index), role)


def _expression(kind: Kind, placed: Placed, role: str = "") -> Written:
    return Written(kind, placed.source(), role)
