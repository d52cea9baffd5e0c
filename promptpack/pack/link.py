"""Templates, expressions and schemas of a pack, compiled; every problem is kept, so that all are told at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from promptpack.lazy import cached_property
from promptpack.pack.model import CallTemplate, MessageTemplate, PartTemplate
from promptpack.problem import PackError, Problem, did_you_mean
from promptpack.template.model import Source

if TYPE_CHECKING:
    from promptpack.pack.model import Input
    from promptpack.pack.placed import Placed
    from promptpack.pack.sections import Sections
    from promptpack.template import Engine, Expression, Limits, Template
    from promptpack.template.model import Syntax

# Names that every template has besides the pack's inputs.
GIVEN = ("pack", "reply_format")


class Linker:
    """Compiles the texts of one pack against its inputs and partials."""

    def __init__(self, inputs: Mapping[str, Input], partials: PackPartials) -> None:
        self.partials = partials.sources
        self.problems: list[Problem] = []
        self.inputs = inputs
        self._read = partials
        self.used_partials: set[str] = set()
        self._known = (*inputs, *GIVEN)
        self._check_partials()

    @cached_property
    def engine(self) -> Engine:
        """What compiles with Jinja, made on first use."""
        return self._read.engine

    def template(self, placed: Placed, syntax: Syntax, known: Collection[str] | None = None) -> Template:
        """Compile a template; on a problem it is kept, and an empty template stands in."""
        source, names = placed.source(syntax), known or self._known
        try:
            template = self._compile(source, names)
        except PackError as error:
            self.problems += error.problems
            return self._compile(Source.of_text(""))
        self.used_partials |= template.partials
        return template

    def expression(self, placed: Placed, known: Collection[str] | None = None) -> Expression:
        """Compile an expression; on a problem it is kept, and `true` stands in."""
        source, names = placed.source(), known or self._known
        try:
            return self._compile_expression(source, names)
        except PackError as error:
            self.problems += error.problems
            return self._compile_expression(Source.of_text("true"))

    def message(self, placed: Placed, syntax: Syntax) -> MessageTemplate:
        """Compile one message."""
        value: Mapping[str, Any] = placed.value
        when = self.expression(placed.child("when")) if "when" in value else None
        if "history" in value:
            return MessageTemplate(
                id=value.get("id", ""),
                when=when,
                history=self.input_name(placed.child("history"), value["history"]),
                priority=value.get("priority"),
            )
        return MessageTemplate(
            role=value["role"],
            content=self._content(placed, syntax) if "content" in value else None,
            id=value.get("id", ""),
            when=when,
            name=self._optional(placed, "name", syntax),
            tool_call_id=self._optional(placed, "tool_call_id", syntax),
            tool_calls=tuple(
                self._call(placed.child("tool_calls", index), syntax)
                for index in range(len(value.get("tool_calls", ())))
            ),
            priority=value.get("priority"),
        )

    def data(self, placed: Placed, syntax: Syntax) -> Any:
        """Compile every text of a nested value; keys stay as they are."""
        match placed.value:
            case str():
                return self.template(placed, syntax)
            case dict() as mapping:
                return MappingProxyType({key: self.data(placed.child(key), syntax) for key in mapping})
            case list() as items:
                return tuple(self.data(placed.child(index), syntax) for index in range(len(items)))
            case value:
                return value

    def input_name(self, placed: Placed, name: str) -> str:
        """Take the name of an input; one that is not declared is a problem."""
        if name not in self.inputs:
            hint = did_you_mean(name, self.inputs) or "declare it under 'inputs'"
            self.problems.append(placed.problem("PP301", f"{name!r} is not an input", hint))
        return name

    def _compile(self, source: Source, known: Collection[str] | None = None) -> Template:
        from promptpack.template import compile as compile_template

        return compile_template(source, self.engine, known)

    def _compile_expression(self, source: Source, known: Collection[str] | None = None) -> Expression:
        from promptpack.template import compile_expression

        return compile_expression(source, self.engine, known)

    def _check_partials(self) -> None:
        try:
            _ = self.engine.needs
        except PackError as error:
            self.problems += error.problems
            from promptpack.template import Engine

            self.engine = Engine({name: Source.of_text("") for name in self.partials}, self._read.limits)

    def _optional(self, placed: Placed, key: str, syntax: Syntax) -> Template | None:
        return self.template(placed.child(key), syntax) if key in placed.value else None

    def _content(self, placed: Placed, syntax: Syntax) -> Template | tuple[PartTemplate, ...]:
        content = placed.child("content")
        if isinstance(content.value, str):
            return self.template(content, syntax)
        return tuple(self._part(content.child(index), syntax) for index in range(len(content.value)))

    def _part(self, placed: Placed, syntax: Syntax) -> PartTemplate:
        value: Mapping[str, Any] = placed.value
        kind = next(kind for kind in ("text", "image", "audio", "file") if kind in value)
        extra = {
            key: self.template(placed.child(key), syntax) for key in ("detail", "format", "filename") if key in value
        }
        when = self.expression(placed.child("when")) if "when" in value else None
        return PartTemplate(kind, self.template(placed.child(kind), syntax), MappingProxyType(extra), when)  # type: ignore[arg-type]

    def _call(self, placed: Placed, syntax: Syntax) -> CallTemplate:
        arguments = placed.child("arguments")
        return CallTemplate(
            self.template(placed.child("id"), syntax),
            self.template(placed.child("name"), syntax),
            self.data(arguments, syntax),
        )


class PackPartials:
    """The partials of some packs, and what reads and compiles templates that include them."""

    def __init__(self, sources: Mapping[str, Source], limits: Limits, held: object = None) -> None:
        self.sources = sources
        self.limits = limits
        self._held = held

    @cached_property
    def engine(self) -> Engine:
        """What compiles with Jinja, made on first use."""
        from promptpack.template import Engine

        return Engine(self.sources, self.limits, caching=True)


class FolderPartials:
    """The partials of every pack in a folder, where some are files that all of its packs have."""

    def __init__(self, shared: Mapping[str, Source], limits: Limits) -> None:
        self._shared = shared
        self._limits = limits
        self._known: WeakValueDictionary[tuple[object, ...], PackPartials] = WeakValueDictionary()
        # Of packs that are looked at one after the other, none may be left when the next one comes.
        self._last: PackPartials | None = None

    def of(self, sections: Sections) -> PackPartials:
        """Give the partials of a pack: its own, those of the packs it extends, and the files."""
        placed = [(name, one, syntax) for name, (one, syntax) in sections.partials.items()]
        key = tuple((name, id(one.document), one.path, syntax) for name, one, syntax in placed)
        found = self._known.get(key)
        if found is None:
            sources = {**self._shared, **{name: one.source(syntax) for name, one, syntax in placed}}
            # The documents are held, so that no other one gets the identity of theirs.
            found = self._known[key] = PackPartials(sources, self._limits, [one.document for _, one, _ in placed])
        self._last = found
        return found
