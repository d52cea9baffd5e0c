"""The scanned reply as a tree of nodes with positions, and its conversion to plain data."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

NodeKind = Literal["object", "array", "string", "number", "literal", "bare", "hole"]


@dataclass(frozen=True, slots=True)
class Defect:
    """A defect of a value that no repair of the text can fix; `cleared_by` says what makes it harmless.

    It may be a repair of the value ("aligned"), a valid result ("valid"), a path that the contract names ("named"), or
    such a path with a text ("text").
    """

    rule: str
    message: str
    cleared_by: Literal["", "aligned", "valid", "named", "text"] = ""


class TextRepair(NamedTuple):
    """One change to the text on the way to strict JSON."""

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
    defect: Defect | None = None


@dataclass(slots=True)
class ExtractedData:
    """The plain data of a tree, with its defects, the spans of its values, and the keys that repeat."""

    value: Any = None
    defects: list[tuple[str, Defect]] = field(default_factory=list)
    spans: dict[str, tuple[int, int]] = field(default_factory=dict)
    repeats: list[str] = field(default_factory=list)


def escape(key: str) -> str:
    """Encode a key for a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def extract_data(root: Node) -> ExtractedData:
    """Convert a tree to plain data; a key that repeats with another value gets a defect."""
    found = ExtractedData()
    found.value = _value(root, "", found)
    return found


def _value(node: Node, path: str, found: ExtractedData) -> Any:
    found.spans[path] = (node.start, node.end)
    if node.defect is not None:
        found.defects.append((path, node.defect))
    if node.kind == "object":
        return _object(node, path, found)
    if node.kind == "array":
        return [_value(item, f"{path}/{index}", found) for index, (_, _, item) in enumerate(node.members)]
    return node.value


def _object(node: Node, path: str, found: ExtractedData) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, start, child in node.members:
        pointer = f"{path}/{escape(key)}"
        if key not in result:
            result[key] = _value(child, pointer, found)
            continue
        again = extract_data(child).value
        if is_same(result[key], again):
            found.repeats.append(pointer)
            continue
        found.spans[pointer] = (start, child.end)
        found.defects.append((pointer, Defect("duplicate", f"key {key!r} appears twice with different values")))
    return result


def is_same(left: Any, right: Any) -> bool:
    """Return whether two values are equal as JSON: a boolean is not a number, and 1 equals 1.0."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(is_same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(is_same, left, right))
    return bool(left == right) and (type(left) is type(right) or _both_numbers(left, right))


def _both_numbers(left: Any, right: Any) -> bool:
    return isinstance(left, int | float) and isinstance(right, int | float)


def walk(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield every value with its pointer, without recursion."""
    stack: list[tuple[str, Any]] = [("", value)]
    while stack:
        path, current = stack.pop()
        yield path, current
        if isinstance(current, dict):
            stack.extend((f"{path}/{escape(key)}", item) for key, item in current.items())
        elif isinstance(current, list):
            stack.extend((f"{path}/{index}", item) for index, item in enumerate(current))
