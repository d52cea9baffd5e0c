"""How large a value is: how many values it holds, and how long their pointers are together."""

from typing import Any

# Every value is told of by its pointer; long keys around many values would make the pointers outgrow the reply.
MAX_POINTERS = 20_000_000
_SMALL = 4_000


def is_too_large(length: int, value: Any, most: int) -> bool:
    """Say whether a value read from so many characters holds more than `most` values, or pointers out of proportion."""
    if (length <= _SMALL and length <= most) or not isinstance(value, dict | list):
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
