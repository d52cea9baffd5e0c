"""Measure a value: how deeply it is nested, how many values it contains, and the total length of their pointers."""

from typing import Any

# Values are reported by pointer, and long keys around many values make the pointers much longer than the reply.
MAX_POINTERS = 20_000_000
_SMALL = 4_000


def may_hold_more(text: str, max_values: int) -> bool:
    """Return whether JSON may contain too many values; brackets and commas in strings can cause a false True."""
    return len(text) > max_values and text.count(",") + text.count("{") + text.count("[") >= max_values


def is_too_large(text: str, value: Any, max_values: int) -> bool:
    """Return whether a value read from `text` contains too many values, or pointers that are too long in total."""
    if len(text) <= min(_SMALL, max_values) or not isinstance(value, dict | list):
        return False
    # One entry for each container: itself, and the length of its pointer.
    waiting, count, remaining = [(value, 0)], 1, MAX_POINTERS
    while waiting and count <= max_values and remaining >= 0:
        node, length = waiting.pop()
        count += len(node)
        remaining -= len(node) * length
        items = node.items() if isinstance(node, dict) else ((str(index), item) for index, item in enumerate(node))
        for key, item in items:
            if isinstance(item, dict | list):
                waiting.append((item, length + len(key) + 1))
            if isinstance(node, dict):
                remaining -= len(key)
    return count > max_values or remaining < 0
