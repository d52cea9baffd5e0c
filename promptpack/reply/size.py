"""How large a value is: how deep it nests, how many values it holds, and how long their pointers are together."""

from typing import Any

# Every value is told of by its pointer; long keys around many values would make the pointers outgrow the reply.
MAX_POINTERS = 20_000_000
_SMALL = 4_000
_NO_BRACKETS = bytes(set(range(256)).difference(b"{}[]"))


def may_nest_deeper(strict: bytes, most: int) -> bool:
    """Say whether strict JSON nests deeper than `most`; brackets inside of texts may make it seem so."""
    rest, depth = strict.translate(None, _NO_BRACKETS), 0
    while depth + len(rest) > most and depth <= most:
        # This takes away one level or two.
        inner = rest.replace(b"[]", b"").replace(b"{}", b"")
        if len(inner) == len(rest):
            return True
        rest, depth = inner, depth + 2
    return depth > most


def may_hold_more(text: str, most: int) -> bool:
    """Say whether JSON holds more than `most` values, each after a bracket or a comma; texts may make it seem so."""
    return len(text) > most and text.count(",") + text.count("{") + text.count("[") >= most


def is_too_large(text: str, value: Any, most: int) -> bool:
    """Say whether a value read from `text` holds more than `most` values, or has pointers out of all proportion."""
    if len(text) <= min(_SMALL, most) or not isinstance(value, dict | list):
        return False
    # One entry a container: itself, and the length of its pointer.
    waiting, count, room = [(value, 0)], 1, MAX_POINTERS
    while waiting and count <= most and room >= 0:
        node, length = waiting.pop()
        count += len(node)
        room -= len(node) * length
        items = node.items() if isinstance(node, dict) else ((str(index), item) for index, item in enumerate(node))
        for key, item in items:
            if isinstance(item, dict | list):
                waiting.append((item, length + len(key) + 1))
            if isinstance(node, dict):
                room -= len(key)
    return count > most or room < 0
