"""Messages as a budget sees them: sizes, and which of them belong together."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
    """A message, whether it was spliced in from a history, and its priority if it may go at all."""

    message: M
    history: bool = False
    priority: float | None = None


@dataclass(frozen=True, slots=True)
class SizedMessage:
    """One message: its size, and the `group` it can only go with."""

    position: int
    role: str
    text: str
    size: int
    group: int
    priority: float | None = None
    history: bool = False
    can_be_cut: bool = False


def read_item(message: M) -> BudgetItem[M]:
    """Take a message at its own word: its fields `history` and `priority`, where it has them."""
    return BudgetItem(message, bool(_field(message, "history")), _field(message, "priority"))


def measure_items(candidates: Sequence[BudgetItem[Any]], counter: Counter, per_message: int) -> list[SizedMessage]:
    """Measure the messages and find out which belong together."""
    views = [_view(candidate.message) for candidate in candidates]
    groups = _groups(views)
    return [
        SizedMessage(
            position=position,
            role=read_text_field(view, "role"),
            text=read_content_text(view),
            size=per_message + counter(read_content_text(view)) + sum(counter(text) for text in _call_texts(view)),
            group=groups[position],
            priority=candidate.priority,
            history=candidate.history,
            can_be_cut=view.get("role") == "tool" and isinstance(view.get("content"), str),
        )
        for position, (candidate, view) in enumerate(zip(candidates, views, strict=True))
    ]


def replace_text(message: M, text: str) -> M:
    """Copy a message with another text."""
    if isinstance(message, Mapping):
        return {**message, "content": text}  # type: ignore[return-value]
    if is_dataclass(message) and not isinstance(message, type):
        return replace(message, content=text)
    copy: Callable[..., M] | None = getattr(message, "model_copy", None)
    if copy is None:
        raise ContextError(Problem("PP434", f"a {type(message).__name__} cannot be cut", hint="give a mapping"))
    return copy(update={"content": text})


def _field(message: object, name: str) -> Any:
    return message.get(name) if isinstance(message, Mapping) else getattr(message, name, None)


def _view(message: object) -> Mapping[str, Any]:
    write: Callable[[], Mapping[str, Any]] | None = getattr(message, "to_dict", None)
    return write() if write else {name: _field(message, name) for name in _FIELDS}


def _call_texts(view: Mapping[str, Any]) -> Iterator[str]:
    for call in read_tool_calls(view):
        yield call.name
        yield call.arguments


def _groups(views: Iterable[Mapping[str, Any]]) -> list[int]:
    """Give each message the position of the tool call it answers, or its own.

    A result belongs to the nearest call before it that has its id, because some models use their ids again; failing
    that, to the first one after it. A result without an id belongs to the nearest calls before it.
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
    # The empty id stands for any of the calls, for results that do not say whose they are.
    return {"", *(trim_space(call.id) for call in calls)} if calls else set()
