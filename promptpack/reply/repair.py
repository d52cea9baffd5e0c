"""The risk of each kind of repair, and how to replay a log on the raw reply to rebuild the object."""

import json
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from promptpack.reply.charset import decode_reply
from promptpack.reply.reading import Repair, RepairRisk
from promptpack.schema.pointers import split_pointer, value_at

_RISKS: Mapping[str, RepairRisk] = MappingProxyType(
    {
        **dict.fromkeys(
            ("prose", "fence", "think", "token", "tag", "white-space", "comment", "trailing-comma", "extra-comma",
             "quotes", "unquoted", "literal", "number-format", "raw-newline", "punctuation", "html-entity",
             "block-quote", "escaped", "double-braces", "call", "duplicate-same", "concatenation", "missing-comma",
             "extra-bracket", "line-mark", "echo"),
            "none",
        ),
        **dict.fromkeys(
            ("number-text", "percent-text", "fraction-text", "boolean-text", "enum-case", "enum-word", "key-alias",
             "wrapper", "list-of-one", "json-string", "absent", "empty-placeholder", "bad-escape", "stray-backslash",
             "merged"),
            "low",
        ),
        **dict.fromkeys(
            ("single-item", "inner-quotes", "missing-quote", "missing-open", "missing-value", "missing-colon",
             "lost-bracket", "extra-value", "elision"),
            "medium",
        ),
        # The end of the reply may have cut off more than the brackets.
        "missing-end": "high",
    }
)  # fmt: skip
KINDS = frozenset(_RISKS)
RISKS: tuple[RepairRisk, ...] = ("none", "low", "medium", "high")


def risk_of(kind: str) -> RepairRisk:
    """Return the risk of a kind of repair."""
    return _RISKS.get(kind, "medium")


def replay(raw: str | bytes, repairs: Sequence[Repair], onto: Any = None) -> Any:
    """Apply a log to the raw reply: repairs of the text produce strict JSON, repairs at paths then the object.

    Repairs of kind `merged` apply to `onto`, the value of the attempt that the reply is merged into.
    """
    text = decode_reply(raw)
    value = json.loads(_apply_text_repairs(text, (repair for repair in repairs if repair.edit == "text")))
    merging = False
    for repair in repairs:
        if repair.kind == "merged" and not merging:
            value, merging = onto, True
        if repair.kind == "merged" and repair.edit == "set":
            value = set_at(value, repair.path, repair.after)
        elif repair.edit != "text":
            value = _apply_value_repair(value, split_pointer(repair.path), repair)
    return value


def set_at(value: Any, path: str, after: Any) -> Any:
    """Return a copy with one path set; containers that are not on the path are shared, not copied."""
    keys = split_pointer(path)
    if not keys:
        return after
    copy = list(value) if isinstance(value, list) else dict(value)
    inner = "/" + "/".join(path.split("/")[2:]) if len(keys) > 1 else ""
    if isinstance(copy, list):
        index = int(keys[0])
        old = copy[index] if index < len(copy) else None
        copy[index : index + 1] = [set_at(old, inner, after)]
    else:
        copy[keys[0]] = set_at(copy.get(keys[0]), inner, after)
    return copy


def remove_at(value: Any, path: str) -> Any:
    """Return a copy without one member of an object."""
    parent, _, _ = path.rpartition("/")
    name = split_pointer(path)[-1]
    return set_at(value, parent, {key: item for key, item in value_at(value, parent).items() if key != name})


def _apply_text_repairs(text: str, repairs: Iterable[Repair]) -> str:
    pieces, done = [], 0
    for repair in repairs:
        start, end = repair.span
        pieces += [text[done:start], repair.after]
        done = end
    return "".join([*pieces, text[done:]])


def _apply_value_repair(value: Any, keys: list[str], repair: Repair) -> Any:
    if repair.edit == "unwrap":
        return value_at(value, repair.path)
    if not keys:
        return repair.after
    first, rest = keys[0], keys[1:]
    if isinstance(value, list):
        index = int(first)
        return [_apply_value_repair(item, rest, repair) if here == index else item for here, item in enumerate(value)]
    if rest:
        return {key: _apply_value_repair(item, rest, repair) if key == first else item for key, item in value.items()}
    if repair.edit == "rename":
        return {repair.after if key == first else key: item for key, item in value.items()}
    if repair.edit == "remove":
        return {key: item for key, item in value.items() if key != first}
    return {key: repair.after if key == first else item for key, item in value.items()}
