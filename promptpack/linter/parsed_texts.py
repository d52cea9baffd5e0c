"""The templates and expressions of a pack, parsed, with their locations."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeVar

from jinja2 import nodes

from promptpack.pack.placed import Placed
from promptpack.pack.sections import Sections
from promptpack.problem import Location, PackError
from promptpack.template.engine import Engine
from promptpack.template.model import Source
from promptpack.template.names import Dependencies
from promptpack.template.partials import LayeredPartials
from promptpack.template.positions import decode
from promptpack.template.tree import constant_text, levels

T = TypeVar("T")
TextKind = Literal["content", "detail", "slot", "when", "require", "violation", "correction", "partial"]
# Python's own compiler fails before this depth, and `pack.compile_sections` reports that.
_MAX_DEPTH = 200
_MAX_SHARED = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class UnparsedText:
    """A template or expression.

    Kinds: `content` is the text of a message, `detail` any other rendered field of it (its name, the ids and arguments
    of calls), `violation` the message of a contract rule, `partial` a fragment; `when` and `require` are expressions.
    """

    kind: TextKind
    source: Source
    role: str = ""
    name: str = ""
    message: int | None = None
    """The index of the message that contains it, from 0."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ParsedText(UnparsedText):
    """A template or expression with its syntax tree."""

    tree: nodes.Template
    is_constant: bool = False
    """Whether it has no tags."""
    _memo: dict[str, Any] = field(default_factory=dict, repr=False)
    _memo_with_partials: "dict[str, _Memo]" = field(default_factory=dict, repr=False)

    def cached(self, key: str, compute: Callable[[], T]) -> T:
        """Compute a value that depends on this text only; packs that share the text share it."""
        if key not in self._memo:
            self._memo[key] = compute()
        value: T = self._memo[key]
        return value

    def cached_with(self, partials: LayeredPartials, key: str, compute: Callable[[], T]) -> T:
        """Compute a value that depends on this text and the partials that it includes."""
        found = self._memo_with_partials.get(key)
        if found is None or not partials.has_same(found.included, found.partials):
            included = self.find_dependencies(partials).partials
            found = self._memo_with_partials[key] = _Memo(partials, included, compute())
        value: T = found.value
        return value

    def find_dependencies(self, partials: LayeredPartials) -> Dependencies:
        """Return the names and partials that this text uses."""
        found = self._memo_with_partials.get("dependencies")
        if found is None or not partials.has_same(found.included, found.partials):
            needed = partials.dependencies.find(self.tree)
            found = self._memo_with_partials["dependencies"] = _Memo(partials, needed.partials, needed)
        value: Dependencies = found.value
        return value

    def locate(self, position: int) -> Location:
        """Return the location in the file of a node, from the number that Jinja calls `lineno`."""
        return self.source.locate(*decode(position))


class _Memo(NamedTuple):
    """A value that a text has with some partials, and with others if they include the same."""

    partials: LayeredPartials
    included: frozenset[str]
    value: Any


@dataclass(frozen=True, slots=True)
class ParsedTexts:
    """Texts that could be parsed; `is_complete` unless some could not."""

    texts: tuple[ParsedText, ...]
    is_complete: bool


def parse_texts(unparsed: Iterable[UnparsedText], engine: Engine) -> ParsedTexts:
    """Parse templates and expressions."""
    parsed: list[ParsedText] = []
    given = list(unparsed)
    for text in given:
        is_expression = text.kind in ("when", "require")
        try:
            tree = engine.parse_expression(text.source) if is_expression else engine.parse(text.source)
        except PackError:
            continue  # reported by `pack.compile_sections`
        if len(levels(tree)) <= _MAX_DEPTH:
            is_constant = not is_expression and constant_text(tree) is not None
            parsed.append(
                ParsedText(
                    text.kind, text.source, text.role, text.name, text.message, tree=tree, is_constant=is_constant
                )
            )
    return ParsedTexts(tuple(parsed), len(parsed) == len(given))


class SharedTexts:
    """The parsed texts that packs share: inherited messages, and partials; the oldest are dropped."""

    def __init__(self) -> None:
        # With the message or source, so that no other gets its id.
        self._messages: dict[int, tuple[Placed, ParsedTexts]] = {}
        self._partials: dict[int, ParsedText] = {}

    def parse(self, sections: Sections, engine: Engine) -> ParsedTexts:
        """Parse all texts of a pack, without its partials."""
        several = [self._parse_message(*message, sections, engine) for message in enumerate(sections.messages)]
        several.append(parse_texts(_find_other_texts(sections), engine))
        texts = tuple(text for parsed in several for text in parsed.texts)
        return ParsedTexts(texts, all(parsed.is_complete for parsed in several))

    def parse_partial(self, name: str, partials: LayeredPartials) -> ParsedText:
        """Return a partial; one that could not be parsed is empty."""
        source = partials.sources[name]
        found = self._partials.get(id(source))
        if found is None:
            _drop_oldest(self._partials)
            tree = partials.trees[name]
            is_constant = constant_text(tree) is not None
            found = ParsedText("partial", source, name=name, tree=tree, is_constant=is_constant)
            self._partials[id(source)] = found
        return found

    def _parse_message(self, index: int, message: Placed, sections: Sections, engine: Engine) -> ParsedTexts:
        if message.document is sections.document:
            return _parse_message(index, message, engine)
        if id(message) not in self._messages:
            _drop_oldest(self._messages)
            self._messages[id(message)] = message, _parse_message(index, message, engine)
        parsed = self._messages[id(message)][1]
        if all(text.message == index for text in parsed.texts):
            return parsed
        return replace(parsed, texts=tuple(replace(text, message=index) for text in parsed.texts))


def _drop_oldest(found: dict[int, Any]) -> None:
    if len(found) >= _MAX_SHARED:
        found.pop(next(iter(found)))


class PartialTexts(Mapping[str, ParsedText]):
    """The partials that a pack may include, by name."""

    def __init__(self, partials: LayeredPartials, shared: SharedTexts) -> None:
        self._partials = partials
        self._shared = shared

    def __getitem__(self, name: str) -> ParsedText:
        return self._shared.parse_partial(name, self._partials)

    def __iter__(self) -> Iterator[str]:
        return iter(self._partials.sources)

    def __len__(self) -> int:
        return len(self._partials.sources)


def _parse_message(index: int, message: Placed, engine: Engine) -> ParsedTexts:
    return parse_texts((replace(text, message=index) for text in _find_message_texts(message)), engine)


def _find_other_texts(sections: Sections) -> Iterator[UnparsedText]:
    """Yield the templates and expressions of a pack, without its messages and partials."""
    for name, slot in sections.slots.items():
        role = name if name in ("system", "developer") else "user"
        yield from (replace(text, name=name) for text in _find_templates("slot", slot, role))
    for overlay in sections.models.values():
        for key in (key for key in ("prefix", "suffix") if key in overlay.value):
            yield from _find_templates("content", overlay.child(key), "system")
    for rule in sections.rules.values():
        yield from (_expression(kind, rule.child(kind)) for kind in ("when", "require") if kind in rule.value)
        yield UnparsedText("violation", rule.child("message").source())
    if "correction" in sections.reply:
        yield UnparsedText("correction", sections.reply["correction"].source())


def _find_message_texts(message: Placed) -> Iterator[UnparsedText]:
    value: Mapping[str, Any] = message.value
    role = value.get("role", "")
    if "when" in value:
        yield _expression("when", message.child("when"), role)
    content = value.get("content")
    if isinstance(content, str):
        yield from _find_templates("content", message.child("content"), role)
    elif content is not None:
        for index, part in enumerate(content):
            placed = message.child("content", index)
            if "when" in part:
                yield _expression("when", placed.child("when"), role)
            for key in part:
                if key != "when" and not key.startswith("x-"):
                    yield from _find_templates("content" if key == "text" else "detail", placed.child(key), role)
    for key in ("name", "tool_call_id", "tool_calls"):
        if key in value:
            yield from _find_templates("detail", message.child(key), role)


def _find_templates(kind: TextKind, placed: Placed, role: str = "") -> Iterator[UnparsedText]:
    syntax = placed.document.data.get("syntax", "jinja")
    return (UnparsedText(kind, text.source(syntax), role) for text in placed.strings())


def _expression(kind: TextKind, placed: Placed, role: str = "") -> UnparsedText:
    return UnparsedText(kind, placed.source(), role)
