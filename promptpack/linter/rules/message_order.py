"""Messages in an order that chat APIs reject.

Several APIs reject two messages in a row with the same role (except system messages), and a conversation that starts
with the assistant. All of them require the result of a tool right after the message that calls it, and a result for
every call. Some accept system messages only at the start; this is reported as a note. The rule checks the declared
messages; where a `when` or the caller's history decides, it reports only what is wrong whenever both messages are
present. Among slots, it checks the conversation in `chat_history`, which the user's message follows.

Bad: two `role: user` messages in a row.
Good: one message with both texts, or the assistant's answer between them.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from promptpack.linter.rule import LintProblem
from promptpack.linter.rules.locale_out_of_step import find_default
from promptpack.linter.subject import Subject
from promptpack.pack.placed import Placed
from promptpack.problem import Location

CODE: Final = "PL013"
NAME: Final = "message-order"
SEVERITY: Final = "warning"

_MAY_REPEAT: Final = ("system", "tool")
_MAX_LISTED: Final = 8
_TEMPLATE: Final = "{"
_HISTORY: Final = "history"
_REPEATED: Final = "this message has the same role as the one before it: {!r}"
_MERGE: Final = "merge the two, or put a message with another role between them"


def check(subject: Subject) -> Iterator[LintProblem]:
    """Compare each message with the messages around it."""
    # The roles of a variant are those of its default file (PL012).
    is_variant = find_default(subject) is not None
    messages = () if subject.is_pruned or is_variant else subject.sections.messages
    roles: set[str] = set()
    caller: Mapping[str, Any] | None = None
    for index, message in enumerate(messages):
        value = message.value
        role = value.get("role", _HISTORY)
        if role != _HISTORY and subject.owns(message):
            yield from _check_start(role, roles, partial(message.locate, "role"))
            if role == "tool":
                yield from _check_tool_result(message, caller)
            elif role not in _MAY_REPEAT and index and _is_repeated(messages[index - 1].value, value):
                yield LintProblem(_REPEATED.format(role), message.locate("role"), _MERGE)
            if "tool_calls" in value:
                yield from _check_tool_calls(messages, index)
        roles.add(role)
        caller = caller if role == "tool" else value
    yield from _check_slots(subject)


def _check_start(role: str, before: Collection[str], locate: Callable[[], Location]) -> Iterator[LintProblem]:
    conversation = {one for one in before if one not in ("system", "developer")}
    if role == "assistant" and not conversation:
        hint = "put a message with 'role: user' first"
        yield LintProblem("the conversation starts with the assistant", locate(), hint)
    elif role == "system" and conversation and _HISTORY not in conversation:
        hint = "put it first, or give it the role 'user'"
        yield LintProblem("this system message follows the start of the conversation", locate(), hint, severity="note")


def _check_slots(subject: Subject) -> Iterator[LintProblem]:
    history = subject.sections.slots.get("chat_history")
    if history is None or not isinstance(history.value, list) or not subject.owns(history):
        return
    roles: set[str] = set()
    last = ""
    for index, message in enumerate(history.value):
        role = message.get("role", "user") if isinstance(message, Mapping) else "user"
        if role == "assistant":
            yield from _check_start(role, roles, partial(history.locate, index))
        if last == role and role not in _MAY_REPEAT and _TEMPLATE not in role:
            yield LintProblem(_REPEATED.format(role), history.locate(index), _MERGE)
        roles.add(role)
        last = role
    if last == "user":
        text = "the history ends with a user message, and the user's message follows it"
        location = history.locate(len(history.value) - 1)
        yield LintProblem(text, location, "end the history with a message of the assistant")


def _is_repeated(before: dict[str, Any], message: dict[str, Any]) -> bool:
    # Two conditions may exclude each other, so that only one of the messages is sent.
    return before.get("role") == message["role"] and not ("when" in before and "when" in message)


def _check_tool_result(message: Placed, caller: Mapping[str, Any] | None) -> Iterator[LintProblem]:
    """Check a tool result; `caller` is the last message before it that is not one."""
    if caller is not None and "history" in caller:
        return
    if caller is None or "tool_calls" not in caller:
        hint = "put it right after the assistant's message that calls the tool"
        yield LintProblem("this tool result does not follow a tool call", message.locate("role"), hint)
        return
    answered = message.value.get("tool_call_id", _TEMPLATE)
    calls = [call["id"] for call in caller["tool_calls"]]
    if _TEMPLATE not in answered and answered not in calls and not any(_TEMPLATE in call for call in calls):
        more = ", ..." if len(calls) > _MAX_LISTED else ""
        hint = f"the calls before it are {', '.join(map(repr, calls[:_MAX_LISTED]))}{more}"
        yield LintProblem(f"this is the result of an unknown call {answered!r}", message.locate("tool_call_id"), hint)


def _check_tool_calls(messages: Sequence[Placed], index: int) -> Iterator[LintProblem]:
    answers: set[str] = set()
    for position in range(index + 1, len(messages)):
        message = messages[position]
        if message.value.get("role") != "tool":
            if "history" in message.value:
                return
            break
        answers.add(message.value.get("tool_call_id", _TEMPLATE))
    if any(_TEMPLATE in answer for answer in answers):
        return
    for number, call in enumerate(messages[index].value["tool_calls"]):
        if _TEMPLATE not in call["id"] and call["id"] not in answers:
            hint = "add a message with 'role: tool' and this 'tool_call_id' after it"
            location = messages[index].locate("tool_calls", number, "id")
            yield LintProblem(f"the call {call['id']!r} has no result", location, hint)
