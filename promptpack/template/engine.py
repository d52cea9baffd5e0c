"""The `Engine`: one narrowed Jinja environment and the partials its templates may include."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from types import CodeType
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakValueDictionary

from jinja2 import BaseLoader, Environment, TemplateNotFound, TemplateSyntaxError, nodes
from jinja2 import Template as JinjaTemplate
from jinja2.lexer import newline_re
from jinja2.parser import Parser

from promptpack.lazy import cached_property
from promptpack.problem import PackError, Problem
from promptpack.template import policy
from promptpack.template.codegen import METHOD
from promptpack.template.failure import syntax_problem
from promptpack.template.includes import LOADING, Inliner
from promptpack.template.language import READABLE_FILTERS
from promptpack.template.loops import add_counters
from promptpack.template.meter import insert_step_counts
from promptpack.template.model import UNPLACED, Limits, Source
from promptpack.template.names import DependencyFinder
from promptpack.template.partials import LayeredPartials, TreeReader
from promptpack.template.positions import TooManyTokensError, UnnormalizedNameError, decode
from promptpack.template.runtime import CompiledTree, PackTemplate
from promptpack.template.sandbox import PackEnvironment
from promptpack.template.tree import constant_text, constant_tree, copy_tree, descendants, is_always_compilable, levels

if TYPE_CHECKING:
    from promptpack.template.expression_codegen import Condition, ExpressionGenerator

_DEFAULT = Limits()
# The characters of the texts whose trees are kept; a character takes up to about 300 bytes in a tree.
_RECENT_TEXT = 100_000
# Of a tree; Python compiles fewer than 200 nested brackets, and the levels of Handlebars have a limit of their own.
_MAX_LEVELS = 128
# Python raises these for deeply nested brackets and for very long numbers.
_PARSE_ERRORS = (RecursionError, ValueError, OverflowError)


class RecentTrees:
    """Trees by their text while they are used, and the last ones: for a render that follows the build of its pack."""

    def __init__(self) -> None:
        self._trees: WeakValueDictionary[tuple[str, str, str], nodes.Template] = WeakValueDictionary()
        self._recent: deque[tuple[nodes.Template, int]] = deque()
        self._length = 0

    def get(self, key: tuple[str, str, str]) -> nodes.Template | None:
        """Return the tree of a text."""
        return self._trees.get(key)

    def keep(self, key: tuple[str, str, str], tree: nodes.Template) -> None:
        """Add a tree; its key ends with its text."""
        self._trees[key] = tree
        self._recent.append((tree, len(key[-1])))
        self._length += len(key[-1])
        while self._length > _RECENT_TEXT and len(self._recent) > 1:
            self._length -= self._recent.popleft()[1]


class Engine:
    """Immutable once created; templates compiled with it may be shared between threads."""

    def __init__(
        self,
        partials: Mapping[str, Source] | None = None,
        limits: Limits = _DEFAULT,
        *,
        base: "Engine | None" = None,
        dynamic_partials: bool = False,
        caching: bool = False,
    ) -> None:
        """Take partials, and the engine of those that other packs include too."""
        self.limits = limits
        reader = TreeReader(self._parse_partial, lambda tree, source: self._check(tree, source, None))
        below = base.analysed if base else None
        self.analysed: LayeredPartials = LayeredPartials(partials or {}, reader, limits, below)
        self.partials: Mapping[str, Source] = self.analysed.sources
        # Whether templates may name partials that do not exist yet; they are looked up while rendering.
        self.dynamic_partials = dynamic_partials
        # Whether templates use the render cache; partials do not, because the includer may set any of their names.
        self._is_caching = caching
        self._trees: RecentTrees = base._trees if base else RecentTrees()
        self._codes: WeakValueDictionary[tuple[str | None, str, str], CompiledTree] = WeakValueDictionary()
        self.environment: PackEnvironment = PackEnvironment(PartialLoader(self), limits.tokens)

    @property
    def partial_trees(self) -> Mapping[str, nodes.Template]:
        """The prepared trees of the partials; raises all problems of all partials together."""
        if self.analysed.problems:
            raise PackError(self.analysed.problems)
        return self.analysed.trees

    @property
    def dependencies(self) -> DependencyFinder:
        """Finds the names and partials that templates depend on."""
        return self.analysed.dependencies

    @cached_property
    def _inliner(self) -> Inliner:
        return Inliner(self.partial_trees, self.partials, self.analysed.memoizer.is_pure)

    def parse(self, source: Source) -> nodes.Template:
        """Return the syntax tree that the author wrote, for tools that analyse it."""
        return self._cached("template", source, self._parse)

    def parse_expression(self, source: Source) -> nodes.Template:
        """Return the tree of an expression that the author wrote; it assigns the value to `result`."""
        return self._cached("expression", source, self._parse_expression)

    def prepare(self, source: Source) -> nodes.Template:
        """Return the tree of a template, checked against the policy; the one to run is a copy."""
        return self._prepare(self.parse(source), source)

    def prepare_expression(self, source: Source) -> nodes.Template:
        """Return the tree of an expression that is checked against the policy."""
        return self._prepare(self.parse_expression(source), source)

    def _cached(
        self, what: Literal["template", "expression"], source: Source, parse: Callable[[Source], nodes.Template]
    ) -> nodes.Template:
        key = what, source.syntax, source.text
        tree = self._trees.get(key)
        if tree is None:
            self._refuse_large(source)
            with _translate_errors(source, self.limits, is_expression=what == "expression"):
                tree = parse(source)
            self._trees.keep(key, tree)
        return tree

    def load(self, tree: nodes.Template, source: Source, name: str | None = None) -> PackTemplate:
        """Compile a prepared tree; `name` is that of a partial. Templates with the same text share their code."""
        text = constant_text(tree)
        if text is not None:
            return PackTemplate.of_constant(text, self.environment, source)
        key = name, source.syntax, source.text
        compiled = self._codes.get(key)
        if compiled is None:
            compiled = self._codes[key] = self._compile(tree, source, name)
        return self._create(compiled, source)

    def _compile(self, tree: nodes.Template, source: Source, name: str | None) -> CompiledTree:
        placed = copy_tree(tree)
        inlined: Sequence[Source] = ()
        if name is None and not self.dynamic_partials and tree.find(nodes.Include) is not None:
            placed, inlined = self._inliner.inline(placed, source)

        def compile_tree() -> CodeType:
            finished = finish(placed, source)
            wrapped = self.analysed.memoizer.wrap(finished) if self._is_caching and name is None else finished
            return self.environment.compile(wrapped, name=name, filename=UNPLACED)

        return CompiledTree(_translate(compile_tree, source), tuple(inlined))

    def load_expression(self, tree: nodes.Template, source: Source) -> PackTemplate:
        """Compile an expression to a function of the values that returns the result."""
        return self._load_function(lambda generator: generator.write_expression(tree), source)

    def load_conditions(self, conditions: "Sequence[Condition]", source: Source) -> PackTemplate:
        """Compile conditions to a function of the values; see `ExpressionGenerator.write_conditions`."""
        return self._load_function(lambda generator: generator.write_conditions(conditions), source)

    def _load_function(self, write: "Callable[[ExpressionGenerator], None]", source: Source) -> PackTemplate:
        from promptpack.template.expression_codegen import generate

        code = _translate(lambda: compile(generate(self.environment, write), UNPLACED, "exec"), source)
        return self._create(CompiledTree(code), source)

    def _create(self, compiled: CompiledTree, source: Source) -> PackTemplate:
        template: Any = PackTemplate.from_code(self.environment, compiled.code, self.environment.globals)
        template.compiled, template.source = compiled, source.followed_by(compiled.inlined)
        return template  # type: ignore[no-any-return]

    def _refuse_large(self, source: Source) -> None:
        if len(source.text) > self.limits.source:
            message = f"template is longer than {self.limits.source:,} characters"
            raise PackError(Problem("PP320", message, source.locate(1, 1), "split it into partials"))
        if source.syntax == "handlebars" and source.text.count("{{") * 3 > self.limits.tokens:
            raise PackError(_too_many_tokens(source, self.limits))

    def _parse(self, source: Source) -> nodes.Template:
        if source.syntax == "handlebars":
            from promptpack.template import handlebars

            return handlebars.parse(source)
        if "{" not in source.text:
            # Most messages of a long pack: creating Jinja's lexer and parser would take longer than the rest.
            return constant_tree("\n".join(newline_re.split(source.text)[::2]))
        # Not `Parser.parse`, which also sets the environment of every node: compiling does not need it.
        return nodes.Template(Parser(self.environment, source.text).subparse(), lineno=1)

    def _parse_expression(self, source: Source) -> nodes.Template:
        parser = Parser(self.environment, source.text, state="variable")
        expression = parser.parse_expression()
        _expect_end(parser)
        target = nodes.Name("result", "store", lineno=expression.lineno)
        return nodes.Template([nodes.Assign(target, expression, lineno=expression.lineno)], lineno=1)

    def _parse_partial(self, source: Source) -> nodes.Template:
        return _measure(self.parse(source), source)

    def _prepare(self, tree: nodes.Template, source: Source) -> nodes.Template:
        self._check(_measure(tree, source), source, None if self.dynamic_partials else self.analysed.names)
        return tree

    def _check(self, tree: Any, source: Source, partials: policy.PartialNames | None) -> None:
        """Raise if a measured tree breaks the policy; another engine may have checked all but the partials."""
        problems = policy.check(tree.loading if tree.is_allowed else descendants(tree), source, partials)
        if problems:
            raise PackError(problems)
        tree.is_allowed = True


@cache
def dynamic_engine() -> Engine:
    """Return the engine for templates whose partials are looked up while rendering."""
    return Engine(dynamic_partials=True)


class PartialLoader(BaseLoader):
    """Loads the partials of the engine, and nothing else."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def load(self, environment: Environment, name: str, globals: Any = None) -> JinjaTemplate:  # noqa: A002, ARG002
        """Return the compiled partial."""
        tree = self._engine.partial_trees.get(name)
        if tree is None:
            raise TemplateNotFound(name)
        return self._engine.load(tree, self._engine.partials[name], name)


def _too_many_tokens(source: Source, limits: Limits) -> Problem:
    message = f"template has more than {limits.tokens:,} tokens"
    return Problem("PP321", message, source.locate(1, 1), "split it into partials")


@contextmanager
def _translate_errors(source: Source, limits: Limits, *, is_expression: bool) -> Iterator[None]:
    try:
        yield
    except TemplateSyntaxError as error:
        raise PackError(syntax_problem(error, source, is_expression=is_expression)) from error
    except SyntaxError as error:
        # Jinja accepts the digits of every script in a number, Python does not.
        hint = "write numbers with the digits 0 to 9"
        raise PackError(
            Problem("PP302", "template syntax: invalid digit in a number", source.locate(1, 1), hint)
        ) from error
    except TooManyTokensError as error:
        raise PackError(_too_many_tokens(source, limits)) from error
    except UnnormalizedNameError as error:
        raise PackError(Problem("PP325", str(error), source.locate(*decode(error.position)), error.hint)) from error
    except _PARSE_ERRORS as error:
        raise PackError(_complexity_problem(error, source)) from error


def _translate(compile_tree: Callable[[], CodeType], source: Source) -> CodeType:
    try:
        return compile_tree()
    except TemplateSyntaxError as error:
        raise PackError(syntax_problem(error, source)) from error
    except (SyntaxError, MemoryError, *_PARSE_ERRORS) as error:
        raise PackError(_complexity_problem(error, source)) from error


def _complexity_problem(error: Exception, source: Source) -> Problem:
    if isinstance(error, ValueError):
        return Problem("PP322", "template has a number that is too long", source.locate(1, 1), policy.NUMBER_HINT)
    return Problem("PP309", "template is nested too deeply", source.locate(1, 1), "move the inner part into a partial")


def _nesting_problem(tree: nodes.Template, source: Source) -> Problem:
    statement = next(node for node in tree.body if len(levels(node)) >= _MAX_LEVELS)
    # Jinja's own position of a long expression is its end.
    position = min(node.lineno for node in descendants(statement) if node.lineno is not None)
    message = f"template is nested more than {_MAX_LEVELS} levels deep"
    return Problem("PP309", message, source.locate(*decode(position)), "split the expression, or use a partial")


def _measure(tree: Any, source: Source) -> nodes.Template:
    """Set what compiling needs to know about a tree, once; raise if it is nested too deeply."""
    if not hasattr(tree, "size"):
        found = levels(tree)
        if len(found) > _MAX_LEVELS:
            raise PackError(_nesting_problem(tree, source))
        every = [node for level in found for node in level]
        _mark_methods(every)
        tree.is_lazy, tree.is_allowed = is_always_compilable(found), False
        tree.loading = [node for node in every if isinstance(node, LOADING)]
        tree.size = 0 if constant_text(tree) is not None else len(every)
    return tree  # type: ignore[no-any-return]


def _expect_end(parser: Parser) -> None:
    if not parser.stream.eos:
        raise TemplateSyntaxError("unexpected text after the expression", parser.stream.current.lineno)


def _mark_methods(tree: Iterable[nodes.Node]) -> None:
    for call in tree:
        if isinstance(call, nodes.Call) and isinstance(call.node, nodes.Getattr):
            call.node.ctx = METHOD


def finish(tree: nodes.Template, source: Source) -> nodes.Template:
    """Change a tree to the one to run: with the loops that it needs, readable inputs and counts of steps."""
    found = descendants(tree)
    if source.syntax == "jinja" and any(isinstance(node, nodes.For) for node in found):
        _provide_loop_to_partials(tree)
        add_counters(tree)
    _apply_readable_filters(found)
    insert_step_counts(found)
    return tree


def _provide_loop_to_partials(tree: nodes.Template) -> None:
    """Use `loop` in loops that include a partial, which may need it: Jinja creates it only where it is used."""
    for loop in tree.find_all(nodes.For):
        if loop.find(nodes.Include) is not None:
            loop.body.append(nodes.ExprStmt(nodes.Name("loop", "load", lineno=loop.lineno), lineno=loop.lineno))


def _apply_readable_filters(tree: Iterable[nodes.Node]) -> None:
    for output in tree:
        if isinstance(output, nodes.Output):
            output.nodes = [apply_readable_filter(child) for child in output.nodes]


def apply_readable_filter(child: nodes.Expr) -> nodes.Expr:
    """Return the expression to print: with a filter if it is an input that has a readable form."""
    if isinstance(child, nodes.Name) and child.name in READABLE_FILTERS:
        return nodes.Filter(child, READABLE_FILTERS[child.name], [], [], None, None, lineno=child.lineno)
    return child
