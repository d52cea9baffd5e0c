"""Jinja's and Python's exceptions -> our errors, with locations in the pack file."""

from collections.abc import Iterable
from dataclasses import replace
from types import TracebackType

from jinja2 import TemplateError, TemplateSyntaxError, UndefinedError
from jinja2.exceptions import SecurityError, TemplateNotFound

from promptpack.problem import ContextError, Location, Problem
from promptpack.template.hints import hint_for_value, plain_words, reword
from promptpack.template.meter import LimitError
from promptpack.template.model import Source
from promptpack.template.positions import decode
from promptpack.template.runtime import (
    MAX_INCLUDE_DEPTH,
    FailError,
    IncludeDepthError,
    MissingVariableError,
    NotAListError,
    PackTemplate,
)

# Exceptions that a template can raise on plain data; any other is a bug of ours and is not translated.
RENDER_ERRORS = (TemplateError, TypeError, ValueError, ArithmeticError, LookupError, RecursionError, MemoryError)

# The code and the hint of each limit.
_LIMITS = {
    "steps": ("PP421", "loop over fewer items, or prepare the data before rendering"),
    "output": ("PP422", "print less, or pass shorter values"),
    "value": ("PP423", "build smaller values, or pass smaller ones"),
    "number": ("PP424", "compute smaller numbers"),
    "range": ("PP425", "use a shorter range"),
    "format": ("PP426", "use a smaller number"),
}
_FAIL_HINT = "pass values that the template accepts"


class _NamedError(ContextError):
    def __init__(self, problems: Problem | Iterable[Problem], name: str) -> None:
        super().__init__(problems)
        self.name = name

    def __reduce__(self) -> tuple[type, tuple[tuple[Problem, ...], str]]:  # type: ignore[override]
        return type(self), (self.problems, self.name)


class VariableNotFoundError(_NamedError):
    """A variable that the template uses is not in the context.

    `problems` says where, and `name` is the variable.
    """


class PartialNotFoundError(_NamedError):
    """A partial that the template uses, or a requested template, is not registered.

    `problems` says where, and `name` is the partial or template.
    """


class NotAnArrayError(_NamedError):
    """The value of an `{{#each}}` is not a list.

    `problems` says where, and `name` is the variable.
    """


class MaxDepthReachedError(ContextError):
    """Includes are nested deeper than the limit, most likely in a cycle.

    `problems` says where, and `limit` is the number of levels that are allowed.
    """

    def __init__(self, problems: Problem | Iterable[Problem], limit: int) -> None:
        super().__init__(problems)
        self.limit = limit

    def __reduce__(self) -> tuple[type, tuple[tuple[Problem, ...], int]]:  # type: ignore[override]
        return type(self), (self.problems, self.limit)


def syntax_problem(error: TemplateSyntaxError, source: Source, *, is_expression: bool = False) -> Problem:
    """Return the problem of a template that cannot be parsed or compiled."""
    from promptpack.template import syntax_errors

    line, column = decode(error.lineno)
    found = None
    if source.syntax == "jinja":
        found = syntax_errors.explain(source.text, source.offset(line, column), is_expression=is_expression)
    if found is not None:
        line = source.locate_offset(found.opened or 0).line
        return Problem(
            found.code, found.message.replace("{line}", str(line)), source.locate_offset(found.offset), found.hint
        )
    message = (error.message or "invalid template").rstrip(".")
    location = source.locate(line, column) if line else source.locate(1, 1)
    words, hint = plain_words(message, source.text[: source.offset(line, column)] if line else "")
    return Problem("PP302", f"template syntax: {words[0].lower()}{words[1:]}", location, hint)


def render_error(error: BaseException, source: Source) -> ContextError:
    """Return the error of a template that cannot be rendered, without quoting any value."""
    location = _locate(error.__traceback__, source)
    message, _, hint = str(error).partition("\n")
    match error:
        case MissingVariableError():
            return VariableNotFoundError(_undefined_problem(message, location, hint), error.name)
        case NotAListError():
            return NotAnArrayError(Problem("PP441", message, location, hint), error.name)
        case FailError():
            return ContextError(Problem("PP445", f"the template failed: {error}", location, _FAIL_HINT))
        case LimitError():
            code, limit_hint = _LIMITS[error.limit]
            return ContextError(Problem(code, message, location, limit_hint))
        case IncludeDepthError():
            return MaxDepthReachedError(Problem("PP443", message, location, hint), MAX_INCLUDE_DEPTH)
        case TemplateNotFound():
            problem = Problem("PP442", f"unknown partial {error.name!r}", location, "register it before rendering")
            return PartialNotFoundError(problem, str(error.name))
        case UndefinedError():
            return ContextError(_undefined_problem(message, location, hint))
        case SecurityError():
            return ContextError(Problem("PP402", message, location, "templates can use plain data only"))
        case _:
            return ContextError(_other_problem(error, message, location, hint))


def explain(error: BaseException) -> ContextError:
    """Return any error of a template as a `ContextError` with its location."""
    unplaced = Source.of_text("")
    return locate_error(error, unplaced) if isinstance(error, ContextError) else render_error(error, unplaced)


def locate_error(error: ContextError, source: Source) -> ContextError:
    """Return the error of a filter with the location of its call in the template."""
    if all(problem.location for problem in error.problems):
        return error
    location = _locate(error.__traceback__, source)
    return ContextError(replace(problem, location=problem.location or location) for problem in error.problems)


def _undefined_problem(message: str, location: Location, hint: str) -> Problem:
    return Problem("PP401", message, location, hint or "pass it in the context, or test for it with 'is defined'")


def _other_problem(error: BaseException, message: str, location: Location, hint: str) -> Problem:
    match error:
        case TypeError():
            words = reword(message) or f"a value has the wrong type: {message}"
            return Problem("PP403", words, location, hint_for_value(message))
        case RecursionError():
            return Problem("PP405", "rendering is nested too deeply", location, "look for a macro that calls itself")
        case MemoryError():
            return Problem("PP406", "template needs too much memory", location, "build smaller values")
        case TemplateError():
            return Problem("PP407", reword(message) or message, location, hint or hint_for_value(message))
        case _:
            # The message of other errors may quote a value, which may be secret.
            name = type(error).__name__
            words = reword(message) or reword(name) or f"a value is invalid here ({name})"
            return Problem("PP404", words, location, hint_for_value(message if reword(message) else name))


def _locate(traceback: TracebackType | None, source: Source) -> Location:
    line, column = 1, 1
    while traceback is not None:
        template = traceback.tb_frame.f_globals.get("__jinja_template__")
        if isinstance(template, PackTemplate):
            position = decode(template.get_corresponding_lineno(traceback.tb_lineno))
            if position[0]:
                source, (line, column) = template.source, position
        traceback = traceback.tb_next
    return source.locate(line, column)
