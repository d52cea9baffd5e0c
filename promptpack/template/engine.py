"""The `Engine`: one narrowed Jinja environment and the partials its templates may include."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from types import CodeType, MappingProxyType
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from jinja2 import BaseLoader, Environment, TemplateNotFound, TemplateSyntaxError, nodes
from jinja2 import Template as JinjaTemplate
from jinja2.parser import Parser

from promptpack.lazy import cached_property
from promptpack.problem import PackError, Problem
from promptpack.template import policy
from promptpack.template.codegen import METHOD
from promptpack.template.failure import syntax_problem
from promptpack.template.includes import DEEPEST_VISIT, MOST_VISITS, TooManyIncludesError, find_cycles
from promptpack.template.language import PRINTED_BY
from promptpack.template.limits import Limits
from promptpack.template.loops import number_loops
from promptpack.template.memoizable import Memoizer
from promptpack.template.model import UNPLACED, Source
from promptpack.template.names import NeedsFinder
from promptpack.template.partials import PackTemplate
from promptpack.template.positions import TooManyTokensError, decode
from promptpack.template.sandbox import PackEnvironment
from promptpack.template.steps import count_work
from promptpack.template.tree import copied, descendants

if TYPE_CHECKING:
    from promptpack.template.expression_codegen import Condition

_DEFAULT = Limits()
# What a template that is all brackets or all digits makes Python raise.
_PARSE_ERRORS = (RecursionError, ValueError, OverflowError)


class Engine:
    """Immutable after it is made; everything compiled with it may be shared between threads."""

    def __init__(
        self,
        partials: Mapping[str, Source] | None = None,
        limits: Limits = _DEFAULT,
        *,
        dynamic_partials: bool = False,
        caching: bool = False,
    ) -> None:
        self.limits = limits
        self.partials: Mapping[str, Source] = MappingProxyType(dict(partials or {}))
        # Whether templates may name partials that are not known yet; a render looks for them.
        self.dynamic_partials = dynamic_partials
        # Whether templates use the render cache; partials do not, because their names may mean anything.
        self._is_caching = caching
        # Templates without code hold their trees.
        self._written: WeakValueDictionary[tuple[str, str, str], nodes.Template] = WeakValueDictionary()
        self._trees: WeakValueDictionary[tuple[str, str, str], nodes.Template] = WeakValueDictionary()
        self.environment = PackEnvironment(_PartialLoader(self), limits.tokens)

    @cached_property
    def partial_trees(self) -> Mapping[str, nodes.Template]:
        """The partials as syntax trees; raises every problem in them at once."""
        trees: dict[str, nodes.Template] = {}
        problems: list[Problem] = []
        for name, source in self.partials.items():
            try:
                trees[name] = self.parse(source)
            except PackError as error:
                problems += error.problems
        if problems:
            raise PackError(problems)
        self._refuse_cycles(trees)
        return MappingProxyType(trees)

    @cached_property
    def needs(self) -> NeedsFinder:
        """Finds the names that templates take from outside; raises a problem of partials that nest too deep."""
        try:
            return NeedsFinder(self.partial_trees)
        except TooManyIncludesError as error:
            place = self.partials[error.partial].locate(1, 1)
            message = f"more than {MOST_VISITS:,} partials, or they include each other deeper than {DEEPEST_VISIT}"
            raise PackError(Problem("PP324", message, place, "use fewer partials")) from error

    @cached_property
    def _memoizer(self) -> Memoizer:
        return Memoizer(self.partial_trees, self.needs)

    def read(self, source: Source) -> nodes.Template:
        """Read a template into the syntax tree that the author wrote, to be looked at, not run."""
        name = ("template", source.syntax, source.text)
        tree = self._written.get(name)
        if tree is None:
            self._refuse_large(source)
            with _translated(source, self.limits):
                tree = self._written[name] = self._read(source)
        return tree

    def read_expression(self, source: Source) -> nodes.Template:
        """Read an expression into a tree that assigns its value to `result`, to be looked at, not run."""
        name = ("expression", source.syntax, source.text)
        known = self._written.get(name)
        if known is not None:
            return known
        self._refuse_large(source)
        with _translated(source, self.limits):
            parser = Parser(self.environment, source.text, state="variable")
            expression = parser.parse_expression()
            _expect_end(parser)
        target = nodes.Name("result", "store", lineno=expression.lineno)
        tree = self._written[name] = nodes.Template(
            [nodes.Assign(target, expression, lineno=expression.lineno)], lineno=1
        )
        return tree

    def parse(self, source: Source) -> nodes.Template:
        """Read a template into a syntax tree that meets the policy and can be run."""
        return self._parsed(source, self.read)

    def parse_expression(self, source: Source) -> nodes.Template:
        """Read an expression into a tree that meets the policy and can be run."""
        return self._parsed(source, self.read_expression)

    def _parsed(self, source: Source, read: Callable[[Source], nodes.Template]) -> nodes.Template:
        name = (read.__name__, source.syntax, source.text)
        tree = self._trees.get(name)
        if tree is None:
            written = read(source)
            with _translated(source, self.limits):
                tree = self._trees[name] = self._accept(copied(written), source)
            # Whoever looks at the one is likely to look at the other.
            tree.written = written  # type: ignore[attr-defined]
        return tree

    def load(self, tree: nodes.Template, source: Source, name: str | None = None) -> PackTemplate:
        """Make code of a tree."""
        written = self._memoizer.mark(tree) if self._is_caching and name is None else tree
        return self._load(lambda: self.environment.compile(written, name=name, filename=UNPLACED), source)

    def load_expression(self, tree: nodes.Template, source: Source) -> PackTemplate:
        """Compile an expression to a function of the values that returns the result."""
        from promptpack.template.expression_codegen import write_expression

        return self._load(lambda: compile(write_expression(tree, self.environment), UNPLACED, "exec"), source)

    def load_conditions(self, conditions: "Sequence[Condition]", source: Source) -> PackTemplate:
        """Compile conditions to a function of the values; see `write_conditions`."""
        from promptpack.template.expression_codegen import write_conditions

        return self._load(lambda: compile(write_conditions(conditions, self.environment), UNPLACED, "exec"), source)

    def _load(self, compile_tree: Callable[[], CodeType], source: Source) -> PackTemplate:
        try:
            code = compile_tree()
        except TemplateSyntaxError as error:
            raise PackError(syntax_problem(error, source)) from error
        except (SyntaxError, MemoryError, *_PARSE_ERRORS) as error:
            raise PackError(_too_much(error, source)) from error
        template: Any = PackTemplate.from_code(self.environment, code, self.environment.globals)
        template.source = source
        return template  # type: ignore[no-any-return]

    def _refuse_large(self, source: Source) -> None:
        if len(source.text) > self.limits.source:
            message = f"template is longer than {self.limits.source:,} characters"
            raise PackError(Problem("PP320", message, source.locate(1, 1), "split it into partials"))
        if source.syntax == "handlebars" and source.text.count("{{") * 3 > self.limits.tokens:
            raise PackError(_too_many_tokens(source, self.limits))

    def _read(self, source: Source) -> nodes.Template:
        if source.syntax == "handlebars":
            from promptpack.template import handlebars

            return handlebars.parse(source)
        # Not `Parser.parse`, which also sets the environment of every node; `_accept` does so for its copy.
        return nodes.Template(Parser(self.environment, source.text).subparse(), lineno=1)

    def _accept(self, tree: nodes.Template, source: Source) -> nodes.Template:
        found = descendants(tree)
        _tell_methods_from_keys(found)
        problems = policy.check(found, source, None if self.dynamic_partials else self.partials)
        if problems:
            raise PackError(problems)
        if source.syntax == "jinja" and any(isinstance(node, nodes.For) for node in found):
            _give_loop_to_partials(tree)
            number_loops(tree)
        _print_readably(found)
        count_work(tree, found)
        for node in (tree, *descendants(tree)):
            node.environment = self.environment
        return tree

    def _refuse_cycles(self, trees: dict[str, nodes.Template]) -> None:
        problems = [
            Problem(
                "PP310",
                f"partial {name!r} includes itself, directly or through others",
                self.partials[name].locate(*decode(tag.lineno)),
                "break the circle",
            )
            for name, tag in find_cycles(trees)
        ]
        if problems:
            raise PackError(problems)


@cache
def default_engine() -> Engine:
    """The engine without partials, made on first use."""
    return Engine()


@cache
def dynamic_engine() -> Engine:
    """The engine for templates whose partials are found by the render."""
    return Engine(dynamic_partials=True)


class _PartialLoader(BaseLoader):
    """Finds the pack's own partials, and nothing else."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def load(self, environment: Environment, name: str, globals: Any = None) -> JinjaTemplate:  # noqa: A002, ARG002
        tree = self._engine.partial_trees.get(name)
        if tree is None:
            raise TemplateNotFound(name)
        return self._engine.load(tree, self._engine.partials[name], name)


def _too_many_tokens(source: Source, limits: Limits) -> Problem:
    message = f"template has more than {limits.tokens:,} tokens"
    return Problem("PP321", message, source.locate(1, 1), "split it into partials")


@contextmanager
def _translated(source: Source, limits: Limits) -> Iterator[None]:
    try:
        yield
    except TemplateSyntaxError as error:
        raise PackError(syntax_problem(error, source)) from error
    except SyntaxError as error:
        # Jinja takes the digits of every script for those of a number, Python does not.
        raise PackError(Problem("PP302", "template syntax: a number cannot be read", source.locate(1, 1))) from error
    except TooManyTokensError as error:
        raise PackError(_too_many_tokens(source, limits)) from error
    except _PARSE_ERRORS as error:
        raise PackError(_too_much(error, source)) from error


def _too_much(error: Exception, source: Source) -> Problem:
    if isinstance(error, ValueError):
        return Problem("PP322", "template has a number that is too long", source.locate(1, 1))
    return Problem("PP309", "template nests too deeply", source.locate(1, 1))


def _expect_end(parser: Parser) -> None:
    if not parser.stream.eos:
        raise TemplateSyntaxError("more follows after the expression", parser.stream.current.lineno)


def _tell_methods_from_keys(tree: Iterable[nodes.Node]) -> None:
    for call in tree:
        if isinstance(call, nodes.Call) and isinstance(call.node, nodes.Getattr):
            call.node.ctx = METHOD


def _give_loop_to_partials(tree: nodes.Template) -> None:
    """Mention `loop` in loops that include: Jinja makes it only where it is mentioned, and a partial may use it."""
    for loop in tree.find_all(nodes.For):
        if loop.find(nodes.Include) is not None:
            loop.body.append(nodes.ExprStmt(nodes.Name("loop", "load", lineno=loop.lineno), lineno=loop.lineno))


def _print_readably(tree: Iterable[nodes.Node]) -> None:
    for output in tree:
        if isinstance(output, nodes.Output):
            output.nodes = [readable(child) for child in output.nodes]


def readable(child: nodes.Expr) -> nodes.Expr:
    """Give what is printed for an expression: some inputs have a filter of their own."""
    if isinstance(child, nodes.Name) and child.name in PRINTED_BY:
        return nodes.Filter(child, PRINTED_BY[child.name], [], [], None, None, lineno=child.lineno)
    return child
