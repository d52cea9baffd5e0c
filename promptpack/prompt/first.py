"""The first prompt of a process, from a pack's outline: nothing is compiled, what is unusual is left to others."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from promptpack.prompt.message import Message
from promptpack.prompt.prompt import Origin, Prompt
from promptpack.schema.everyday import UndecidedError, meets
from promptpack.template.script import UnusualError, follow, holds

if TYPE_CHECKING:
    from promptpack.pack import Pack

# Far within every limit that there is by default, on whatever counts.
_MOST_VALUES: Final = 2_000
_MOST_CHARACTERS: Final = 100_000
_DEEPEST: Final = 16
_LARGEST: Final = 1 << 63


def render_first(pack: Pack, outline: Mapping[str, Any], context: Any, inputs: Mapping[str, Any]) -> Prompt | None:
    """Render a prompt as `render` would, or give None where that is not certain."""
    try:
        values = _values(outline["inputs"], context, inputs)
        scope = {"pack": pack.about, **values}
        if outline["reply_format"] is not None:
            scope["reply_format"] = outline["reply_format"]
        shown = [message for message in outline["messages"] if message[1] is None or holds(message[1], scope)]
        messages = tuple(Message(role, follow(script, scope)) for role, _, script, _ in shown)
    except (UnusualError, UndecidedError):
        return None
    origins = tuple(Origin(False, priority) for *_, priority in shown)
    return Prompt(pack, messages, MappingProxyType(values), origins)


def _values(declared: Mapping[str, Any], context: Any, inputs: Mapping[str, Any]) -> dict[str, Any]:
    if context is not None and type(context) is not dict:
        raise UnusualError
    given = {**(context or {}), **inputs}
    copier = _Copier()
    values = {name: copier.copy(given[name] if name in given else _default(declared[name])) for name in declared}
    if not given.keys() <= declared.keys() or not all(meets(values[name], declared[name]) for name in declared):
        raise UnusualError
    return values


def _default(schema: Mapping[str, Any]) -> Any:
    if "default" not in schema:
        raise UnusualError
    return schema["default"]


class _Copier:
    """Copies small plain data."""

    def __init__(self) -> None:
        self._values = _MOST_VALUES
        self._characters = _MOST_CHARACTERS

    def copy(self, value: Any, depth: int = 0) -> Any:
        self._values -= 1
        kind = type(value)
        if self._values < 0 or depth > _DEEPEST:
            raise UnusualError
        if kind is str:
            return self._text(value)
        if kind is dict:
            return {self._text(key): self.copy(item, depth + 1) for key, item in value.items()}
        if kind is list:
            return [self.copy(item, depth + 1) for item in value]
        if value is None or kind is bool or (kind is int and abs(value) < _LARGEST):
            return value
        raise UnusualError

    def _text(self, text: Any) -> str:
        if type(text) is not str:
            raise UnusualError
        self._characters -= len(text)
        # The halves of surrogate pairs are no text.
        if self._characters < 0 or not (text.isascii() or text.isprintable() or _is_whole(text)):
            raise UnusualError
        return text


def _is_whole(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)
