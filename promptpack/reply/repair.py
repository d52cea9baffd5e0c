"""The risk of each kind of repair, and how to replay a log on the raw reply to rebuild the object."""

import json
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from types import MappingProxyType
from typing import Any

from promptpack.reply.charset import decode_reply
from promptpack.reply.reading import EditKind, Repair, RepairRisk
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
            value, merging = deepcopy(onto), True
        if repair.edit != "text":
            value = apply_edit(value, repair.edit, repair.path, repair.after)
    return value


def apply_edit(value: Any, edit: EditKind, path: str, after: Any) -> Any:
    """Change one path of a value in place; return the value, or what replaces it as a whole."""
    if edit == "unwrap":
        return value_at(value, path)
    after = deepcopy(after)
    if not path:
        return after
    parent, name = value_at(value, path.rpartition("/")[0]), split_pointer(path)[-1]
    if isinstance(parent, list):
        parent[int(name) : int(name) + 1] = [after]
    elif edit == "rename":
        items = [(after if key == name else key, item) for key, item in parent.items()]
        parent.clear()
        parent.update(items)
    elif edit == "remove":
        parent.pop(name, None)
    else:
        parent[name] = after
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
