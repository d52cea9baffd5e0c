"""A template as a script: plain data that is followed step by step, without Jinja and without making code.

Of what a script says, this follows what most prompts take: text, look-ups in plain data, conditions, fences. Anything
else, such as a loop, a name that is not there or more work than a prompt takes, is left to the compiled template.
A script may come from a file that somebody else wrote: it is read as data, and nothing in it is run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

Script = list["Any"]
"""Steps: a text; `["put", value]`; `["if", value, steps, other steps]`; and those that `reading` knows."""

# So little that no limit of a compiled template can be reached, whatever it counts.
_MOST_STEPS: Final = 2_000
_LONGEST: Final = 200_000
# What special tokens of chat templates begin with.
_TOKEN_STARTS: Final = ("<", "[INST", "[/", "[SYSTEM_PROMPT", "[TOOL_", "[AVAILABLE_TOOLS")


class UnusualError(Exception):
    """Only the compiled template can tell."""


def follow(script: Script, scope: Mapping[str, Any]) -> str:
    """Write what the template would write for plain data; raises `UnusualError` where that is not certain."""
    try:
        return "".join(_Follower(scope).write(script))
    except RecursionError as error:
        raise UnusualError from error


def holds(value: Script, scope: Mapping[str, Any]) -> bool:
    """Say whether a condition is met; raises `UnusualError` where that is not certain."""
    try:
        return bool(_Follower(scope).value(value))
    except RecursionError as error:
        raise UnusualError from error


class _Follower:
    def __init__(self, scope: Mapping[str, Any]) -> None:
        self._scope = scope
        self._steps = _MOST_STEPS
        self._room = _LONGEST

    def write(self, script: Any) -> list[str]:
        written: list[str] = []
        for step in script if type(script) is list else [None]:
            match step:
                case str():
                    written.append(self._counted(step))
                case ["put", value]:
                    written.append(self._counted(_printed(self.value(value))))
                case ["if", condition, then, otherwise]:
                    written += self.write(then if self.value(condition) else otherwise)
                case _:
                    raise UnusualError
        return written

    def value(self, value: Any) -> Any:
        self._steps -= 1
        if self._steps < 0:
            raise UnusualError
        match value:
            case ["value", (str() | bool() | int() | None) as constant]:
                return constant
            case ["name", str() as name] if name in self._scope:
                return self._scope[name]
            case ["get", inner, str() as key]:
                return _looked_up(self.value(inner), key)
            case ["not", inner]:
                return not self.value(inner)
            case ["and", left, right]:
                return self.value(left) and self.value(right)
            case ["or", left, right]:
                return self.value(left) or self.value(right)
            case ["filter", inner, "length" | "count", [], []]:
                return _length(self.value(inner))
            case ["filter", inner, "join", [["value", str() as between]], []]:
                return _joined(self.value(inner), between)
            case ["filter", inner, "fenced", [], []]:
                return _fenced(_printed(self.value(inner)), "")
            case ["filter", inner, "fenced", [["value", str() as tag]], []]:
                return _fenced(_printed(self.value(inner)), tag)
        raise UnusualError

    def _counted(self, text: str) -> str:
        self._room -= len(text)
        if self._room < 0:
            raise UnusualError
        return text


def _printed(value: Any) -> str:
    kind = type(value)
    if kind is str:
        return value  # type: ignore[no-any-return]
    if kind is int:
        return str(value)
    if value is None or kind in (bool, float, dict, list):
        return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
    raise UnusualError


def _looked_up(found: Any, key: str) -> Any:
    if type(found) is not dict or key not in found:
        raise UnusualError
    return found[key]


def _length(value: Any) -> int:
    if type(value) not in (str, list, dict):
        raise UnusualError
    return len(value)


def _joined(value: Any, between: str) -> str:
    if type(value) is not list or not all(type(item) is str for item in value):
        raise UnusualError
    return between.join(value)


def _fenced(text: str, tag: str) -> str:
    if "```" in text or "~~~" in text or any(start in text for start in _TOKEN_STARTS):
        raise UnusualError
    if "`" in tag or len(tag.splitlines()) > 1:
        raise UnusualError
    return f"```{tag}\n{text}\n```"
