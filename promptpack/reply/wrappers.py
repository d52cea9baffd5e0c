"""The objects inside a wrapper, a list of one or a tool call, with the steps that lead to each."""

from collections.abc import Callable, Iterator
from typing import Any

from promptpack.reply.align import Step, parse_text
from promptpack.reply.candidates import Limits, find
from promptpack.reply.tree import escape

_MAX_INNER = 200
_MAX_DEPTH = 12
# Where providers put what the model said; such a text is a reply of its own, with prose and fences.
_MESSAGES = frozenset(("content", "text", "output_text", "generated_text", "response", "completion"))
# Where they put what it only thought; an object in there is a draft.
_THINKING = frozenset(("reasoning_content", "reasoning", "thinking", "thought_summary", "reasoning_text"))
_LIMITS = Limits(depth=100, nodes=20_000, values=50_000, candidates=20)

Inner = tuple[list[Step], Any]


def inner_answers(value: Any, is_answer: Callable[[Any], bool]) -> Iterator[Inner]:
    """Find what may be answers inside a value, nearest first; what an answer holds belongs to it."""
    queue: list[tuple[list[Step], str, Any, int]] = [([], "", value, 0)]
    seen = 0
    while queue and seen < _MAX_INNER:
        steps, path, current, depth = queue.pop(0)
        seen += 1
        if depth and isinstance(current, dict) and is_answer(current) and not _is_schema(current):
            yield ([*steps, _unwrap(path)] if path else steps), current
        elif depth < _MAX_DEPTH:
            queue.extend(_children(steps, path, current, depth + 1))


def _unwrap(path: str) -> Step:
    return Step("unwrap", path, "wrapper", None, None)


def _is_schema(value: dict[str, Any]) -> bool:
    """What describes an answer by schemas is none."""
    return all(isinstance(item, dict) and ("type" in item or "enum" in item) for item in value.values())


def _children(steps: list[Step], path: str, current: Any, depth: int) -> Iterator[tuple[list[Step], str, Any, int]]:
    if isinstance(current, dict):
        for key, item in current.items():
            if key not in _THINKING or not isinstance(item, str):
                yield steps, f"{path}/{escape(key)}", item, depth
    elif isinstance(current, list):
        for index, item in enumerate(current[:_MAX_INNER]):
            yield steps, f"{path}/{index}", item, depth
    elif isinstance(current, str):
        way = [*steps, _unwrap(path)] if path else steps
        for parsed in _told(current, path.rpartition("/")[2]):
            yield [*way, Step("set", "", "json-string", current, parsed)], "", parsed, depth


def _told(text: str, key: str) -> Iterator[Any]:
    """Read the objects that a text holds: the whole of it, or what a message says among other words."""
    if (parsed := parse_text(text)) is not None:
        yield parsed
    elif key in _MESSAGES:
        for candidate in find(text, _LIMITS).candidates:
            if candidate.scan is None or (candidate.scan.tail == "closed" and not candidate.marks):
                yield candidate.value
