"""Compile the templates and expressions of a pack, and collect their problems to report them together."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
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
    from promptpack.template.partials import LayeredPartials

Compiled = TypeVar("Compiled", Template, Expression)
Compile = Callable[[Source, "Engine", "DeclaredNames"], Compiled]
CompilationKey = tuple[Any, ...]
PartialLayers = Sequence[Mapping[str, tuple["Placed", "Syntax"]]]

_MAX_SHARED: Final = 10_000
# Names that every template can use besides the inputs of the pack.
BUILT_IN_NAMES = ("pack", "reply_format")


class PackCompiler:
    """Compiles the texts of one pack with its inputs and partials, and collects the problems."""

    def __init__(
        self, inputs: Mapping[str, Input], partials: PackPartials, words: Callable[[], frozenset[str]] = frozenset
    ) -> None:
        """Take the inputs, the partials, and the words that only make sense in quotes, found on first use."""
        self.engine: Engine = partials.engine
        self.partials: Mapping[str, Source] = self.engine.partials
        self.problems: list[Problem] = [*self.engine.analysed.problems]
        self.inputs = inputs
        self._words = cache(words)
        self._compilations = partials.compilations
        self.used_partials: set[str] = set()
        self._names = (*inputs, *BUILT_IN_NAMES)
        self._declared: dict[tuple[str, ...], DeclaredNames] = {}
        self._nodes = self.engine.limits.nodes
        self._names_used: set[str] = set()

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
        found = self._compilations.get(key, declared, self.engine.analysed)
        if found is None:
            try:
                compiled = compile_source(placed.source(syntax), self.engine, declared)
            except PackError as error:
                self.problems += error.problems
                return None
            included = compiled.partials if isinstance(compiled, Template) else frozenset()
            found = Compilation(compiled, placed, self.engine.analysed, compiled.names, included, compiled.size)
            self._compilations.add(key, found)
        self._names_used |= found.names
        self._nodes -= found.size
        if self._nodes < 0:
            from promptpack.template.partials import too_many_nodes

            self.problems.append(too_many_nodes("templates", self.engine.limits.nodes, placed.locate()))
            return None
        return found.compiled  # type: ignore[no-any-return]

    def _declare(self, names: tuple[str, ...]) -> DeclaredNames:
        if names not in self._declared:
            from promptpack.template.compiling import DeclaredNames

            self._declared[names] = DeclaredNames(names, self._words)
        return self._declared[names]

    def compile_message(self, placed: Placed, syntax: Syntax, *, is_inherited: bool = False) -> MessageTemplate:
        """Compile one message, unless another pack that has inherited it too has done so."""
        if not is_inherited:
            return self._compile_message(placed, syntax)
        key = id(placed.document), placed.path, syntax
        found = self._compilations.get(key, self._declare(self._names), self.engine.analysed)
        if found is None or found.size > self._nodes:
            count, nodes, partials = len(self.problems), self._nodes, self.used_partials
            self._names_used, self.used_partials = set(), set()
            message = self._compile_message(placed, syntax)
            names, included = frozenset(self._names_used), frozenset(self.used_partials)
            self.used_partials |= partials
            if len(self.problems) == count and self._nodes >= 0:
                size = nodes - self._nodes
                found = Compilation(message, placed, self.engine.analysed, names, included, size)
                self._compilations.add(key, found)
            return message
        self._nodes -= found.size
        self.used_partials |= found.included
        return found.compiled  # type: ignore[no-any-return]

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


class Compilation(NamedTuple):
    """Something that compiled without problems, with what its code depends on and the nodes that it has."""

    compiled: Any
    placed: Placed
    partials: LayeredPartials
    names: frozenset[str]
    included: frozenset[str]
    size: int


class CompilationCache:
    """What the packs of a folder have compiled, by its place, for those that inherit it; the oldest are dropped."""

    def __init__(self) -> None:
        # Each entry holds its document, so that no other document gets the id that is in the key.
        self._found: OrderedDict[CompilationKey, Compilation] = OrderedDict()

    def get(self, key: CompilationKey, declared: DeclaredNames, partials: LayeredPartials) -> Compilation | None:
        """Return what was compiled for a place, if it would be the same with other names and partials."""
        found = self._found.get(key)
        is_same = found and declared.include(found.names) and partials.has_same(found.included, found.partials)
        return found if is_same else None

    def add(self, key: CompilationKey, found: Compilation) -> None:
        """Add what was compiled for a place; it cannot run if a partial of its pack is broken."""
        if found.partials.problems:
            return
        if len(self._found) >= _MAX_SHARED:
            self._found.popitem(last=False)
        self._found[key] = found


class PackPartials:
    """The partials of one or more packs, the engine of their templates, and what the packs of the folder compiled."""

    def __init__(
        self, engine: Engine, compilations: CompilationCache, layers: PartialLayers, base: PackPartials | None = None
    ) -> None:
        self.engine = engine
        self.compilations = compilations
        # So that no other mapping gets the id of one of these.
        self._layers = layers
        self._base = base


class FolderPartials:
    """The partials of the packs in a folder: the shared files, and those that a pack declares or inherits."""

    def __init__(self, shared: Mapping[str, Source], limits: Limits) -> None:
        self._shared = shared
        self._limits = limits
        self._cache: WeakValueDictionary[tuple[int, ...], PackPartials] = WeakValueDictionary()
        # Keeps the last partials alive: consecutive packs often share them, though no other reference may be left.
        self._last: PackPartials | None = None

    @cached_property
    def _of_folder(self) -> PackPartials:
        from promptpack.template.engine import Engine

        return PackPartials(Engine(self._shared, self._limits, caching=True), CompilationCache(), ())

    def for_pack(self, sections: Sections) -> PackPartials:
        """Return the partials of a pack: its own, those of the packs it extends, and the shared files."""
        self._last = found = self._find([layer for layer in sections.partials.maps if layer])
        return found

    def _find(self, layers: PartialLayers) -> PackPartials:
        """Return the partials of some layers, the top one first, over those of the folder."""
        if not layers:
            return self._of_folder
        key = tuple(map(id, layers))
        found = self._cache.get(key)
        if found is None:
            from promptpack.template.engine import Engine

            base = self._find(layers[1:])
            own = {name: placed.source(syntax) for name, (placed, syntax) in layers[0].items()}
            engine = Engine(own, self._limits, base=base.engine, caching=True)
            found = self._cache[key] = PackPartials(engine, base.compilations, layers, base)
        return found
