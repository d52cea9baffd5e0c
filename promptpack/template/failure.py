"""Jinja's and Python's exceptions -> our errors, with their place in the pack file."""

import re
from collections.abc import Iterable
from dataclasses import replace
from types import TracebackType

from jinja2 import TemplateError, TemplateSyntaxError, UndefinedError
from jinja2.exceptions import SecurityError, TemplateNotFound

from promptpack.problem import ContextError, Location, Problem, did_you_mean
from promptpack.template.language import TAGS
from promptpack.template.meter import LimitError
from promptpack.template.model import Source
from promptpack.template.partials import DEEPEST, IncludeDepthError, PackTemplate
from promptpack.template.positions import decode
from promptpack.template.undefined import MissingVariableError, NotAListError

# What running a template on plain data can raise; anything else is a bug of ours and goes through.
RENDER_ERRORS = (TemplateError, TypeError, ValueError, ArithmeticError, LookupError, RecursionError, MemoryError)

_LIMIT_CODES = {
    "steps": "PP421",
    "output": "PP422",
    "value": "PP423",
    "number": "PP424",
    "range": "PP425",
    "format": "PP426",
}
_UNKNOWN_TAG = re.compile(r"unknown tag '([^']*)'")
_ENDED = re.compile(r"(Unexpected end of template|Missing end of)")


class _NamedError(ContextError):
    def __init__(self, problems: Problem | Iterable[Problem], name: str) -> None:
        super().__init__(problems)
        self.name = name

    def __reduce__(self) -> tuple[type, tuple[tuple[Problem, ...], str]]:  # type: ignore[override]
        return type(self), (self.problems, self.name)


class VariableNotFoundError(_NamedError):
    """A variable that the template reached is not in the context."""


class PartialNotFoundError(_NamedError):
    """A partial that the template reached, or a template that was asked for, is not registered."""


class NotAnArrayError(_NamedError):
    """An `{{#each}}` reached a value that is not a list."""


class MaxDepthReachedError(ContextError):
    """Includes nest deeper than the limit, most likely in a circle."""

    def __init__(self, problems: Problem | Iterable[Problem], limit: int) -> None:
        super().__init__(problems)
        self.limit = limit

    def __reduce__(self) -> tuple[type, tuple[tuple[Problem, ...], int]]:  # type: ignore[override]
        return type(self), (self.problems, self.limit)


def syntax_problem(error: TemplateSyntaxError, source: Source) -> Problem:
    """Say where and why a template cannot be compiled."""
    line, column = decode(error.lineno)
    message = (error.message or "cannot be read").rstrip(".")
    location = source.locate(line, column) if line else source.locate(1, 1)
    tag = _UNKNOWN_TAG.search(message)
    if tag:
        return Problem("PP307", f"unknown tag {tag[1]!r}", location, did_you_mean(tag[1], TAGS))
    hint = "close every '{%' block, '{{' and '{#'" if _ENDED.search(message) else ""
    return Problem("PP302", f"template syntax: {message[0].lower()}{message[1:]}", location, hint)


def render_error(error: BaseException, source: Source) -> ContextError:
    """Say where and why a template cannot be rendered, without quoting any value."""
    location = _place(error.__traceback__, source)
    message, _, hint = str(error).partition("\n")
    match error:
        case MissingVariableError():
            return VariableNotFoundError(_undefined(message, location, hint), error.name)
        case NotAListError():
            return NotAnArrayError(Problem("PP441", message, location, hint), error.name)
        case LimitError():
            return ContextError(Problem(_LIMIT_CODES[error.limit], message, location, "make the template do less"))
        case IncludeDepthError():
            return MaxDepthReachedError(Problem("PP443", message, location, hint), DEEPEST)
        case TemplateNotFound():
            problem = Problem("PP442", f"no partial named {error.name!r}", location, "register it before rendering")
            return PartialNotFoundError(problem, str(error.name))
        case UndefinedError():
            return ContextError(_undefined(message, location, hint))
        case SecurityError():
            return ContextError(Problem("PP402", message, location, "templates work on plain data only"))
        case _:
            return ContextError(_other_problem(error, message, location))


def explain(error: BaseException) -> ContextError:
    """Say where and why a template failed, be it our own error or one of Jinja's or Python's."""
    anywhere = Source.of_text("")
    return locate_error(error, anywhere) if isinstance(error, ContextError) else render_error(error, anywhere)


def locate_error(error: ContextError, source: Source) -> ContextError:
    """Give the problems of a filter, which knows nothing of files, the place where the template calls it."""
    if all(problem.location for problem in error.problems):
        return error
    place = _place(error.__traceback__, source)
    return ContextError(replace(problem, location=problem.location or place) for problem in error.problems)


def _undefined(message: str, location: Location, hint: str) -> Problem:
    return Problem("PP401", message, location, hint or "give it in the context, or use 'is defined'")


def _other_problem(error: BaseException, message: str, location: Location) -> Problem:
    match error:
        case TypeError():
            return Problem("PP403", f"wrong kind of value: {message}", location)
        case RecursionError():
            return Problem("PP405", "template nests too deeply", location)
        case MemoryError():
            return Problem("PP406", "template needs too much memory", location)
        case TemplateError():
            return Problem("PP407", message, location)
        case _:
            # The text of these would quote the value, which may be secret.
            return Problem("PP404", f"a value does not fit here ({type(error).__name__})", location)


def _place(traceback: TracebackType | None, source: Source) -> Location:
    line, column = 1, 1
    while traceback is not None:
        template = traceback.tb_frame.f_globals.get("__jinja_template__")
        if isinstance(template, PackTemplate):
            position = decode(template.get_corresponding_lineno(traceback.tb_lineno))
            if position[0]:
                source, (line, column) = template.source, position
        traceback = traceback.tb_next
    return source.locate(line, column)
