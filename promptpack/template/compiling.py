"""`Source` -> `Template` or `Expression`: parsed, held to the policy, its names checked, then made into code."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

from jinja2 import nodes
from jinja2.runtime import Undefined

from promptpack.problem import ContextError, PackError, Problem, did_you_mean
from promptpack.template.engine import Engine
from promptpack.template.failure import RENDER_ERRORS, locate_error, render_error
from promptpack.template.language import FUNCTIONS
from promptpack.template.limits import Limits
from promptpack.template.meter import meter, metered
from promptpack.template.model import Expression, Source, Template
from promptpack.template.names import Needs, Use
from promptpack.template.partials import PackTemplate, Trail
from promptpack.template.positions import decode
from promptpack.template.tree import is_certain

T = TypeVar("T")

_NO_TRAIL = Trail()
_CONSTANTS = ("true", "false", "none")
# Words that are not there; with a hint they are nearly one that is.
_MISSPELT = ("PP303", "PP304", "PP305")


def compile(source: Source, engine: Engine, known: Collection[str] | None = None) -> Template:  # noqa: A001
    """Compile a template; `known` are the names it may use, or None to leave that to render time."""
    tree = _parsed(engine.parse, engine.read, source, engine, known)
    needs = _check_names(tree, source, engine, known)
    load = _loader(tree, source, engine.load)
    return Template(
        source, frozenset(use.name for use in needs.names), needs.partials, load, _guarded(load, engine.limits, _text)
    )


def compile_expression(source: Source, engine: Engine, known: Collection[str] | None = None) -> Expression:
    """Compile an expression, as in `when` and `require`."""
    tree = _parsed(engine.parse_expression, engine.read_expression, source, engine, known)
    needs = _check_names(tree, source, engine, known)
    run = _guarded(_loader(tree, source, engine.load_expression), engine.limits, _result)
    return Expression(source, frozenset(use.name for use in needs.names), engine, run)


def _parsed(
    parse: Callable[[Source], nodes.Template],
    read: Callable[[Source], nodes.Template],
    source: Source,
    engine: Engine,
    known: Collection[str] | None,
) -> nodes.Template:
    """Parse a template; misspelt filters, tests and partials are told together with misspelt names."""
    try:
        return parse(source)
    except PackError as error:
        if known is None or not all(problem.code in _MISSPELT and problem.hint for problem in error.problems):
            raise
        unknown = _unknown_names(engine.needs.find(read(source)), source, engine, known)
        raise PackError((*error.problems, *unknown)) from error


def _check_names(tree: nodes.Template, source: Source, engine: Engine, known: Collection[str] | None) -> Needs:
    needs = engine.needs.find(tree)
    problems = _unknown_names(needs, source, engine, known) if known is not None else ()
    if problems:
        raise PackError(problems)
    return needs


def _unknown_names(needs: Needs, source: Source, engine: Engine, known: Collection[str]) -> list[Problem]:
    return [_undeclared(use, source, engine, known) for use in needs.names if use.name not in known]


def _undeclared(use: Use, source: Source, engine: Engine, known: Collection[str]) -> Problem:
    home = engine.partials[use.partial] if use.partial else source
    place = home.locate(*decode(use.position))
    words = (*known, *_CONSTANTS, *FUNCTIONS) if home.syntax == "jinja" else known
    hint = did_you_mean(use.name, words) or "declare it under 'inputs'"
    return Problem("PP301", f"template uses undeclared input {use.name!r}", place, hint)


def _loader(
    tree: nodes.Template, source: Source, make: Callable[[nodes.Template, Source], PackTemplate]
) -> Callable[[], PackTemplate]:
    """Make code of a tree when it is first needed; at once, where that might fail."""
    made = None if is_certain(tree) else make(tree, source)
    kept: nodes.Template | None = tree if made is None else None

    def load() -> PackTemplate:
        nonlocal made, kept
        given = kept
        if given is not None:
            made, kept = make(given, source), None
        assert made is not None  # noqa: S101 -- the tree goes when the code is there
        return made

    return load


def _guarded(
    load: Callable[[], PackTemplate], limits: Limits, run: Callable[[PackTemplate, Mapping[str, Any], Trail | None], T]
) -> Callable[[Mapping[str, Any], Trail | None], T]:
    code: PackTemplate | None = None

    def guarded(context: Mapping[str, Any], trail: Trail | None) -> T:
        nonlocal code
        if code is None:
            code = load()
        try:
            if meter() is not None:
                return run(code, context, trail)
            with metered(limits, {id(value) for value in context.values() if type(value) in (dict, list)}):
                return run(code, context, trail)
        except RENDER_ERRORS as error:
            told = render_error(error, code.source)
        except ContextError as error:
            told = locate_error(error, code.source)
        # Not inside of the `except`: what Python says of a value may quote it, and a chain of errors would carry that.
        raise told

    return guarded


def _text(code: PackTemplate, context: Mapping[str, Any], trail: Trail | None) -> str:
    return "".join(code.root_render_func(code.start(context, trail or _NO_TRAIL)))


def _result(code: PackTemplate, values: Mapping[str, Any], _: Trail | None) -> Any:
    value: Any = code.root_render_func(values)  # type: ignore[arg-type]  # a function of ours, not of Jinja's
    if isinstance(value, Undefined):
        str(value)
    return value
