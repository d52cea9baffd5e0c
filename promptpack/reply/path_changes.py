"""Find the changes that an answer to a correction makes at the failing paths; the rest of the answer is ignored."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Literal

from promptpack.reply.syntax_tree import escape, is_same
from promptpack.schema.pointers import MISSING, find_at

_UNKNOWN_FIELD = ("additionalProperties", "unevaluatedProperties")


class ConflictError(ValueError):
    """An answer contains one part twice with different values."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


@dataclass(frozen=True, slots=True)
class PathChange:
    """One change at a failing path; `source` is the path of the new value in the answer."""

    edit: Literal["set", "remove"]
    path: str
    source: str
    before: Any
    after: Any


def find_changes(value: Mapping[str, Any], answer: Mapping[str, Any], failing: Mapping[str, str]) -> list[PathChange]:
    """Find each failing path, mapped to its rule, in the answer: at the same path, or as a key that is its pointer."""
    found: list[PathChange] = []
    for path in sorted(failing):
        if not path or any(path.startswith(change.path + "/") for change in found):
            continue
        parent, _, name = path.rpartition("/")
        holder = find_at(value, parent)
        index = _index(unescape(name))
        if not (isinstance(holder, dict) or (isinstance(holder, list) and 0 <= index <= len(holder))):
            continue
        source, part = _part(value, answer, path, failing.keys())
        if failing[path] in _UNKNOWN_FIELD:
            if part is None or (part is MISSING and isinstance(_part(value, answer, parent, failing.keys())[1], dict)):
                found.append(PathChange("remove", path, source, find_at(value, path), None))
        elif part is not MISSING:
            before = find_at(value, path)
            found.append(PathChange("set", path, source, None if before is MISSING else before, part))
    return found


def unescape(name: str) -> str:
    """Decode one key of a JSON pointer."""
    return name.replace("~1", "/").replace("~0", "~")


def _index(key: str) -> int:
    return int(key) if key.isascii() and key.isdecimal() and len(key) < 10 else -1


def _part(value: Any, answer: Mapping[str, Any], path: str, failing: AbstractSet[str]) -> tuple[str, Any]:
    """Return the source and value that an answer has for a path; raise `ConflictError` if two of its values differ."""
    pointers = [key for key in answer if key.startswith("/") and (path == key or path.startswith(key + "/"))]
    found = [(f"/{escape(key)}", _follow(answer[key], find_at(value, key), key, path, failing)) for key in pointers]
    found.append((path, _follow(answer, value, "", path, failing)))
    present = [(source, part) for source, part in found if part is not MISSING]
    if not present:
        return "", MISSING
    if not all(is_same(part, present[0][1]) for _, part in present):
        raise ConflictError(path)
    return present[0]


def _follow(new: Any, old: Any, prefix: str, path: str, failing: AbstractSet[str]) -> Any:
    for name in path[len(prefix) :].split("/")[1:]:
        if isinstance(new, list) and not (isinstance(old, list) and _has_same_items(new, old, prefix, failing)):
            return MISSING
        new, old = find_at(new, f"/{name}"), find_at(old, f"/{name}")
        prefix = f"{prefix}/{name}"
    return new


def _has_same_items(new: list[Any], old: list[Any], prefix: str, failing: AbstractSet[str]) -> bool:
    """Return whether the items of two lists correspond one by one; equal indexes alone prove little."""
    under = {path[len(prefix) + 1 :].partition("/")[0] for path in failing if path.startswith(prefix + "/")}
    if len(new) != len(old) and under != {str(index) for index in range(len(new))}:
        return False
    pairs = zip(new, old, strict=False)
    return all(_is_same_item(item, known, f"{prefix}/{index}", failing) for index, (item, known) in enumerate(pairs))


def _is_same_item(new: Any, old: Any, path: str, failing: AbstractSet[str]) -> bool:
    """Return whether an item repeats the scalar values of another item, except at failing paths."""
    if path in failing:
        return True
    if not isinstance(new, dict) or not isinstance(old, dict):
        return is_same(new, old)
    return all(
        isinstance(item, dict | list) or f"{path}/{escape(key)}" in failing or is_same(item, old[key])
        for key, item in new.items()
        if key in old
    )
