"""The log of a reading: what each repair risks, and how replaying it on the raw reply rebuilds the object."""

import json
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from promptpack.reply.reading import Repair, Risk
from promptpack.reply.text import decode_reply

_RISKS: Mapping[str, Risk] = MappingProxyType(
    {
        **dict.fromkeys(
            ("prose", "fence", "think", "token", "tag", "white-space", "comment", "trailing-comma", "extra-comma",
             "quotes", "unquoted", "literal", "number-format", "raw-newline", "punctuation", "html-entity",
             "block-quote", "escaped", "double-braces", "call", "duplicate-same", "concatenation", "missing-comma",
             "extra-bracket", "line-mark"),
            "none",
        ),
        **dict.fromkeys(
            ("number-text", "percent-text", "fraction-text", "boolean-text", "enum-case", "enum-word", "key-alias",
             "wrapper", "list-of-one", "json-string", "absent", "empty-placeholder", "bad-escape", "stray-backslash",
             "merged"),
            "low",
        ),
        **dict.fromkeys(
            ("single-item", "inner-quotes", "missing-quote", "missing-end", "missing-open", "missing-value",
             "missing-colon", "lost-bracket", "extra-value", "elision"),
            "medium",
        ),
    }
)  # fmt: skip
KINDS = frozenset(_RISKS)
RISKS: tuple[Risk, ...] = ("none", "low", "medium")


def risk_of(kind: str) -> Risk:
    """Say how much a kind of repair takes upon itself."""
    return _RISKS.get(kind, "medium")


def replay(raw: str | bytes, repairs: Sequence[Repair], onto: Any = None) -> Any:
    """Apply a log to the raw reply: text edits give strict JSON, edits by path then give the object.

    What is `merged` goes onto the value of the attempt that the reply mends.
    """
    text = decode_reply(raw)
    value = json.loads(_edited(text, (repair for repair in repairs if repair.edit == "text")))
    merging = False
    for repair in repairs:
        if repair.kind == "merged" and not merging:
            value, merging = onto, True
        if repair.kind == "merged" and repair.edit == "set":
            value = set_at(value, repair.path, repair.after)
        elif repair.edit != "text":
            value = _changed(value, _steps(repair.path), repair)
    return value


def value_at(value: Any, path: str) -> Any:
    """Give what a JSON pointer points to."""
    for step in _steps(path):
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def set_at(value: Any, path: str, after: Any) -> Any:
    """Give a copy with one place set; the containers beside the path are shared, not copied."""
    steps = _steps(path)
    if not steps:
        return after
    copy = list(value) if isinstance(value, list) else dict(value)
    inner = "/" + "/".join(path.split("/")[2:]) if len(steps) > 1 else ""
    if isinstance(copy, list):
        index = int(steps[0])
        old = copy[index] if index < len(copy) else None
        copy[index : index + 1] = [set_at(old, inner, after)]
    else:
        copy[steps[0]] = set_at(copy.get(steps[0]), inner, after)
    return copy


def remove_at(value: Any, path: str) -> Any:
    """Give a copy without one member of an object."""
    parent, _, _ = path.rpartition("/")
    name = _steps(path)[-1]
    return set_at(value, parent, {key: item for key, item in value_at(value, parent).items() if key != name})


def _edited(text: str, repairs: Iterable[Repair]) -> str:
    pieces, done = [], 0
    for repair in repairs:
        start, end = repair.span
        pieces += [text[done:start], repair.after]
        done = end
    return "".join([*pieces, text[done:]])


def _steps(path: str) -> list[str]:
    return [step.replace("~1", "/").replace("~0", "~") for step in path.split("/")[1:]]


def _changed(value: Any, steps: list[str], repair: Repair) -> Any:
    if repair.edit == "unwrap":
        return value_at(value, repair.path)
    if not steps:
        return repair.after
    step, rest = steps[0], steps[1:]
    if isinstance(value, list):
        index = int(step)
        return [_changed(item, rest, repair) if place == index else item for place, item in enumerate(value)]
    if rest:
        return {key: _changed(item, rest, repair) if key == step else item for key, item in value.items()}
    if repair.edit == "rename":
        return {repair.after if key == step else key: item for key, item in value.items()}
    if repair.edit == "remove":
        return {key: item for key, item in value.items() if key != step}
    return {key: repair.after if key == step else item for key, item in value.items()}
