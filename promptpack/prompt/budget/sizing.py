"""Messages -> `SizedMessage`: their sizes, and which of them belong together."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass, replace
from typing import Any, Final, Generic, TypeVar

from promptpack.problem import ContextError, Problem
from promptpack.prompt.budget.counters import Counter
from promptpack.template.history.message_fields import read_content_text, read_text_field, read_tool_calls
from promptpack.template.history.short_text import trim_space

M = TypeVar("M")

_FIELDS: Final = ("role", "content", "tool_calls", "tool_call_id")


@dataclass(frozen=True, slots=True)
class BudgetItem(Generic[M]):
    """A `message`, whether it is spliced `history`, and the `priority` that allows dropping it."""

    message: M
    history: bool = False
    priority: float | None = None


@dataclass(frozen=True, slots=True)
class SizedMessage:
    """One message and its size; messages of one `group` are dropped together."""

    position: int
    role: str
    text: str
    size: int
    group: int
    priority: float | None = None
    history: bool = False
    can_be_cut: bool = False


def read_item(message: M) -> BudgetItem[M]:
    """Read `history` and `priority` from the fields of a message that has them."""
    return BudgetItem(message, bool(_field(message, "history")), _field(message, "priority"))


def measure_items(items: Sequence[BudgetItem[Any]], counter: Counter, per_message: int) -> list[SizedMessage]:
    """Measure the messages and group each tool call with its results."""
    views = [_view(item.message) for item in items]
    groups = _groups(views)
    return [
        SizedMessage(
            position=position,
            role=read_text_field(view, "role"),
            text=read_content_text(view),
            size=per_message + counter(read_content_text(view)) + _size_of_calls(view, counter),
            group=groups[position],
            priority=item.priority,
            history=item.history,
            can_be_cut=view.get("role") == "tool" and isinstance(view.get("content"), str),
        )
        for position, (item, view) in enumerate(zip(items, views, strict=True))
    ]


def total_size(messages: Sequence[SizedMessage]) -> int:
    """Return the sum of the sizes."""
    return sum(message.size for message in messages)


def replace_text(message: M, text: str) -> M:
    """Return a copy of a message with another text."""
    if isinstance(message, Mapping):
        return {**message, "content": text}  # type: ignore[return-value]
    if is_dataclass(message) and not isinstance(message, type):
        return replace(message, content=text)
    copy: Callable[..., M] | None = getattr(message, "model_copy", None)
    if copy is None:
        raise ContextError(Problem("PP434", f"cannot shorten a {type(message).__name__}", hint="pass a mapping"))
    return copy(update={"content": text})


def _field(message: object, name: str) -> Any:
    return message.get(name) if isinstance(message, Mapping) else getattr(message, name, None)


def _view(message: object) -> Mapping[str, Any]:
    write: Callable[[], Mapping[str, Any]] | None = getattr(message, "to_dict", None)
    return write() if write else {name: _field(message, name) for name in _FIELDS}


def _size_of_calls(view: Mapping[str, Any], counter: Counter) -> int:
    return sum(counter(call.name) + counter(call.arguments) for call in read_tool_calls(view))


def _groups(views: Iterable[Mapping[str, Any]]) -> list[int]:
    """Return for each message the position of the tool call it answers, or its own.

    A result belongs to the nearest earlier call with its id, because some models reuse ids, or else to the first later
    one. A result without an id belongs to the nearest earlier calls.
    """
    groups: list[int] = []
    callers: dict[str, int] = {}
    waiting: dict[str, list[int]] = {}
    for position, view in enumerate(views):
        groups.append(position)
        for call_id in _call_ids(view):
            callers[call_id] = position
            for earlier in waiting.pop(call_id, ()):
                groups[earlier] = position
        if view.get("role") == "tool":
            call_id = trim_space(read_text_field(view, "tool_call_id"))
            groups[position] = callers.get(call_id, position)
            if call_id and call_id not in callers:
                waiting.setdefault(call_id, []).append(position)
    return groups


def _call_ids(view: Mapping[str, Any]) -> set[str]:
    calls = read_tool_calls(view)
    # The empty id matches any of the calls, for results without an id.
    return {"", *(trim_space(call.id) for call in calls)} if calls else set()
