"""Parse JSON as Go's `encoding/json` does into untyped values: numbers are float64, half pairs are replaced."""

import json
import math
import re
from collections.abc import Iterator
from typing import Final, TypeAlias

Value: TypeAlias = "str | float | bool | list[Value] | dict[str, Value] | None"
Members: TypeAlias = list[tuple[str, Value]]

MAX_DEPTH: Final = 10_000

_PLAIN = r'[^"\\\x00-\x1f]*'
_TOKEN: Final = re.compile(
    r"(?P<mark>[{}\[\]:,])"
    rf'|(?P<string>"{_PLAIN}(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{{4}}){_PLAIN})*")'
    r"|(?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<word>true|false|null)"
)
_SPACE: Final = re.compile(r"[ \t\r\n]*")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_WORDS: Final = {"true": True, "false": False, "null": None}
_VALUE: Final = frozenset({"string", "number", "word", "{", "["})
_NOTHING: Final = frozenset[str]()


class GoJsonError(ValueError):
    """The text is not JSON."""


def read(text: str) -> Value:
    """Parse one JSON value; the last of duplicate keys wins."""
    value, members = _read(text)
    return dict(members) if members is not None else value


def read_members(text: str) -> Members | None:
    """Parse the members of a top-level object with duplicate keys; return None if the top level is not an object."""
    return _read(text)[1]


def _read(text: str) -> tuple[Value, Members | None]:
    document = _Document()
    for kind, token in _tokens(text):
        document.accept(kind, token)
    return document.finish()


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    position = _skip_space(text, 0)
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            raise GoJsonError(f"unexpected character at {position}")
        yield (match[0] if match.lastgroup == "mark" else match.lastgroup), match[0]
        position = _skip_space(text, match.end())


def _skip_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


class _Container:
    """An open object or array; `key` is the key whose value is next."""

    __slots__ = ("items", "key", "members")

    def __init__(self, is_object: bool) -> None:
        self.members: Members | None = [] if is_object else None
        self.items: list[Value] = []
        self.key: str | None = None

    @property
    def closing(self) -> str:
        return "]" if self.members is None else "}"

    def add(self, value: Value) -> None:
        if self.members is None:
            self.items.append(value)
        elif self.key is not None:
            self.members.append((self.key, value))
            self.key = None

    def close(self) -> Value:
        return self.items if self.members is None else dict(self.members)


class _Document:
    """The open containers and the expected tokens: an explicit stack, so that deep nesting cannot overflow."""

    __slots__ = ("expected", "members", "open", "value")

    def __init__(self) -> None:
        self.open: list[_Container] = []
        self.expected: frozenset[str] = _VALUE
        self.value: Value = None
        self.members: Members | None = None

    def accept(self, kind: str, token: str) -> None:
        if kind not in self.expected:
            raise GoJsonError(f"unexpected {token[:20]!r}")
        if kind in ("{", "["):
            self._begin(kind)
        elif kind in ("}", "]"):
            self._end()
        elif kind == ":":
            self.expected = _VALUE
        elif kind == ",":
            self.expected = _VALUE if self.open[-1].members is None else frozenset({"string"})
        elif kind == "string" and self._wants_key():
            self.open[-1].key = _string(token)
            self.expected = frozenset({":"})
        else:
            self._place(_scalar(kind, token))

    def finish(self) -> tuple[Value, Members | None]:
        if self.expected is not _NOTHING:
            raise GoJsonError("unexpected end")
        return self.value, self.members

    def _begin(self, kind: str) -> None:
        if len(self.open) == MAX_DEPTH:
            raise GoJsonError("nested too deeply")
        self.open.append(_Container(kind == "{"))
        self.expected = frozenset({"string", "}"}) if kind == "{" else _VALUE | {"]"}

    def _end(self) -> None:
        closed = self.open.pop()
        if not self.open:
            self.members = closed.members
        self._place(closed.close())

    def _wants_key(self) -> bool:
        return bool(self.open) and self.open[-1].members is not None and self.open[-1].key is None

    def _place(self, value: Value) -> None:
        if self.open:
            self.open[-1].add(value)
            self.expected = frozenset({",", self.open[-1].closing})
        else:
            self.value = value
            self.expected = _NOTHING


def _scalar(kind: str, token: str) -> Value:
    if kind == "string":
        return _string(token)
    if kind == "word":
        return _WORDS[token]
    number = float(token)
    return number if math.isfinite(number) else None


def _string(token: str) -> str:
    text = token[1:-1]
    if "\\" in text:
        text = json.loads(token)
    return _SURROGATE.sub("\ufffd", text)
