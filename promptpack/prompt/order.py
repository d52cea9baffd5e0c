"""The order of messages that chat APIs require: which roles may follow each other, and tool calls before results."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from promptpack.problem import ContextError, Problem
from promptpack.prompt.message import Message, read_message

# Several in a row are normal: system notes from several sources, and one result per call.
_MAY_REPEAT = ("system", "tool")


class InvalidSequenceError(ContextError):
    """Chat APIs refuse this order.

    `problems` says why, and `index` is the index of the first wrong message, None if there are no messages.
    """

    def __init__(self, problems: Problem | Iterable[Problem], index: int | None) -> None:
        super().__init__(problems)
        self.index = index

    def __reduce__(self) -> tuple[type, tuple[tuple[Problem, ...], int | None]]:  # type: ignore[override]
        return type(self), (self.problems, self.index)


def validate_messages(messages: Iterable[Message | Mapping[str, Any]]) -> None:
    """Check the order of `messages`; raise all problems in one `InvalidSequenceError`."""
    parsed = [read_message(message, f"message {index + 1}") for index, message in enumerate(messages)]
    if not parsed:
        raise InvalidSequenceError(Problem("PP451", "there are no messages", None, "add at least one"), None)
    found = [(index, problem) for index in range(len(parsed)) for problem in _check(parsed, index)]
    if found:
        raise InvalidSequenceError((problem for _, problem in found), found[0][0])


def _check(messages: Sequence[Message], index: int) -> Iterator[Problem]:
    message = messages[index]
    where = f"message {index + 1}"
    if message.role == "tool":
        yield from _check_tool(messages, index, where)
    elif message.role not in _MAY_REPEAT and index and messages[index - 1].role == message.role:
        hint = "join the two messages, or put a message with another role between them"
        yield Problem("PP452", f"{where} has the role {message.role!r}, like the message before it", None, hint)


def _check_tool(messages: Sequence[Message], index: int, where: str) -> Iterator[Problem]:
    caller = next((message for message in reversed(messages[:index]) if message.role != "tool"), None)
    if caller is None or caller.role != "assistant" or not caller.tool_calls:
        hint = "put it right after the assistant message that calls the tool"
        yield Problem("PP453", f"{where} is a tool result, but no tool was called", None, hint)
        return
    ids = [call.id for call in caller.tool_calls]
    answered = messages[index].tool_call_id
    if answered not in ids:
        hint = f"use the id of a call before it: {', '.join(map(repr, ids))}"
        yield Problem("PP454", f"{where} answers the unknown call {answered!r}", None, hint)
