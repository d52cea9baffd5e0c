"""The templates and expressions of a pack, parsed, with their locations."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from jinja2 import nodes

from promptpack.pack.placed import Placed
from promptpack.pack.sections import Sections
from promptpack.problem import Location, PackError
from promptpack.template.engine import Engine
from promptpack.template.includes import TooManyIncludesError
from promptpack.template.model import Source
from promptpack.template.names import Dependencies, DependencyFinder
from promptpack.template.positions import decode
from promptpack.template.tree import constant_text, levels

T = TypeVar("T")
TextKind = Literal["content", "detail", "slot", "when", "require", "violation", "correction", "partial"]
# Python's own compiler fails before this depth, and `pack.compile_sections` reports that.
_MAX_DEPTH = 200
_MAX_INHERITED = 1_000


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
    memo: dict[str, tuple[object, Any]] = field(default_factory=dict, repr=False)

    def cached(self, key: str, owner: object, compute: Callable[[], T]) -> T:
        """Compute a value that depends on this text and the `owner` only; packs that share the text share it."""
        found = self.memo.get(key)
        if found is None or found[0] is not owner:
            found = self.memo[key] = owner, compute()
        value: T = found[1]
        return value

    def locate(self, position: int) -> Location:
        """Return the location in the file of a node, from the number that Jinja calls `lineno`."""
        return self.source.locate(*decode(position))


@dataclass(frozen=True, slots=True)
class ParsedTexts:
    """Texts that could be parsed; `is_complete` unless some could not."""

    texts: tuple[ParsedText, ...]
    is_complete: bool


def find_dependencies(text: ParsedText, finder: DependencyFinder) -> Dependencies:
    """Return the names and partials that a text uses."""
    return text.cached("dependencies", finder, lambda: finder.find(text.tree))


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


@dataclass(frozen=True, slots=True)
class ParsedPartials(ParsedTexts):
    """Partials, and a finder of the names and partials that they use."""

    dependencies: DependencyFinder


def parse_partials(sources: Mapping[str, Source], engine: Engine) -> ParsedPartials:
    """Parse partials; none of them is usable if they are nested too deeply."""
    parsed = parse_texts((UnparsedText("partial", source, name=name) for name, source in sources.items()), engine)
    try:
        needs = DependencyFinder({text.name: text.tree for text in parsed.texts})
    except TooManyIncludesError:  # reported by `pack.compile_sections`
        return ParsedPartials((), False, DependencyFinder({}))
    return ParsedPartials(parsed.texts, parsed.is_complete, needs)


class InheritedTexts:
    """The parsed texts of inherited messages, for the packs that inherit them too; the oldest are dropped."""

    def __init__(self) -> None:
        # With the message and the engine, so that no others get their ids.
        self._found: dict[tuple[int, int, int], tuple[Placed, Engine, ParsedTexts]] = {}

    def parse(self, sections: Sections, engine: Engine) -> ParsedTexts:
        """Parse all texts of a pack, without its partials."""
        several = [self._parse_message(*message, sections, engine) for message in enumerate(sections.messages)]
        several.append(parse_texts(_find_other_texts(sections), engine))
        texts = tuple(text for parsed in several for text in parsed.texts)
        return ParsedTexts(texts, all(parsed.is_complete for parsed in several))

    def _parse_message(self, index: int, message: Placed, sections: Sections, engine: Engine) -> ParsedTexts:
        if message.document is sections.document:
            return _parse_message(index, message, engine)
        key = id(message), id(engine), index
        if key not in self._found:
            if len(self._found) >= _MAX_INHERITED:
                self._found.pop(next(iter(self._found)))
            self._found[key] = message, engine, _parse_message(index, message, engine)
        return self._found[key][2]


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
