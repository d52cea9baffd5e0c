"""JSON pointers and local references: write, split and follow them."""

from collections.abc import Iterable, Mapping
from typing import Any


def pointer(path: Iterable[str | int]) -> str:
    """Return a path as a JSON pointer."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def split_pointer(pointer: str) -> list[str]:
    """Return the unescaped keys of a JSON pointer or a local reference."""
    return [key.replace("~1", "/").replace("~0", "~") for key in pointer.split("/")[1:]]


def find_target(root: Any, reference: Any) -> Any:
    """Return the part of a schema that a local reference points to, or None if it does not exist."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    for key in split_pointer(reference):
        if isinstance(root, list):
            root = root[int(key)] if key.isdecimal() and int(key) < len(root) else None
        else:
            root = root.get(key) if isinstance(root, Mapping) else None
    return root
