"""Errors that templates raise themselves: for undefined names, for values of the wrong kind, and with `fail`."""

from functools import partial
from typing import Any

from jinja2 import StrictUndefined, UndefinedError
from jinja2.exceptions import TemplateRuntimeError
from jinja2.utils import missing

from promptpack.problem import did_you_mean


class MissingVariableError(UndefinedError):
    """A variable is not in the context; the second line of the message is the hint."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


class PackUndefined(StrictUndefined):
    """Raises on every use, without quoting the value, which may be secret; the second line is the hint."""

    __slots__ = ()

    def __init__(
        self,
        hint: str | None = None,
        obj: Any = missing,
        name: str | None = None,
        exc: type[TemplateRuntimeError] = UndefinedError,
    ) -> None:
        super().__init__(hint, obj, name, exc)
        if hint is None and obj is missing and name is not None:
            # Jinja passes only the message, so the name is bound here.
            self._undefined_exception = partial(MissingVariableError, name)  # type: ignore[assignment]

    @property
    def _undefined_message(self) -> str:
        if self._undefined_hint:
            return self._undefined_hint
        if self._undefined_obj is missing:
            return f"{self._undefined_name!r} is undefined"
        owner = self._undefined_obj
        noun = "key" if isinstance(owner, dict) or isinstance(self._undefined_name, str) else "item"
        message = f"{describe_kind(owner)} has no {noun} {self._undefined_name!r}"
        if not isinstance(owner, dict) or not isinstance(self._undefined_name, str):
            return message
        hint = did_you_mean(self._undefined_name, (key for key in owner if isinstance(key, str)))
        return f"{message}\n{hint}" if hint else message


class FailError(TemplateRuntimeError):
    """The template called `fail`."""


class NotAListError(TemplateRuntimeError):
    """`{{#each}}` got a value that is not a list; the second line of the message is the hint."""

    def __init__(self, name: str, value: Any) -> None:
        super().__init__(f"'{{{{#each}}}}' needs a list, but {name!r} is {describe_kind(value)}\npass a list")
        self.name = name


_KINDS: dict[type[Any], str] = {
    dict: "a mapping",
    list: "a list",
    tuple: "a list",
    str: "text",
    int: "a number",
    float: "a number",
    bool: "a true/false value",
    type(None): "null",
}


def describe_kind(value: Any) -> str:
    """Describe the kind of a value in plain words, never the value itself."""
    return _KINDS.get(type(value)) or f"a {type(value).__name__}"
