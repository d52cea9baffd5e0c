"""`validate_messages`: the order of messages that chat APIs require."""

import pickle
from collections.abc import Callable

import pytest

from promptpack import Message, Pack
from promptpack.prompt.message import ToolCall
from promptpack.prompt.order import InvalidSequenceError, validate_messages

SYSTEM, USER, ASSISTANT = Message("system", "s"), Message("user", "u"), Message("assistant", "a")
DEVELOPER = Message("developer", "d")
CALLS = Message("assistant", None, tool_calls=(ToolCall("1", "f", "{}"), ToolCall("2", "f", "{}")))


def result(call_id: str) -> Message:
    return Message("tool", "r", tool_call_id=call_id)


@pytest.mark.parametrize(
    "messages",
    [
        [USER],
        [ASSISTANT],
        [SYSTEM, SYSTEM, DEVELOPER, USER, ASSISTANT, SYSTEM, USER],
        [USER, CALLS, result("2"), result("1"), result("1"), ASSISTANT],
        [USER, CALLS],
        [USER, CALLS, result("1"), CALLS, result("2")],
        [{"role": "user", "content": "u"}, ASSISTANT],
    ],
)
def test_an_order_that_chat_apis_accept_is_valid(messages: list[Message]) -> None:
    validate_messages(messages)


@pytest.mark.parametrize(
    ("messages", "index", "expected"),
    [
        ([], None, "PP451 there are no messages\n  hint: add at least one"),
        (
            [SYSTEM, USER, USER],
            2,
            (
                "PP452 message 3 has the role 'user', like the message before it\n"
                "  hint: join the two messages, or put a message with another role between them"
            ),
        ),
        (
            [USER, ASSISTANT, result("1")],
            2,
            (
                "PP453 message 3 is a tool result, but no tool was called\n"
                "  hint: put it right after the assistant message that calls the tool"
            ),
        ),
        (
            [USER, CALLS, result("3")],
            2,
            "PP454 message 3 answers the unknown call '3'\n  hint: use the id of a call before it: '1', '2'",
        ),
    ],
)
def test_a_wrong_order_is_reported(messages: list[Message], index: int | None, expected: str) -> None:
    with pytest.raises(InvalidSequenceError) as caught:
        validate_messages(messages)
    assert caught.value.index == index
    assert str(caught.value) == expected


@pytest.mark.parametrize(
    "messages",
    [
        [result("1"), USER],
        [DEVELOPER, DEVELOPER],
        [USER, CALLS, SYSTEM, result("1")],
        [USER, CALLS, result("1"), ASSISTANT, result("1")],
        [USER, CALLS, CALLS],
        [USER, CALLS, Message("tool", "r")],
    ],
)
def test_other_orders_are_refused(messages: list[Message]) -> None:
    with pytest.raises(InvalidSequenceError):
        validate_messages(messages)


def test_all_wrong_messages_are_reported_together() -> None:
    with pytest.raises(InvalidSequenceError) as caught:
        validate_messages([result("1"), USER, USER, ASSISTANT, ASSISTANT])
    assert [problem.code for problem in caught.value.problems] == ["PP453", "PP452", "PP452"]
    assert caught.value.index == 0
    copy = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 -- our own bytes
    assert (copy.index, str(copy)) == (0, str(caught.value))


def test_a_prompt_checks_its_own_order(make_pack: Callable[[str], Pack]) -> None:
    pack = make_pack(
        "inputs: {HISTORY: {type: array}}\nmessages:\n  - {history: HISTORY}\n  - {role: user, content: x}\n"
    )
    pack.render(HISTORY=[]).validate()
    with pytest.raises(InvalidSequenceError):
        pack.render(HISTORY=[{"role": "user", "content": "y"}]).validate()
