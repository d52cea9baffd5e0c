"""Compile the templates and expressions of a pack, and collect their problems to report them together."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar
from weakref import WeakValueDictionary

from promptpack.lazy import cached_property
from promptpack.pack.model import HISTORY_ROLES, CallTemplate, Input, MessageTemplate, PartTemplate
from promptpack.problem import PackError, Problem, did_you_mean
from promptpack.template.model import Expression, Limits, Source, Syntax, Template

if TYPE_CHECKING:
    from promptpack.pack.placed import Placed
    from promptpack.pack.sections import Sections
    from promptpack.template.compiling import DeclaredNames
    from promptpack.template.engine import Engine

Compiled = TypeVar("Compiled", Template, Expression)
Compile = Callable[[Source, "Engine", "DeclaredNames"], Compiled]
CompilationKey = tuple[Any, ...]

_RECENT_TEMPLATES: Final = 1_000
_MAX_SHARED_MESSAGES: Final = 1_000
# Names that every template can use besides the inputs of the pack.
BUILT_IN_NAMES = ("pack", "reply_format")


class PackCompiler:
    """Compiles the texts of one pack with its inputs and partials, and collects the problems."""

    def __init__(
        self, inputs: Mapping[str, Input], partials: PackPartials, words: Callable[[], frozenset[str]] = frozenset
    ) -> None:
        """Take the inputs, the partials, and the words that only make sense in quotes, found on first use."""
        self.partials: Mapping[str, Source] = partials.sources
        self.problems: list[Problem] = []
        self.inputs = inputs
        self._words = cache(words)
        self._pack_partials = partials
        self.used_partials: set[str] = set()
        self._names = (*inputs, *BUILT_IN_NAMES)
        self._declared: dict[tuple[str, ...], DeclaredNames] = {}
        self._nodes = partials.limits.nodes
        self._names_used: set[str] = set()
        self._check_partials()

    @cached_property
    def engine(self) -> Engine:
        """The Jinja engine, created on first use."""
        return self._pack_partials.engine

    def compile_template(self, placed: Placed, syntax: Syntax, known: tuple[str, ...] = ()) -> Template:
        """Compile a template; collect its problems and return an empty template if it has any."""
        from promptpack.template.compiling import compile as compile_source

        template = self._compile(compile_source, placed, syntax, known)
        if template is None:
            return compile_source(Source.of_text(""), self.engine)
        self.used_partials |= template.partials
        return template

    def compile_expression(self, placed: Placed, known: tuple[str, ...] = ()) -> Expression:
        """Compile an expression; collect its problems and return `true` if it has any."""
        from promptpack.template.compiling import compile_expression

        expression = self._compile(compile_expression, placed, "jinja", known)
        return expression or compile_expression(Source.of_text("true"), self.engine)

    def _compile(
        self, compile_source: Compile[Compiled], placed: Placed, syntax: Syntax, known: tuple[str, ...]
    ) -> Compiled | None:
        """Compile a text, unless another pack that has inherited it has done so; None if it has problems."""
        if self._nodes < 0:
            return None
        declared = self._declare(known or self._names)
        key = compile_source, id(placed.document), placed.path, syntax
        found: Compiled | None = self._pack_partials.compiled.get(key)
        if found is None or not declared.include(found.names):
            try:
                found = compile_source(placed.source(syntax), self.engine, declared)
            except PackError as error:
                self.problems += error.problems
                return None
            self._pack_partials.cache(key, found)
        self._names_used |= found.names
        return found if self._is_small_enough(found, placed) else None

    def _is_small_enough(self, compiled: Template | Expression, placed: Placed) -> bool:
        self._nodes -= compiled.size
        if self._nodes < 0:
            from promptpack.template.engine import too_many_nodes

            self.problems.append(too_many_nodes("templates", self._pack_partials.limits.nodes, placed.locate()))
        return self._nodes >= 0

    def _declare(self, names: tuple[str, ...]) -> DeclaredNames:
        if names not in self._declared:
            from promptpack.template.compiling import DeclaredNames

            self._declared[names] = DeclaredNames(names, self._words)
        return self._declared[names]

    def compile_message(self, placed: Placed, syntax: Syntax, *, is_inherited: bool = False) -> MessageTemplate:
        """Compile one message, unless another pack that has inherited it too has done so."""
        if not is_inherited:
            return self._compile_message(placed, syntax)
        shared, key = self._pack_partials.messages, (id(placed.document), placed.path, syntax)
        found = shared.get(key)
        if found is None or found.size > self._nodes or not self._declare(self._names).include(found.names):
            count, nodes, partials = len(self.problems), self._nodes, self.used_partials
            self._names_used, self.used_partials = set(), set()
            message = self._compile_message(placed, syntax)
            used = frozenset(self._names_used)
            found = CompiledMessage(message, placed, used, self.used_partials, nodes - self._nodes)
            self.used_partials = self.used_partials | partials
            if len(self.problems) == count:
                self._pack_partials.cache_message(key, found)
            return message
        self._nodes -= found.size
        self.used_partials |= found.partials
        return found.message

    def _compile_message(self, placed: Placed, syntax: Syntax) -> MessageTemplate:
        value: Mapping[str, Any] = placed.value
        when = self.compile_expression(placed.child("when")) if "when" in value else None
        if "history" in value:
            return MessageTemplate(
                id=value.get("id", ""),
                when=when,
                history=self.check_input_name(placed.child("history"), value["history"]),
                history_roles=tuple(value.get("roles", HISTORY_ROLES)),
                priority=value.get("priority"),
            )
        return MessageTemplate(
            role=value["role"],
            content=self._compile_content(placed, syntax) if "content" in value else None,
            id=value.get("id", ""),
            when=when,
            name=self._compile_optional(placed, "name", syntax),
            tool_call_id=self._compile_optional(placed, "tool_call_id", syntax),
            tool_calls=tuple(
                self._compile_call(placed.child("tool_calls", index), syntax)
                for index in range(len(value.get("tool_calls", ())))
            ),
            priority=value.get("priority"),
        )

    def check_input_name(self, placed: Placed, name: str) -> str:
        """Return the name of an input; collect a problem if it is not declared."""
        if name not in self.inputs:
            hint = did_you_mean(name, self.inputs) or "declare it under 'inputs'"
            self.problems.append(placed.problem("PP301", f"{name!r} is not an input", hint))
        self._names_used.add(name)
        return name

    def _check_partials(self) -> None:
        try:
            _ = self.engine.dependencies
        except PackError as error:
            self.problems += error.problems
            from promptpack.template.engine import Engine

            self.engine = Engine({name: Source.of_text("") for name in self.partials}, self._pack_partials.limits)

    def _compile_optional(self, placed: Placed, key: str, syntax: Syntax) -> Template | None:
        return self.compile_template(placed.child(key), syntax) if key in placed.value else None

    def _compile_content(self, placed: Placed, syntax: Syntax) -> Template | tuple[PartTemplate, ...]:
        content = placed.child("content")
        if isinstance(content.value, str):
            return self.compile_template(content, syntax)
        return tuple(self._compile_part(content.child(index), syntax) for index in range(len(content.value)))

    def _compile_part(self, placed: Placed, syntax: Syntax) -> PartTemplate:
        value: Mapping[str, Any] = placed.value
        kind = next(kind for kind in ("text", "image", "audio", "file") if kind in value)
        extra = {
            key: self.compile_template(placed.child(key), syntax)
            for key in ("detail", "format", "filename")
            if key in value
        }
        when = self.compile_expression(placed.child("when")) if "when" in value else None
        return PartTemplate(kind, self.compile_template(placed.child(kind), syntax), MappingProxyType(extra), when)  # type: ignore[arg-type]

    def _compile_call(self, placed: Placed, syntax: Syntax) -> CallTemplate:
        return CallTemplate(
            self.compile_template(placed.child("id"), syntax),
            self.compile_template(placed.child("name"), syntax),
            placed.child("arguments").convert_texts(lambda text: self.compile_template(text, syntax)),
        )


class CompiledMessage(NamedTuple):
    """A message without problems, with the names, partials and nodes that it uses."""

    message: MessageTemplate
    placed: Placed
    names: frozenset[str]
    partials: set[str]
    size: int


class PackPartials:
    """Partials of one or more packs, and the engine that compiles templates which include them."""

    def __init__(self, sources: Mapping[str, Source], limits: Limits, owners: object = None) -> None:
        self.sources = sources
        self.limits = limits
        self._owners = owners
        # Templates by their place. Each holds its document, so that no other document gets the id in the key.
        self.compiled: WeakValueDictionary[CompilationKey, Any] = WeakValueDictionary()
        self._recent: deque[Template | Expression] = deque(maxlen=_RECENT_TEMPLATES)
        # Messages by their place; each holds its document, as above.
        self.messages: dict[CompilationKey, CompiledMessage] = {}

    def cache(self, key: CompilationKey, compiled: Template | Expression) -> None:
        """Cache a template for the packs that inherit it."""
        self.compiled[key] = compiled
        self._recent.append(compiled)

    def cache_message(self, key: CompilationKey, compiled: CompiledMessage) -> None:
        """Cache a message for the packs that inherit it; the oldest are dropped."""
        if len(self.messages) >= _MAX_SHARED_MESSAGES:
            self.messages.pop(next(iter(self.messages), key), None)
        self.messages[key] = compiled

    @cached_property
    def engine(self) -> Engine:
        """The Jinja engine, created on first use."""
        from promptpack.template.engine import Engine

        return Engine(self.sources, self.limits, caching=True)


class FolderPartials:
    """The partials of the packs in a folder: the shared files, and those that a pack declares or inherits."""

    def __init__(self, shared: Mapping[str, Source], limits: Limits) -> None:
        self._shared = shared
        self._limits = limits
        self._cache: WeakValueDictionary[tuple[object, ...], PackPartials] = WeakValueDictionary()
        # Keeps the last partials alive: consecutive packs often share them, though no other reference may be left.
        self._last: PackPartials | None = None

    def for_pack(self, sections: Sections) -> PackPartials:
        """Return the partials of a pack: its own, those of the packs it extends, and the shared files."""
        placed = [(name, value, syntax) for name, (value, syntax) in sections.partials.items()]
        key = tuple((name, id(value.document), value.path, syntax) for name, value, syntax in placed)
        found = self._cache.get(key)
        if found is None:
            sources = {**self._shared, **{name: value.source(syntax) for name, value, syntax in placed}}
            # Holds the documents, so that no new document gets an id that is part of the key.
            found = self._cache[key] = PackPartials(sources, self._limits, [value.document for _, value, _ in placed])
        self._last = found
        return found
