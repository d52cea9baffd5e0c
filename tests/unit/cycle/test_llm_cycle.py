import asyncio
from typing import Any

import pytest

from promptpack.cycle import Cancellation, CycleSettings, LlmCycle, ProviderError, RunStoppedError, ScriptedProvider
from promptpack.cycle.services import Services
from promptpack.problem import ContextError, Problem
from promptpack.prompt.message import Message, ToolCall
from promptpack.verdict import Verdict, Violation

SETTINGS = CycleSettings(model="m", system_prompt="SYS", params={"max_tokens": 64, "temperature": 0.5})


def text(role: str, said: str) -> dict[str, Any]:
    return {"role": role, "content": [{"type": "text", "text": said}]}


def sent(provider: ScriptedProvider, number: int = 0) -> dict[str, Any]:
    return provider.requests[number].to_dict()


def test_submit_adds_the_user_text_and_the_system_prompt_in_front() -> None:
    provider = ScriptedProvider(["hello"])
    transcript = LlmCycle(provider, SETTINGS).submit("hi")
    assert transcript.text == "hello"
    assert sent(provider) == {
        "model": "m",
        "max_tokens": 64,
        "temperature": 0.5,
        "messages": [text("system", "SYS"), text("user", "hi")],
    }


def test_submit_keeps_an_existing_system_message() -> None:
    provider = ScriptedProvider(["hello"])
    LlmCycle(provider, SETTINGS).with_messages([text("system", "OWN")]).submit("hi")
    assert sent(provider)["messages"] == [text("system", "OWN"), text("user", "hi")]


def test_submit_puts_the_system_prompt_before_the_history() -> None:
    provider = ScriptedProvider(["4"])
    LlmCycle(provider, SETTINGS).with_messages([text("user", "1"), text("assistant", "2")]).submit("3")
    assert [message["role"] for message in sent(provider)["messages"]] == ["system", "user", "assistant", "user"]


def test_submit_without_a_system_prompt_adds_none() -> None:
    provider = ScriptedProvider(["hello"])
    LlmCycle(provider).submit("hi")
    assert sent(provider) == {"messages": [text("user", "hi")]}


def test_submit_messages_sends_history_and_argument_unchanged() -> None:
    provider = ScriptedProvider(["ok"])
    history = [text("developer", "D"), text("user", "1")]
    LlmCycle(provider, SETTINGS).with_messages(history).submit_messages([text("user", "2")])
    assert sent(provider)["messages"] == [*history, text("user", "2")]


def test_with_messages_replaces_and_extend_messages_adds() -> None:
    cycle = LlmCycle(ScriptedProvider([])).with_messages([text("user", "1")])
    cycle.with_messages([text("user", "2")]).extend_messages([Message("assistant", "3")])
    assert [message.text for message in cycle.messages] == ["2", "3"]


def test_an_invalid_message_is_rejected_with_its_number() -> None:
    with pytest.raises(ContextError, match="message 2 has no valid role"):
        LlmCycle(ScriptedProvider([])).with_messages([text("user", "1"), text("usr", "2")])


def test_the_conversation_stores_its_history() -> None:
    provider = ScriptedProvider(["one", "two"])
    cycle = LlmCycle(provider, SETTINGS)
    cycle.submit("1")
    cycle.submit("2")
    assert [message.text for message in cycle.messages] == ["SYS", "1", "one", "2", "two"]
    assert len(sent(provider, 1)["messages"]) == 4


def test_tools_are_sent_as_functions() -> None:
    provider = ScriptedProvider(["ok"])
    LlmCycle(provider).submit("hi", [{"name": "get", "description": "d", "parameters": {"type": "object"}}])
    function = {"name": "get", "description": "d", "parameters": {"type": "object"}}
    assert sent(provider)["tools"] == [{"type": "function", "function": function}]
    assert sent(provider)["tool_choice"] == "auto"


def test_a_call_without_a_function_can_be_answered_by_the_caller() -> None:
    provider = ScriptedProvider([ToolCall("1", "get", "{}"), "done"])
    cycle = LlmCycle(provider)
    assert cycle.submit("hi", [{"name": "get"}]).stop == "tool_calls"
    answer = {"role": "tool", "tool_call_id": "1", "content": "42"}
    assert cycle.submit_messages([answer], [{"name": "get"}]).text == "done"
    assert [message.role for message in cycle.messages] == ["user", "assistant", "tool", "assistant"]


def test_a_failed_submission_leaves_the_history_unchanged() -> None:
    failure = ProviderError(Problem("PP603", "refused"))
    cycle = LlmCycle(ScriptedProvider([failure, "hello"]))
    with pytest.raises(ProviderError):
        cycle.submit("hi")
    assert cycle.messages == ()
    cycle.submit("hi")
    assert len(cycle.messages) == 2


def test_a_stopped_submission_leaves_the_history_unchanged() -> None:
    cancellation = Cancellation()
    cancellation.cancel()
    cycle = LlmCycle(ScriptedProvider(["hello"]), services=Services(cancellation=cancellation))
    with pytest.raises(RunStoppedError):
        cycle.submit("hi")
    assert cycle.messages == ()


def test_a_judge_makes_the_cycle_correct_invalid_replies() -> None:
    bad = Verdict("invalid", violations=(Violation("PP510", "", "is missing", "required"),), correction="fix it")
    verdicts = [bad, Verdict("valid", data=1)]
    cycle = LlmCycle(ScriptedProvider(["bad", "good"]))
    transcript = cycle.submit("hi", judge=lambda _: verdicts.pop(0))
    assert transcript.verdict is not None
    assert transcript.verdict.ok
    assert [message.text for message in cycle.messages] == ["hi", "bad", "fix it", "good"]


def test_a_conversation_can_be_awaited() -> None:
    provider = ScriptedProvider(["one", "two"])

    async def talk() -> list[str]:
        cycle = LlmCycle(provider, SETTINGS)
        await cycle.asubmit("1")
        await cycle.asubmit_messages([Message("user", "2")])
        return [message.text for message in cycle.messages]

    assert asyncio.run(talk()) == ["SYS", "1", "one", "2", "two"]
