"""`Source` -> `Template` or `Expression`: parse it, check it against the policy, check its names, compile it."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final, TypeVar

from jinja2 import nodes
from jinja2.runtime import Undefined

from promptpack.problem import ContextError, PackError, Problem, did_you_mean, nearest
from promptpack.template.engine import Engine
from promptpack.template.failure import RENDER_ERRORS, locate_error, render_error
from promptpack.template.hints import hint_for_call, hint_for_name
from promptpack.template.language import FUNCTIONS
from promptpack.template.meter import meter, metered
from promptpack.template.model import Expression, Limits, Source, Template
from promptpack.template.names import Dependencies, LocalNames, NameUse, find_local_names
from promptpack.template.positions import decode
from promptpack.template.runtime import IncludeStack, PackTemplate

T = TypeVar("T")

NO_INCLUDES: Final = IncludeStack()
"""The include stack of a template that is rendered directly."""
_CONSTANTS = ("true", "false", "none")
_REPLY_FIELDS = ("action", "params", "thought", "confidence", "risk")
# Unknown filters, tests and partials.
_TYPO_CODES = ("PP303", "PP304", "PP305")
_MAX_COMPARISONS = 50_000
_DECLARE = "declare it under 'inputs'"
_DECLARE_OR_SET = f"{_DECLARE}, or set it in the template before this line"


def _find_misspelled_imports(tree: nodes.Template, source: Source, engine: Engine) -> dict[str, Problem]:
    """Return the problems of imported names that a partial does not define, by the names that they misspell."""
    found: dict[str, Problem] = {}
    for node in tree.find_all(nodes.FromImport):
        partial = str(node.template.value) if isinstance(node.template, nodes.Const) else ""
        if partial in engine.partials:
            defined = find_local_names(engine.parse(engine.partials[partial])).values
            for entry in node.names:
                name = entry if isinstance(entry, str) else entry[0]
                near = nearest(name, defined) if name not in defined else None
                if near is not None:
                    message = f"partial {partial!r} does not define {name!r}"
                    place = source.locate_word(node.lineno, name)
                    found[near] = Problem("PP301", message, place, f"did you mean {near!r}?")
    return found


class DeclaredNames:
    """The names that the templates of a pack may use; each undeclared name in a partial is reported once."""

    def __init__(self, names: Iterable[str], words: Callable[[], Collection[str]] = tuple) -> None:
        """Take the names, and a function that returns words which only make sense in quotes, such as actions."""
        self._names = dict.fromkeys(names)
        self._words = words
        self._in_partials: dict[str, frozenset[str]] = {}
        self._hints: dict[tuple[str, tuple[str, ...]], str] = {}
        self._comparisons = _MAX_COMPARISONS

    def include(self, names: frozenset[str]) -> bool:
        """Return whether all names are declared."""
        return names <= self._names.keys()

    def check(
        self, dependencies: Dependencies, source: Source, engine: Engine, *, is_expression: bool
    ) -> list[Problem]:
        """Return the problems of the undeclared names that a template uses."""
        unknown = dependencies.names.difference(self._names)
        uses = dependencies.find_unset_uses(unknown, self._in_partials) if unknown else ()
        local_names: dict[str | None, LocalNames] = {}
        misspelled: dict[str | None, dict[str, Problem]] = {}
        problems: dict[Problem, None] = {}
        for use in uses:
            home = engine.partials[use.partial] if use.partial else source
            if use.partial not in local_names:
                parse = engine.parse_expression if is_expression and not use.partial else engine.parse
                tree = parse(home)
                local_names[use.partial] = find_local_names(tree)
                misspelled[use.partial] = _find_misspelled_imports(tree, home, engine)
            if use.name in misspelled[use.partial]:
                problems[misspelled[use.partial][use.name]] = None
                continue
            hint = self._hint(use, local_names[use.partial], home.syntax, is_expression=is_expression)
            place = home.locate(*decode(use.position))
            problems[Problem("PP301", f"template uses undeclared input {use.name!r}", place, hint)] = None
        return list(problems)

    def _hint(self, use: NameUse, local: LocalNames, syntax: str, *, is_expression: bool) -> str:
        is_jinja = syntax == "jinja"
        if is_jinja and use.name in self._words():
            return f'write it in quotes: "{use.name}"'
        if is_jinja and use.name in local.values:
            return f"{use.name!r} has a value only inside its loop, macro or block"
        is_called = is_jinja and (use.name, use.position) in local.calls
        if is_called:
            similar = self._find_similar(use.name, (*local.callables, *FUNCTIONS))
        else:
            others = (*_CONSTANTS, *local.values) if is_jinja else ()
            # Inputs are in capitals, as a rule, and local names are not.
            likely = tuple(self._names) if use.name.isupper() else local.values if is_jinja else ()
            similar = self._find_similar(use.name, likely)
            similar = similar or self._find_similar(use.name, (*self._names, *others))
            if is_expression and not similar and use.name in _REPLY_FIELDS and "reply" in self._names:
                similar = f"did you mean 'reply.{use.name}'?"
        hint = hint_for_name(use.name, syntax) or similar or (hint_for_call() if is_called else "")
        return hint or (_DECLARE_OR_SET if is_jinja and not is_expression else _DECLARE)

    def _find_similar(self, name: str, known: tuple[str, ...]) -> str:
        if (name, known) not in self._hints:
            self._comparisons -= len(known) * (1 + len(name) // 16)
            # This many unknown names are not misspellings.
            self._hints[name, known] = did_you_mean(name, known) if self._comparisons >= 0 else ""
        return self._hints[name, known]


Known = Collection[str] | DeclaredNames | None
"""The names that a template may use; None to check names only while rendering."""


def compile(source: Source, engine: Engine, known: Known = None) -> Template:  # noqa: A001
    """Compile a template."""
    tree, dependencies = _prepare(source, engine, known)
    load = _make_loader(tree, source, engine.prepare, engine.load)
    run = make_runner(load, engine.limits, _render)
    return Template(source, dependencies.names, dependencies.partials, tree.size, load, run)  # type: ignore[attr-defined]


def compile_expression(source: Source, engine: Engine, known: Known = None) -> Expression:
    """Compile an expression, as in `when` and `require`."""
    tree, dependencies = _prepare(source, engine, known, is_expression=True)
    load = _make_loader(tree, source, engine.prepare_expression, engine.load_expression)
    run = make_runner(load, engine.limits, _evaluate)
    return Expression(source, dependencies.names, tree.size, engine, load, run)  # type: ignore[attr-defined]


def _prepare(
    source: Source, engine: Engine, known: Known, *, is_expression: bool = False
) -> tuple[nodes.Template, Dependencies]:
    """Return the tree to run and its dependencies; report typos in filters, tests and partials together with names."""
    declared = known if known is None or isinstance(known, DeclaredNames) else DeclaredNames(known)
    try:
        tree = engine.prepare_expression(source) if is_expression else engine.prepare(source)
    except PackError as error:
        if declared is None or not all(map(_is_typo, error.problems)):
            raise
        parsed = engine.parse_expression(source) if is_expression else engine.parse(source)
        problems = declared.check(engine.dependencies.find(parsed), source, engine, is_expression=is_expression)
        raise PackError((*error.problems, *problems)) from error
    dependencies = engine.dependencies.find(tree)
    problems = declared.check(dependencies, source, engine, is_expression=is_expression) if declared else []
    if problems:
        raise PackError(problems)
    return tree, dependencies


def _is_typo(problem: Problem) -> bool:
    return problem.code in _TYPO_CODES and problem.hint.startswith("did you mean")


def _make_loader(
    tree: nodes.Template,
    source: Source,
    prepare: Callable[[Source], nodes.Template],
    compile_tree: Callable[[nodes.Template, Source], PackTemplate],
) -> Callable[[], PackTemplate]:
    """Return a function that compiles a tree on first use; a tree that may fail to compile is compiled now.

    It does not hold the tree, which takes far more memory than its text: most packs of a large library are never used.
    """
    code = None if tree.is_lazy else compile_tree(tree, source)  # type: ignore[attr-defined]  # set by the engine

    def load() -> PackTemplate:
        nonlocal code
        if code is None:
            code = compile_tree(prepare(source), source)
        return code

    return load


def make_runner(
    load: Callable[[], PackTemplate],
    limits: Limits,
    run: Callable[[PackTemplate, Mapping[str, Any], IncludeStack | None], T],
) -> Callable[[Mapping[str, Any], IncludeStack | None], T]:
    """Return a function that runs the code within the limits, and raises only `ContextError`."""
    code: PackTemplate | None = None

    def run_metered(context: Mapping[str, Any], include_stack: IncludeStack | None) -> T:
        nonlocal code
        if code is None:
            code = load()
        try:
            if meter() is not None:
                return run(code, context, include_stack)
            with metered(limits, {id(value) for value in context.values() if type(value) in (dict, list)}):
                return run(code, context, include_stack)
        except RENDER_ERRORS as error:
            failure = render_error(error, code.source)
        except ContextError as error:
            failure = locate_error(error, code.source)
        # Raised outside the `except`: Python's own error may quote a value, and the chain of errors would include it.
        raise failure

    return run_metered


def _render(code: PackTemplate, context: Mapping[str, Any], include_stack: IncludeStack | None) -> str:
    return "".join(code.root_render_func(code.start_context(context, include_stack or NO_INCLUDES)))


def _evaluate(code: PackTemplate, values: Mapping[str, Any], _: IncludeStack | None) -> Any:
    value: Any = code.root_render_func(values)  # type: ignore[arg-type]  # a function of ours, not of Jinja's
    if isinstance(value, Undefined):
        str(value)
    return value
