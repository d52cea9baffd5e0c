"""The render errors that a caller may want to tell apart, each with the name or number it is about."""

from collections.abc import Iterable

from promptpack.problem import ContextError, Problem


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
