"""Hide the secret values of a context in every text except the prompt itself."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from promptpack.characters import break_special_tokens
from promptpack.pack.model import Pack
from promptpack.problem import ContextError
from promptpack.schema import pointer

HIDDEN: Final = "***"
# A shorter text is likely to match text that is not secret.
_MIN_LENGTH: Final = 3


class Secrets:
    """The secret texts of one context, in every form that a template can print."""

    def __init__(self, pack: Pack, values: Mapping[str, Any] | None) -> None:
        secret = [
            values[name] for name, declared in pack.inputs.items() if declared.secret and values and name in values
        ]
        forms = {form for value in secret for text in _texts(value) for form in _forms(text)}
        self._forms = sorted((form for form in forms if len(form) >= _MIN_LENGTH), key=len, reverse=True)

    def hide(self, text: str) -> str:
        """Replace every secret with `***`."""
        for form in self._forms:
            text = text.replace(form, HIDDEN)
        return text

    @property
    def key(self) -> tuple[str, ...]:
        """The texts to hide; empty without secrets."""
        return tuple(self._forms)

    def hide_data(self, value: object) -> object:
        """Return plain data in which every secret is replaced, also in keys and in numbers."""
        if isinstance(value, Mapping):
            return {self.hide(str(key)): self.hide_data(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.hide_data(item) for item in value]
        if value is None or isinstance(value, bool):
            return value
        text = str(value)
        hidden = self.hide(text)
        return value if hidden == text else hidden

    def hide_error(self, error: ContextError) -> ContextError:
        """Return the error itself, or a copy without secrets if it contains some."""
        problems = tuple(
            replace(problem, message=self.hide(problem.message), hint=self.hide(problem.hint))
            for problem in error.problems
        )
        return error if problems == error.problems else ContextError(problems)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _forms(text: str) -> Iterator[str]:
    """Yield the forms of a text: unchanged, in a fence, in a pointer, line by line; each plain, as JSON and as repr."""
    for form in (text, break_special_tokens(text), pointer((text,))[1:], *text.splitlines()):
        yield form
        yield json.dumps(form, ensure_ascii=False)[1:-1]
        yield json.dumps(form)[1:-1]
        yield repr(form)[1:-1]
