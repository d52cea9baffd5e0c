"""The scanned reply as a tree that remembers the place of every value."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

NodeKind = Literal["object", "array", "string", "number", "literal", "bare", "hole"]


@dataclass(frozen=True, slots=True)
class Mark:
    """Something about a value that no repair settles, unless it yields to an alignment or to the contract."""

    rule: str
    message: str
    yields: Literal["", "aligned", "valid", "named"] = ""


class Edit(NamedTuple):
    """One change to the text that brings it nearer to strict JSON."""

    kind: str
    start: int
    end: int
    after: str


@dataclass(slots=True)
class Node:
    """One value in the text; it grows while the scanner reads."""

    kind: NodeKind
    start: int
    end: int = -1
    value: Any = None
    members: list[tuple[str, int, "Node"]] = field(default_factory=list)
    mark: Mark | None = None


@dataclass(slots=True)
class Harvest:
    """A tree turned into plain data, with the marks, places and repeated keys found on the way."""

    value: Any = None
    marks: list[tuple[str, Mark]] = field(default_factory=list)
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    repeats: list[str] = field(default_factory=list)


def escape(key: str) -> str:
    """Write a key as one step of a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def harvest(root: Node) -> Harvest:
    """Turn the tree into plain data; keys that repeat with another value are marked, not lost."""
    found = Harvest()
    found.value = _value(root, "", found)
    return found


def _value(node: Node, path: str, found: Harvest) -> Any:
    found.places[path] = (node.start, node.end)
    if node.mark is not None:
        found.marks.append((path, node.mark))
    if node.kind == "object":
        return _object(node, path, found)
    if node.kind == "array":
        return [_value(item, f"{path}/{index}", found) for index, (_, _, item) in enumerate(node.members)]
    return node.value


def _object(node: Node, path: str, found: Harvest) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, start, child in node.members:
        place = f"{path}/{escape(key)}"
        if key not in result:
            result[key] = _value(child, place, found)
            continue
        again = harvest(child).value
        if same(result[key], again):
            found.repeats.append(place)
            continue
        found.places[place] = (start, child.end)
        found.marks.append((place, Mark("duplicate", f"key {key!r} is given twice with different values")))
    return result


def same(left: Any, right: Any) -> bool:
    """Compare exactly: a boolean is not a number, and 1 is 1.0."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right) and (type(left) is type(right) or _both_numbers(left, right))


def _both_numbers(left: Any, right: Any) -> bool:
    return isinstance(left, int | float) and isinstance(right, int | float)


def walk(value: Any) -> Iterator[tuple[str, Any]]:
    """Go through every value with its pointer, without recursion."""
    stack: list[tuple[str, Any]] = [("", value)]
    while stack:
        path, current = stack.pop()
        yield path, current
        if isinstance(current, dict):
            stack.extend((f"{path}/{escape(key)}", item) for key, item in current.items())
        elif isinstance(current, list):
            stack.extend((f"{path}/{index}", item) for index, item in enumerate(current))
