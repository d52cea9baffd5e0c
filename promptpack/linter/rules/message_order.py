"""Messages in an order that chat APIs refuse.

Several APIs take no two messages of the same role in a row (system messages excepted) and no conversation that the
assistant begins, and all of them want the result of a tool right after the message that calls it, and a result for
every call. Some take system messages only at the beginning, which is a note. Told is what the declared messages show;
where a `when` or the caller's history decides, only what is wrong whenever both messages are there. Of slots, the
conversation in `chat_history` is looked at, which the user's message follows.

Bad: two `role: user` messages one after the other.
Good: one message with both texts, or the assistant's answer between them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from promptpack.linter.rule import Advice
from promptpack.linter.subject import Subject
from promptpack.pack.placed import Placed
from promptpack.problem import Location, Severity

CODE: Final = "PL013"
NAME: Final = "message-order"
SEVERITY: Final[Severity] = "warning"

_MAY_REPEAT: Final = ("system", "tool")
_TEMPLATE: Final = "{"
_HISTORY: Final = "history"
_JOIN: Final = "join the two, or put the other side's message between them"


def check(subject: Subject) -> Iterator[Advice]:
    """Look at each message and those before it."""
    messages = () if subject.refused else subject.parts.messages
    for index, message in enumerate(messages):
        if "history" in message.value or not subject.owns(message):
            continue
        role = message.value["role"]
        before = [one.value.get("role", _HISTORY) for one in messages[:index]]
        if role in ("assistant", "system"):
            yield from _beginning(role, before, partial(message.locate, "role"))
        if role == "tool":
            yield from _result(messages, index)
        elif role not in _MAY_REPEAT and index and _is_repeated(messages[index - 1].value, message.value):
            yield Advice(f"this message has the role {role!r}, as the one before it", message.locate("role"), _JOIN)
        if "tool_calls" in message.value:
            yield from _unanswered(messages, index)
    yield from _of_slots(subject)


def _beginning(role: str, before: Sequence[str], locate: Callable[[], Location]) -> Iterator[Advice]:
    spoken = [one for one in before if one not in ("system", "developer")]
    if role == "assistant" and not spoken:
        hint = "let a message with 'role: user' come first"
        yield Advice("the assistant begins the conversation", locate(), hint)
    elif role == "system" and spoken and _HISTORY not in spoken:
        hint = "put it first, or give it the role 'user'"
        yield Advice("this system message comes after the conversation has begun", locate(), hint, severity="note")


def _of_slots(subject: Subject) -> Iterator[Advice]:
    history = subject.parts.slots.get("chat_history")
    if history is None or not isinstance(history.value, list) or not subject.owns(history):
        return
    roles: list[str] = []
    for index, said in enumerate(history.value):
        role = said.get("role", "user") if isinstance(said, Mapping) else "user"
        if role == "assistant":
            yield from _beginning(role, roles, partial(history.locate, index))
        if roles and roles[-1] == role and role not in _MAY_REPEAT and _TEMPLATE not in role:
            message = f"this message has the role {role!r}, as the one before it"
            yield Advice(message, history.locate(index), _JOIN)
        roles.append(role)
    if roles and roles[-1] == "user":
        message = "the user's message follows this one, which is the user's too"
        yield Advice(message, history.locate(len(roles) - 1), "end with what the assistant said")


def _is_repeated(before: dict[str, Any], message: dict[str, Any]) -> bool:
    # Two conditions may exclude each other; one cannot.
    return before.get("role") == message["role"] and not ("when" in before and "when" in message)


def _result(messages: Sequence[Placed], index: int) -> Iterator[Advice]:
    message = messages[index]
    before = next((one.value for one in reversed(messages[:index]) if one.value.get("role") != "tool"), None)
    if before is not None and "history" in before:
        return
    if before is None or "tool_calls" not in before:
        hint = "put it right after the assistant's message that calls the tool"
        yield Advice("this is the result of a tool that nobody called", message.locate("role"), hint)
        return
    answered = message.value.get("tool_call_id", _TEMPLATE)
    calls = [call["id"] for call in before["tool_calls"]]
    if _TEMPLATE not in answered and answered not in calls and not any(_TEMPLATE in call for call in calls):
        hint = f"the calls before it are {', '.join(map(repr, calls))}"
        yield Advice(f"this answers the call {answered!r}, which is not there", message.locate("tool_call_id"), hint)


def _unanswered(messages: Sequence[Placed], index: int) -> Iterator[Advice]:
    answers: list[str] = []
    for message in messages[index + 1 :]:
        if message.value.get("role") != "tool":
            if "history" in message.value:
                return
            break
        answers.append(message.value.get("tool_call_id", _TEMPLATE))
    if any(_TEMPLATE in answer for answer in answers):
        return
    for number, call in enumerate(messages[index].value["tool_calls"]):
        if _TEMPLATE not in call["id"] and call["id"] not in answers:
            hint = "let a message with 'role: tool' and this 'tool_call_id' follow"
            place = messages[index].locate("tool_calls", number, "id")
            yield Advice(f"nothing answers the call {call['id']!r}", place, hint)
