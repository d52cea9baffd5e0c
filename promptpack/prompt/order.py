"""The order that chat APIs ask of messages: who may follow whom, and which call a tool's result belongs to."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from promptpack.problem import ContextError, Problem
from promptpack.prompt.message import Message, read_message

# Several of these in a row are usual: system notes from several sources, and one result for each call.
_MAY_REPEAT = ("system", "tool")


class InvalidSequenceError(ContextError):
    """Messages are in an order that chat APIs refuse; `index` is that of the first wrong one, None for no messages."""

    def __init__(self, problems: Problem | Iterable[Problem], index: int | None) -> None:
        super().__init__(problems)
        self.index = index

    def __reduce__(self) -> tuple[type, tuple[tuple[Problem, ...], int | None]]:  # type: ignore[override]
        return type(self), (self.problems, self.index)


def validate_messages(messages: Iterable[Message | Mapping[str, Any]]) -> None:
    """Check the order of messages; raises every problem at once."""
    read = [read_message(message, f"message {index + 1}") for index, message in enumerate(messages)]
    if not read:
        raise InvalidSequenceError(Problem("PP451", "there are no messages", None, "add at least one"), None)
    found = [(index, problem) for index in range(len(read)) for problem in _check(read, index)]
    if found:
        raise InvalidSequenceError((problem for _, problem in found), found[0][0])


def _check(messages: Sequence[Message], index: int) -> Iterator[Problem]:
    message = messages[index]
    where = f"message {index + 1}"
    if message.role == "tool":
        yield from _check_tool(messages, index, where)
    elif message.role not in _MAY_REPEAT and index and messages[index - 1].role == message.role:
        hint = "join the two, or put the other side's message between them"
        yield Problem("PP452", f"{where} has the role {message.role!r}, as the one before it", None, hint)


def _check_tool(messages: Sequence[Message], index: int, where: str) -> Iterator[Problem]:
    before = next((message for message in reversed(messages[:index]) if message.role != "tool"), None)
    if before is None or before.role != "assistant" or not before.tool_calls:
        hint = "put it right after the assistant's message that calls the tool"
        yield Problem("PP453", f"{where} is the result of a tool that nobody called", None, hint)
        return
    calls = [call.id for call in before.tool_calls]
    answered = messages[index].tool_call_id
    if answered not in calls:
        hint = f"the calls before it are {', '.join(map(repr, calls))}"
        yield Problem("PP454", f"{where} answers the call {answered!r}, which is not there", None, hint)
