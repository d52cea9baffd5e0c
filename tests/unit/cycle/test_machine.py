from typing import Any

import pytest

from promptpack.cycle.cycle_errors import ProviderError, RunStoppedError
from promptpack.cycle.cycle_settings import Backoff, CycleSettings
from promptpack.cycle.machine import CallTool, Conversation, Effect, Emit, Now, Send, Sleep, converse
from promptpack.cycle.model_tools import ModelTool
from promptpack.cycle.provider import Completion
from promptpack.problem import Problem
from promptpack.prompt.message import Message, ToolCall
from promptpack.verdict import Verdict, Violation

ASKED = (Message("user", "hi"),)
GOOD = Verdict("valid", data="fine")
BAD = Verdict("invalid", violations=(Violation("PP510", "/thought", "is missing", "required"),), correction="fix it")


class Hand:
    """Drive the machine by hand: answer clock effects, collect events, and return every other effect to the test."""

    def __init__(self, conversation: Conversation, clock: float = 0.0) -> None:
        self.effects = converse(conversation)
        self.clock = clock
        self.events: list[Any] = []

    def next(self, answer: Any = None, failure: Exception | None = None) -> Effect:
        effect = self.effects.throw(failure) if failure else self.effects.send(answer)
        while isinstance(effect, Now | Emit):
            if isinstance(effect, Emit):
                self.events.append(effect.event)
            effect = self.effects.send(self.clock if isinstance(effect, Now) else None)
        return effect

    def end(self, answer: Any = None) -> Any:
        with pytest.raises(StopIteration) as ended:
            self.next(answer)
        return ended.value.value


def failure(*, retryable: bool = True, retry_after: float | None = None) -> ProviderError:
    return ProviderError(Problem("PP605", "failed"), retryable=retryable, retry_after=retry_after)


def judging(verdicts: list[Verdict]) -> Any:
    return lambda _: verdicts.pop(0)


def test_without_a_judge_the_first_text_is_the_answer() -> None:
    hand = Hand(Conversation(ASKED))
    sent = hand.next()
    assert isinstance(sent, Send)
    assert sent.request.messages == ASKED
    transcript = hand.end(Completion("hello"))
    assert transcript.text == "hello"
    assert transcript.stop == "answered"
    assert transcript.messages == (*ASKED, Message("assistant", "hello"))
    assert transcript.verdict is None


def test_an_invalid_reply_is_answered_with_its_correction() -> None:
    hand = Hand(Conversation(ASKED, judge=judging([BAD, GOOD])))
    hand.next()
    again = hand.next(Completion("bad"))
    assert isinstance(again, Send)
    assert again.request.messages == (*ASKED, Message("assistant", "bad"), Message("user", "fix it"))
    transcript = hand.end(Completion("good"))
    assert transcript.verdict is GOOD
    assert [done.verdict for done in transcript.rounds] == [BAD, GOOD]
    assert transcript.rounds[0].answers == (Message("user", "fix it"),)


def test_the_last_round_returns_the_last_failing_verdict() -> None:
    last = Verdict("invalid", violations=BAD.violations, correction="again")
    hand = Hand(Conversation(ASKED, CycleSettings(rounds=2), judge=judging([BAD, last])))
    hand.next()
    hand.next(Completion("bad"))
    transcript = hand.end(Completion("worse"))
    assert transcript.verdict is last
    assert transcript.stop == "rounds"
    assert transcript.messages[-1] == Message("assistant", "worse")


def test_a_temporary_failure_is_retried_after_growing_waits() -> None:
    hand = Hand(Conversation(ASKED, CycleSettings(retries=2, backoff=Backoff(1.0, 3.0))))
    hand.next()
    assert hand.next(failure=failure()) == Sleep(1.0)
    assert isinstance(hand.next(), Send)
    assert hand.next(failure=failure()) == Sleep(3.0)
    assert isinstance(hand.next(), Send)
    assert hand.end(Completion("hello")).text == "hello"


def test_the_last_attempt_raises_its_failure() -> None:
    hand = Hand(Conversation(ASKED, CycleSettings(retries=0)))
    hand.next()
    error = failure()
    with pytest.raises(ProviderError) as raised:
        hand.next(failure=error)
    assert raised.value is error


def test_a_permanent_failure_is_not_retried() -> None:
    hand = Hand(Conversation(ASKED))
    hand.next()
    with pytest.raises(ProviderError):
        hand.next(failure=failure(retryable=False))


def test_the_server_may_ask_for_a_longer_wait() -> None:
    hand = Hand(Conversation(ASKED))
    hand.next()
    assert hand.next(failure=failure(retry_after=9.0)) == Sleep(9.0)


def test_a_wait_longer_than_the_limit_is_raised_to_the_caller() -> None:
    hand = Hand(Conversation(ASKED, CycleSettings(backoff=Backoff(longest=30.0))))
    hand.next()
    with pytest.raises(ProviderError) as raised:
        hand.next(failure=failure(retry_after=3600.0))
    assert raised.value.retry_after == 3600.0


def test_a_request_never_waits_past_the_deadline() -> None:
    hand = Hand(Conversation(ASKED, CycleSettings(timeout=60.0, deadline=10.0), judge=judging([BAD, GOOD])))
    first = hand.next()
    hand.clock = 7.0
    second = hand.next(Completion("bad"))
    assert isinstance(first, Send)
    assert isinstance(second, Send)
    assert (first.request.timeout, second.request.timeout) == (10.0, 3.0)
    assert first.until == second.until == 10.0


def test_a_run_ends_at_its_deadline() -> None:
    hand = Hand(Conversation(ASKED, CycleSettings(deadline=10.0), judge=judging([BAD])))
    hand.next()
    hand.clock = 10.0
    with pytest.raises(RunStoppedError) as raised:
        hand.next(Completion("bad"))
    assert str(raised.value) == "PP611 the run's deadline has passed\n  hint: set a longer 'deadline'"


def test_a_wait_past_the_deadline_does_not_start() -> None:
    hand = Hand(Conversation(ASKED, CycleSettings(deadline=10.0)))
    hand.next()
    error = failure(retry_after=10.0)
    with pytest.raises(RunStoppedError) as raised:
        hand.next(failure=error)
    assert raised.value.__cause__ is error


def test_tools_are_called_in_order_and_answered_by_id() -> None:
    calls = (ToolCall("1", "add", '{"a": 1, "b": 2}'), ToolCall("2", "add", '{"a": 3, "b": 4}'))
    hand = Hand(Conversation(ASKED, tools=(ModelTool.of(add),)))
    hand.next()
    assert hand.next(Completion(tool_calls=calls)) == CallTool("add", add, {"a": 1, "b": 2})
    assert hand.next(3) == CallTool("add", add, {"a": 3, "b": 4})
    again = hand.next(7)
    assert isinstance(again, Send)
    assert again.request.messages == (
        *ASKED,
        Message("assistant", None, tool_calls=calls),
        Message("tool", "3", tool_call_id="1"),
        Message("tool", "7", tool_call_id="2"),
    )


def test_a_call_of_a_tool_without_a_function_is_returned_to_the_caller() -> None:
    call = ToolCall("1", "book", "{}")
    hand = Hand(Conversation(ASKED, tools=(ModelTool.of(add), ModelTool("book")), judge=judging([])))
    hand.next()
    transcript = hand.end(Completion(tool_calls=(ToolCall("0", "add", "{}"), call)))
    assert transcript.stop == "tool_calls"
    assert transcript.completion.tool_calls[1] == call
    assert transcript.messages[-1].tool_calls[1] == call


def test_a_model_that_only_calls_tools_must_answer_after_the_limit() -> None:
    call = ToolCall("1", "add", '{"a": 1, "b": 2}')
    hand = Hand(Conversation(ASKED, CycleSettings(tool_rounds=1), (ModelTool.of(add),), judging([BAD, GOOD])))
    first = hand.next()
    hand.next(Completion(tool_calls=(call,)))
    second = hand.next(3)
    assert isinstance(first, Send)
    assert isinstance(second, Send)
    assert (first.request.tool_choice, second.request.tool_choice) == ("auto", "none")
    stubborn = hand.next(Completion("", (call,)))
    assert isinstance(stubborn, Send)
    assert stubborn.request.messages[-2:] == (Message("assistant", ""), Message("user", "fix it"))
    assert hand.end(Completion("good")).verdict is GOOD


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (ToolCall("1", "sum", "{}"), "unknown tool 'sum'; available tools: add"),
        (
            ToolCall("1", "add", "no"),
            "the arguments of 'add' are not valid JSON: Expecting value: line 1 column 1 (char 0)",
        ),
        (ToolCall("1", "add", "[1]"), "the arguments of 'add' must be a JSON object"),
        (ToolCall("1", "add", '{"a": 1}'), "the arguments of 'add' are invalid: /b: 'b' is missing"),
    ],
)
def test_an_invalid_call_is_reported_to_the_model(call: ToolCall, message: str) -> None:
    hand = Hand(Conversation(ASKED, tools=(ModelTool.of(add),)))
    hand.next()
    again = hand.next(Completion(tool_calls=(call,)))
    assert isinstance(again, Send)
    assert again.request.messages[-1] == Message("tool", message, tool_call_id="1")
    assert hand.events[-2].ok is False


def test_every_effect_emits_its_event() -> None:
    hand = Hand(Conversation(ASKED, judge=judging([BAD, GOOD])))
    hand.next()
    hand.next(failure=failure())
    hand.next()
    hand.next(Completion("bad"))
    hand.end(Completion("good"))
    names = [type(event).__name__ for event in hand.events]
    assert names == [
        "RequestSent",
        "RetryPlanned",
        "RequestSent",
        "ReplyReceived",
        "ReplyJudged",
        "RequestSent",
        "ReplyReceived",
        "ReplyJudged",
    ]
    assert [event.number for event in hand.events] == [1, 1, 1, 1, 1, 2, 2, 2]
    assert [event.attempt for event in hand.events if hasattr(event, "request")] == [1, 2, 1]
    assert [event.last for event in hand.events if hasattr(event, "last")] == [False, True]


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b
