"""Find the objects inside a wrapper, a list of one or a tool call, with the repairs that unwrap each."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from promptpack.reply.align import ValueRepair, parse_text
from promptpack.reply.candidates import SearchLimits, find
from promptpack.reply.hidden_text import is_hidden_name
from promptpack.reply.syntax_tree import escape

_MAX_INNER = 200
_MAX_DEPTH = 12
# Keys under which providers put the model's message; such a text is read like a reply, with prose and fences.
_MESSAGES = frozenset(("content", "text", "output_text", "generated_text", "response", "completion"))
# Keys of schemas and error reports that have an object which is not the answer.
_SHOWN = frozenset(("default", "const", "enum", "failed_generation"))
# Keys whose value says who wrote a message; a call of a tool has its arguments under `input`.
_WRITERS = ("role", "from", "type", "channel", "author")
_OTHER_WRITERS = frozenset(("tool", "ipython", "analysis"))
_CALLS = frozenset(("name", "tool", "tool_name", "toolName", "function", "action"))
_ENVELOPE_DEPTH = 5
_FINISH_KEYS = ("finish_reason", "finishReason", "stop_reason", "stopReason", "done_reason", "status")
_CUT_REASON = re.compile(
    r"length|max|limit|incomplete|trunc|safety|filter|exceed|interrupt|cancel|abort|error|recitation|block|pause"
    r"|insufficient|prohibit|spii|guardrail|refus|malformed|unexpected|timeout",
    re.IGNORECASE,
)
_LIMITS = SearchLimits(depth=100, nodes=20_000, values=50_000, candidates=20)

_WrappedValue = tuple[list[ValueRepair], str, Any, int]


def find_inner_answers(value: Any, is_answer: Callable[[Any], bool]) -> Iterator[tuple[list[ValueRepair], Any]]:
    """Yield possible answers inside a value, outermost first; objects inside an answer belong to it."""
    queue: list[_WrappedValue] = [([], "", value, 0)]
    seen = 0
    while queue and seen < _MAX_INNER:
        repairs, path, current, depth = queue.pop(0)
        seen += 1
        if depth and isinstance(current, dict) and is_answer(current) and not _is_schema(current):
            yield ([*repairs, _unwrap(path)] if path else repairs), current
        elif depth < _MAX_DEPTH:
            queue.extend(_children(repairs, path, current, depth + 1))


def is_cut_reason(reason: Any) -> bool:
    """Return whether the reason that a provider gives for the end of a reply means that the reply is cut."""
    return isinstance(reason, str) and _CUT_REASON.search(reason[:_MAX_INNER]) is not None


def reports_cut(value: Any) -> bool:
    """Return whether the envelope of a reply says that the reply is cut."""
    level = [value]
    for _ in range(_ENVELOPE_DEPTH):
        if any(is_cut_reason(one.get(key)) for one in level if isinstance(one, dict) for key in _FINISH_KEYS):
            return True
        level = [item for one in level[:_MAX_INNER] for item in _items(one)]
    return False


def _items(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _is_others(value: dict[str, Any]) -> bool:
    """Return whether a message or a part of one is not the model's answer: of another role, or thinking."""
    writers = [value.get(key) for key in _WRITERS]
    if value.get("thought") is True or value.get("role") == "function":
        return True
    return any(
        _is_others(one) if isinstance(one, dict) else one.lower() in _OTHER_WRITERS or is_hidden_name(one)
        for one in writers
        if isinstance(one, dict | str)
    )


def _is_shown(key: str, owner: dict[str, Any]) -> bool:
    """Return whether the value of a key is thinking, text of others, or only shows how an answer looks."""
    if key == "input" and not _CALLS.isdisjoint(owner):
        return False
    return key in _SHOWN or is_hidden_name(key)


def _unwrap(path: str) -> ValueRepair:
    return ValueRepair("unwrap", path, "wrapper", None, None)


def _is_schema(value: dict[str, Any]) -> bool:
    """Return whether an object describes an answer by JSON Schemas, so that it is not an answer."""
    return all(isinstance(item, dict) and ("type" in item or "enum" in item) for item in value.values())


def _children(repairs: list[ValueRepair], path: str, current: Any, depth: int) -> Iterator[_WrappedValue]:
    if isinstance(current, dict):
        for key, item in () if _is_others(current) else current.items():
            if not _is_shown(key, current):
                yield repairs, f"{path}/{escape(key)}", item, depth
    elif isinstance(current, list):
        for index, item in enumerate(current[:_MAX_INNER]):
            yield repairs, f"{path}/{index}", item, depth
    elif isinstance(current, str):
        unwrapped = [*repairs, _unwrap(path)] if path else repairs
        for parsed in _parse_objects(current, path.rpartition("/")[2]):
            yield [*unwrapped, ValueRepair("set", "", "json-string", current, parsed)], "", parsed, depth


def _parse_objects(text: str, key: str) -> Iterator[Any]:
    """Yield the objects of a text: the whole text, or the objects in a message with other words."""
    if (parsed := parse_text(text)) is not None:
        yield parsed
    elif key in _MESSAGES:
        found = find(text, _LIMITS).candidates
        if any(one.scan is not None and one.scan.tail in ("open", "cut") for one in found):
            return
        for candidate in found:
            if candidate.scan is None or (candidate.scan.tail == "closed" and not candidate.defects):
                yield candidate.value
