"""The engine with tracing: compiles the trees of an engine once more, to templates that return `TracedText`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count
from types import CodeType
from typing import Any, ClassVar, Final, NamedTuple

from jinja2 import nodes

from promptpack.problem import Location
from promptpack.template.compiling import NO_INCLUDES, make_runner
from promptpack.template.engine import Engine, PartialLoader, finish
from promptpack.template.model import UNPLACED, Source, Template
from promptpack.template.positions import decode
from promptpack.template.runtime import CompiledTree, Included, IncludeStack, PackContext, PackTemplate
from promptpack.template.sandbox import PackEnvironment
from promptpack.template.tracing.generator import TracingGenerator
from promptpack.template.tracing.reads import Analyser, Analysis, Reads
from promptpack.template.tracing.traced_text import TracedRun, TracedText, join
from promptpack.template.tree import copy_tree, descendants

_CAPTURING: Final = (nodes.FilterBlock, nodes.CallBlock)
Sites = tuple[tuple[int, str], ...]


class TracedPiece(NamedTuple):
    """A printed piece: its number in the code, and the includes that the render was inside."""

    number: int
    sites: Sites


class PieceOrigin(NamedTuple):
    """The origin of a printed text: its place, the partials around it, and what an expression reads."""

    location: Location
    partials: tuple[str, ...]
    reads: Reads | None
    """None for the text of the template itself."""


class TracingEnvironment(PackEnvironment):
    """The environment of traced templates."""

    code_generator_class: ClassVar[type[TracingGenerator]] = TracingGenerator  # type: ignore[misc]  # as in Jinja

    @staticmethod
    def trace(number: int, text: str, context: PackContext) -> TracedText:
        """Mark a piece with its number."""
        return TracedText.of(text, TracedPiece(number, context.include_stack.sites))

    def include_at(self, context: PackContext, names: str | list[str], number: int) -> Included:
        """Find a partial to include, and pass it the number of the include."""
        found = self.include(context, names)
        sites = (*context.include_stack.sites, (number, str(found.code.name)))
        return found._replace(include_stack=found.include_stack._replace(sites=sites))


class TracingEngine(Engine):
    """Traces templates that another engine has compiled; create one for each explanation."""

    def __init__(self, engine: Engine) -> None:
        super().__init__({}, engine.limits, base=engine)
        self.environment: PackEnvironment = TracingEnvironment(PartialLoader(self), engine.limits.tokens)
        self._numbers = count()
        self._nodes: dict[int, tuple[nodes.Node, str | None]] = {}
        self._numbered: dict[tuple[str | None, str, str], tuple[nodes.Template, CompiledTree]] = {}

    def trace(self, template: Template) -> Template:
        """Return a template that renders the same text as `TracedText` whose origins are `PieceOrigin`."""
        source = template.source
        code = self.load(self.prepare(source), source)
        analysis = Analyser(self).analyse(self._tree(source, None))

        def run(code: PackTemplate, context: Mapping[str, Any], include_stack: IncludeStack | None) -> TracedText:
            pieces = join(code.root_render_func(code.start_context(context, include_stack or NO_INCLUDES)))
            return TracedText(pieces, _Resolver(self, source, analysis).resolve(pieces))

        return replace(template, _load=lambda: code, _run=make_runner(lambda: code, self.limits, run))

    def load(self, tree: nodes.Template, source: Source, name: str | None = None) -> PackTemplate:
        """Compile a prepared tree with numbers; nothing is inlined, cached or merged."""
        key = name, source.syntax, source.text
        if key not in self._numbered:
            numbered = finish(copy_tree(tree), source)
            self._add_numbers(numbered, name)
            code: CodeType = self.environment.compile(numbered, name=name, filename=UNPLACED)
            self._numbered[key] = numbered, CompiledTree(code)
        return self._create(self._numbered[key][1], source)

    def find_partial(self, name: str) -> nodes.Template | None:
        """Return the tree of a partial with the numbers of its pieces."""
        source = self.partials.get(name)
        if source is None:
            return None
        self.load(self.partial_trees[name], source, name)
        return self._tree(source, name)

    def find_node(self, number: int) -> tuple[nodes.Node, str | None]:
        """Return the node of a number, and the partial that contains it."""
        return self._nodes[number]

    def _tree(self, source: Source, name: str | None) -> nodes.Template:
        return self._numbered[name, source.syntax, source.text][0]

    def _add_numbers(self, tree: nodes.Template, name: str | None) -> None:
        for node in descendants(tree):
            numbered = node.nodes if isinstance(node, nodes.Output) else [node]
            for one in numbered if isinstance(node, (nodes.Output, nodes.Include, *_CAPTURING)) else ():
                one.number = number = next(self._numbers)  # type: ignore[attr-defined]  # for `TracingGenerator`
                self._nodes[number] = one, name


class _Resolver:
    """Finds the origins of the pieces of one render."""

    def __init__(self, engine: TracingEngine, source: Source, analysis: Analysis) -> None:
        self._engine = engine
        self._source = source
        self._analysis = analysis
        self._cache: dict[TracedPiece, tuple[PieceOrigin, ...]] = {}

    def resolve(self, text: TracedText) -> Iterator[TracedRun]:
        """Yield the runs of a text with their origins; the lines of a template have one each."""
        for piece, origin in text.pieces():
            if origin not in self._cache:
                self._cache[origin] = tuple(self._find(origin))
            found = self._cache[origin]
            lines = piece.split("\n") if len(found) > 1 else [piece]
            for index, (line, printed) in enumerate(zip(lines, found, strict=True)):
                yield len(line) + (index < len(found) - 1), printed

    def _find(self, piece: TracedPiece) -> Iterator[PieceOrigin]:
        node, owner = self._engine.find_node(piece.number)
        source = self._source if owner is None else self._engine.partials[owner]
        names = tuple(name for _, name in piece.sites)
        partials = names if owner is None or owner in names[-1:] else (*names, owner)
        if isinstance(node, nodes.TemplateData):
            line, column = decode(node.lineno)
            for index in range(node.data.count("\n") + 1):
                yield PieceOrigin(source.locate(line + index, 1 if index else column), partials, None)
            return
        position = min(one.lineno for one in descendants(node) if one.lineno)
        yield PieceOrigin(source.locate(*decode(position)), partials, self._reads(piece))

    def _reads(self, piece: TracedPiece) -> Reads:
        analysis = self._analysis
        for number, name in piece.sites:
            analysis = analysis.sites[number][name]
        return analysis.pieces[piece.number]
