import asyncio

import pytest

from promptpack.cycle.provider import Completion, Request, Usage
from promptpack.cycle.providers.scripted import ScriptedProvider
from promptpack.problem import UsageError
from promptpack.prompt.message import Message, ToolCall

REQUEST = Request("m", (Message("user", "hi"),))


def test_replies_come_in_order_and_in_every_form() -> None:
    call = ToolCall("1", "get", "{}")
    whole = Completion("done", usage=Usage(1, 2))
    provider = ScriptedProvider(["text", {"thought": "想"}, call, (call, call), whole])
    assert provider.complete(REQUEST).text == "text"
    assert provider.complete(REQUEST).text == '{"thought": "想"}'
    assert provider.complete(REQUEST) == Completion(tool_calls=(call,), finish_reason="tool_calls")
    assert provider.complete(REQUEST).tool_calls == (call, call)
    assert asyncio.run(provider.acomplete(REQUEST)) is whole
    assert provider.requests == [REQUEST] * 5


def test_a_function_answers_each_request() -> None:
    provider = ScriptedProvider(lambda request: request.messages[-1].text.upper())
    assert provider.complete(REQUEST).text == "HI"


def test_a_script_without_further_replies_raises_an_error() -> None:
    provider = ScriptedProvider(["one"])
    provider.complete(REQUEST)
    with pytest.raises(UsageError) as raised:
        provider.complete(REQUEST)
    assert str(raised.value) == (
        "PP612 the script has no reply to request 2\n  hint: pass one reply per request, or a function"
    )
