"""Find the failing parts of a refused object in the answer to a correction; nothing else of the answer counts."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Literal

from promptpack.reply.tree import escape, same

MISSING: Any = object()
_UNKNOWN_FIELD = ("additionalProperties", "unevaluatedProperties")


class ConflictError(ValueError):
    """An answer gives one part twice, and the two differ."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


@dataclass(frozen=True, slots=True)
class Change:
    """One failing place with what the answer puts there; `source` is where in the answer that stands."""

    edit: Literal["set", "remove"]
    path: str
    source: str
    before: Any
    after: Any


def find_changes(value: Mapping[str, Any], answer: Mapping[str, Any], failing: Mapping[str, str]) -> list[Change]:
    """Look for every failing path, given with its rule, in its place in the answer or under its JSON pointer as key."""
    found: list[Change] = []
    for path in sorted(failing):
        if not path or any(path.startswith(change.path + "/") for change in found):
            continue
        parent, _, name = path.rpartition("/")
        holder = look(value, parent)
        step = unescape(name)
        if not (isinstance(holder, dict) or (isinstance(holder, list) and 0 <= _index(step) <= len(holder))):
            continue
        source, part = _part(value, answer, path, failing.keys())
        if failing[path] in _UNKNOWN_FIELD:
            if part is None or (part is MISSING and isinstance(_part(value, answer, parent, failing.keys())[1], dict)):
                found.append(Change("remove", path, source, look(value, path), None))
        elif part is not MISSING:
            before = look(value, path)
            found.append(Change("set", path, source, None if before is MISSING else before, part))
    return found


def look(value: Any, path: str) -> Any:
    """Give what a JSON pointer points to, or `MISSING`."""
    for name in path.split("/")[1:]:
        step = unescape(name)
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and 0 <= _index(step) < len(value):
            value = value[_index(step)]
        else:
            return MISSING
    return value


def unescape(name: str) -> str:
    """Read one step of a JSON pointer."""
    return name.replace("~1", "/").replace("~0", "~")


def _index(step: str) -> int:
    return int(step) if step.isascii() and step.isdecimal() and len(step) < 10 else -1


def _part(value: Any, answer: Mapping[str, Any], path: str, failing: AbstractSet[str]) -> tuple[str, Any]:
    """Find what an answer says about a path; two places that differ are a conflict."""
    pointers = [key for key in answer if key.startswith("/") and (path == key or path.startswith(key + "/"))]
    told = [(f"/{escape(key)}", _follow(answer[key], look(value, key), key, path, failing)) for key in pointers]
    told.append((path, _follow(answer, value, "", path, failing)))
    known = [(source, part) for source, part in told if part is not MISSING]
    if not known:
        return "", MISSING
    if not all(same(part, known[0][1]) for _, part in known):
        raise ConflictError(path)
    return known[0]


def _follow(new: Any, old: Any, prefix: str, path: str, failing: AbstractSet[str]) -> Any:
    for name in path[len(prefix) :].split("/")[1:]:
        if isinstance(new, list) and not (isinstance(old, list) and _same_items(new, old, prefix, failing)):
            return MISSING
        new, old = look(new, f"/{name}"), look(old, f"/{name}")
        prefix = f"{prefix}/{name}"
    return new


def _same_items(new: list[Any], old: list[Any], prefix: str, failing: AbstractSet[str]) -> bool:
    """Say whether the items of two lists belong together one by one: an item's number alone proves little."""
    under = {path[len(prefix) + 1 :].partition("/")[0] for path in failing if path.startswith(prefix + "/")}
    if len(new) != len(old) and under != {str(index) for index in range(len(new))}:
        return False
    pairs = zip(new, old, strict=False)
    return all(_agrees(item, known, f"{prefix}/{index}", failing) for index, (item, known) in enumerate(pairs))


def _agrees(new: Any, old: Any, path: str, failing: AbstractSet[str]) -> bool:
    """Say whether an item repeats the plain values of another where nothing was wrong with them."""
    if path in failing:
        return True
    if not isinstance(new, dict) or not isinstance(old, dict):
        return same(new, old)
    return all(
        isinstance(item, dict | list) or f"{path}/{escape(key)}" in failing or same(item, old[key])
        for key, item in new.items()
        if key in old
    )
