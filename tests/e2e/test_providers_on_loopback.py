"""The providers against real HTTP servers: the official SDKs, real sockets, real errors."""

import asyncio
import json
import socket
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import anthropic
import openai
import pytest
from anthropic.types import MessageParam, ToolParam
from openai.types.chat import ChatCompletionMessageParam
from pydantic import TypeAdapter

from promptpack.cycle import (
    AnthropicProvider,
    Cancellation,
    Completion,
    CycleSettings,
    LlmCycle,
    ManualClock,
    ModelTool,
    OpenAIProvider,
    ProviderError,
    Request,
    RunStoppedError,
    Services,
    Usage,
)
from promptpack.cycle.provider import Provider
from promptpack.cycle.providers.sdk_provider import SdkProvider
from promptpack.prompt.message import Message, Part, ToolCall
from promptpack.verdict import Verdict, Violation
from tests.e2e.loopback import (
    Answer,
    Loopback,
    Received,
    anthropic_answer,
    anthropic_error,
    anthropic_events,
    anthropic_stream,
    json_answer,
    openai_answer,
    openai_error,
    openai_stream,
)

pytestmark = pytest.mark.usefixtures("no_certificates")
Ask = Callable[[Provider, Request], Completion]
KEY = "sk-loopback-secret"
REQUEST = Request("", (Message("user", "hi"),), timeout=30.0)
STREAMED = replace(REQUEST, stream=True)
OPENAI_TEXT = openai_answer("yes")
ANTHROPIC_TEXT = anthropic_answer([{"type": "text", "text": "yes"}])
ANTHROPIC_PIECES = (
    {"type": "text", "text": ""},
    [{"type": "text_delta", "text": "ye"}, {"type": "text_delta", "text": "s"}],
)
EVENTS = {"Content-Type": "text/event-stream"}


def waiting(provider: Provider, request: Request) -> Completion:
    return provider.complete(request)


def awaiting(provider: Provider, request: Request) -> Completion:
    return asyncio.run(provider.acomplete(request))


@pytest.fixture(params=[waiting, awaiting])
def ask(request: pytest.FixtureRequest) -> Ask:
    way: Ask = request.param
    return way


@pytest.fixture(autouse=True)
def _no_settings_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_BASE_URL",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def connect(kind: type[SdkProvider], address: str) -> SdkProvider:
    base_url = f"{address}/v1" if kind is OpenAIProvider else address
    return kind("loopback-1", base_url=base_url, api_key=KEY)


def failing(kind: type[SdkProvider], answer: Answer, ask: Ask, request: Request = REQUEST) -> ProviderError:
    with Loopback([answer]) as server, connect(kind, server.address) as provider:
        with pytest.raises(ProviderError) as raised:
            ask(provider, request)
        assert len(server.received) == 1, "the SDK must not retry by itself"
    return raised.value


def test_an_openai_request_and_its_answer(ask: Ask) -> None:
    messages = (Message("system", (Part.text("SYS"),)), Message("user", "hi", name="ada"))
    tool = ModelTool("get", "Gets.", {"type": "object"})
    params = {"temperature": 0.5, "top_k": 3, "seed": None}
    with Loopback([OPENAI_TEXT]) as server, connect(OpenAIProvider, server.address) as provider:
        completion = ask(provider, Request("other", messages, params, (tool,)))
    assert completion == Completion("yes", (), "stop", Usage(11, 7, 4), "loopback-1")
    assert completion.raw.id == "chatcmpl-1"
    received = server.received[0]
    assert received.path == "/v1/chat/completions"
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert received.body == {
        "model": "other",
        "messages": [{"role": "system", "content": "SYS"}, {"role": "user", "content": "hi", "name": "ada"}],
        "stream": False,
        "temperature": 0.5,
        "top_k": 3,
        "tools": [tool.to_dict()],
        "tool_choice": "auto",
    }


def test_an_anthropic_request_and_its_answer(ask: Ask) -> None:
    messages = (Message("system", "SYS"), Message("developer", "DEV"), Message("user", "hi"))
    tool = ModelTool("get", "Gets.", {"type": "object"})
    with Loopback([ANTHROPIC_TEXT]) as server, connect(AnthropicProvider, server.address) as provider:
        completion = ask(provider, Request("", messages, {"temperature": 0.5}, (tool,), "none"))
    assert completion == Completion("yes", (), "stop", Usage(11, 7, 2), "loopback-1")
    received = server.received[0]
    assert received.path == "/v1/messages"
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert received.body == {
        "model": "loopback-1",
        "max_tokens": 4096,
        "system": "SYS\n\nDEV",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
        "stream": False,
        "temperature": 0.5,
        "tools": [{"name": "get", "description": "Gets.", "input_schema": {"type": "object"}}],
        "tool_choice": {"type": "none"},
    }


def test_requests_match_the_types_of_the_sdks(ask: Ask) -> None:
    call = ToolCall("1", "get", '{"a": 1}')
    messages = (
        Message("system", "SYS"),
        Message("user", (Part.text("look"), Part.image("https://example.org/a.png"))),
        Message("assistant", None, tool_calls=(call,)),
        Message("tool", "1", tool_call_id="1"),
    )
    request = Request("", messages, {"max_tokens": 9}, (ModelTool("get"),))
    with (
        Loopback([OPENAI_TEXT, ANTHROPIC_TEXT]) as server,
        connect(OpenAIProvider, server.address) as gpt,
        connect(AnthropicProvider, server.address) as claude,
    ):
        ask(gpt, request)
        ask(claude, request)
    chat, turns = server.received[0].body, server.received[1].body
    TypeAdapter(list[ChatCompletionMessageParam]).validate_python(chat["messages"])
    TypeAdapter(list[MessageParam]).validate_python(turns["messages"])
    TypeAdapter(list[ToolParam]).validate_python(turns["tools"])
    assert (chat["max_tokens"], turns["max_tokens"]) == (9, 9)


def test_openai_calls_tools(ask: Ask) -> None:
    whole = {"id": "a", "type": "function", "function": {"name": "get", "arguments": '{"a": 1}'}}
    odd = {"id": None, "type": "function", "function": {"name": "get", "arguments": {"a": "ü"}}}
    answer = openai_answer(None, [whole, odd], "stop")
    with Loopback([answer]) as server, connect(OpenAIProvider, server.address) as provider:
        completion = ask(provider, REQUEST)
    assert completion.tool_calls == (ToolCall("a", "get", '{"a": 1}'), ToolCall("call_2", "get", '{"a": "ü"}'))
    assert completion.finish_reason == "tool_calls"


def test_anthropic_calls_tools(ask: Ask) -> None:
    blocks: list[dict[str, Any]] = [
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "a", "name": "get", "input": {"a": "ü"}},
    ]
    answer = anthropic_answer(blocks, "tool_use")
    with Loopback([answer]) as server, connect(AnthropicProvider, server.address) as provider:
        completion = ask(provider, REQUEST)
    assert completion.text == "I look."
    assert completion.tool_calls == (ToolCall("a", "get", '{"a": "ü"}'),)
    assert completion.finish_reason == "tool_calls"


@pytest.mark.parametrize(
    ("kind", "answer", "reason"),
    [
        (OpenAIProvider, openai_answer("ye", finish_reason="length"), "length"),
        (OpenAIProvider, openai_answer("", finish_reason="content_filter"), "content_filter"),
        (OpenAIProvider, openai_answer("yes", finish_reason="eos"), "stop"),
        (AnthropicProvider, anthropic_answer([{"type": "text", "text": "ye"}], "max_tokens"), "length"),
        (AnthropicProvider, anthropic_answer([], "refusal"), "content_filter"),
        (AnthropicProvider, anthropic_answer([], "stop_sequence"), "stop"),
    ],
)
def test_both_use_the_same_finish_reasons(kind: type[SdkProvider], answer: Answer, reason: str, ask: Ask) -> None:
    with Loopback([answer]) as server, connect(kind, server.address) as provider:
        assert ask(provider, REQUEST).finish_reason == reason


@pytest.mark.parametrize(
    ("kind", "answer", "message", "retryable"),
    [
        (
            OpenAIProvider,
            openai_error(400, "too long"),
            "PP603 openai rejected the request: too long (HTTP 400)",
            False,
        ),
        (
            OpenAIProvider,
            openai_error(404, "no model"),
            "PP603 openai rejected the request: no model (HTTP 404)",
            False,
        ),
        (
            OpenAIProvider,
            openai_error(401, f"wrong key {KEY}"),
            "PP602 openai rejected the key or the account: wrong key (hidden) (HTTP 401)",
            False,
        ),
        (
            OpenAIProvider,
            openai_error(429, "slow down"),
            "PP604 openai accepts no more requests for now: slow down (HTTP 429)",
            True,
        ),
        (
            OpenAIProvider,
            openai_error(429, "pay first", "insufficient_quota"),
            "PP604 openai accepts no more requests for now: pay first (HTTP 429)",
            False,
        ),
        (OpenAIProvider, openai_error(500, "boom"), "PP605 openai failed: boom (HTTP 500)", True),
        (
            OpenAIProvider,
            openai_error(500, "boom", headers={"x-should-retry": "false"}),
            "PP605 openai failed: boom (HTTP 500)",
            False,
        ),
        (
            OpenAIProvider,
            Answer(b"<h1>Bad gateway</h1>", 502),
            "PP605 openai failed: <h1>Bad gateway</h1> (HTTP 502)",
            True,
        ),
        (
            AnthropicProvider,
            anthropic_error(400, "invalid_request_error", "too long"),
            "PP603 anthropic rejected the request: too long (HTTP 400)",
            False,
        ),
        (
            AnthropicProvider,
            anthropic_error(401, "authentication_error", f"wrong key {KEY}"),
            "PP602 anthropic rejected the key or the account: wrong key (hidden) (HTTP 401)",
            False,
        ),
        (
            AnthropicProvider,
            anthropic_error(429, "rate_limit_error", "slow down"),
            "PP604 anthropic accepts no more requests for now: slow down (HTTP 429)",
            True,
        ),
        (
            AnthropicProvider,
            anthropic_error(529, "overloaded_error", "busy"),
            "PP605 anthropic failed: busy (HTTP 529)",
            True,
        ),
    ],
)
def test_the_code_of_an_error_says_who_must_act(
    kind: type[SdkProvider], answer: Answer, message: str, *, retryable: bool, ask: Ask
) -> None:
    error = failing(kind, answer, ask)
    assert str(error).splitlines()[0] == message
    assert error.problems[0].hint
    assert error.retryable is retryable
    assert error.status == answer.status


@pytest.mark.parametrize("kind", [OpenAIProvider, AnthropicProvider])
@pytest.mark.parametrize(
    ("headers", "seconds"),
    [({"Retry-After": "7"}, 7.0), ({"retry-after-ms": "250"}, 0.25), ({"Retry-After": "soon"}, None), ({}, None)],
)
def test_the_server_may_say_how_long_to_wait(
    kind: type[SdkProvider], headers: dict[str, str], seconds: float | None, ask: Ask
) -> None:
    assert failing(kind, openai_error(429, "slow down", headers=headers), ask).retry_after == seconds


@pytest.mark.parametrize("kind", [OpenAIProvider, AnthropicProvider])
@pytest.mark.parametrize("request_", [REQUEST, STREAMED], ids=["whole", "streamed"])
def test_a_silent_server_causes_a_timeout(kind: type[SdkProvider], request_: Request, ask: Ask) -> None:
    error = failing(kind, Answer(manner="silent"), ask, replace(request_, timeout=0.2))
    assert str(error) == (
        f"PP607 {kind.package} did not answer in time\n  hint: set a longer 'timeout', or set 'stream'"
    )
    assert error.retryable


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        (OpenAIProvider, Answer(manner="dropped")),
        (OpenAIProvider, replace(OPENAI_TEXT, manner="cut")),
        (AnthropicProvider, Answer(manner="dropped")),
        (AnthropicProvider, replace(ANTHROPIC_TEXT, manner="cut")),
    ],
)
def test_a_lost_connection_is_retryable(kind: type[SdkProvider], answer: Answer, ask: Ask) -> None:
    error = failing(kind, answer, ask)
    message = f"PP606 {kind.package} cannot be reached, or the connection was lost: "
    assert str(error).startswith(message)
    assert error.problems[0].hint == "check the address, the network and the proxy"
    assert error.retryable


@pytest.mark.parametrize("kind", [OpenAIProvider, AnthropicProvider])
def test_a_closed_port_cannot_be_reached(kind: type[SdkProvider], ask: Ask) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with connect(kind, f"http://127.0.0.1:{port}") as provider, pytest.raises(ProviderError, match="PP606") as raised:
        ask(provider, REQUEST)
    assert raised.value.retryable


@pytest.mark.parametrize("kind", [OpenAIProvider, AnthropicProvider])
@pytest.mark.parametrize(
    "answer",
    [
        Answer(b"<html>A web page</html>", headers={"Content-Type": "text/html"}),
        Answer(b"{nope", headers={"Content-Type": "application/json"}),
        json_answer({}),
        json_answer([1]),
        json_answer({"choices": [{}], "content": [7]}),
        json_answer({"choices": [{"message": {"content": [{"no": "text"}]}}], "content": None}),
    ],
)
def test_an_invalid_answer_is_not_retryable(kind: type[SdkProvider], answer: Answer, ask: Ask) -> None:
    error = failing(kind, answer, ask)
    assert str(error).startswith(f"PP608 {kind.package} returned an invalid answer: ")
    assert error.problems[0].hint == "check that the address belongs to this kind of API"
    assert not error.retryable


def test_openai_streams_text_tool_calls_and_usage(ask: Ask) -> None:
    deltas: list[dict[str, Any]] = [
        {"role": "assistant", "content": ""},
        {"content": "I "},
        {"content": "look."},
        {"tool_calls": [{"index": 0, "id": "a", "type": "function", "function": {"name": "get", "arguments": ""}}]},
        {"tool_calls": [{"index": 1, "id": "b", "type": "function", "function": {"name": "put", "arguments": "{}"}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"a":'}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": " 1}"}}]},
    ]
    pieces: list[str] = []
    answer = openai_stream(deltas, "tool_calls")
    with Loopback([answer]) as server, connect(OpenAIProvider, server.address) as provider:
        completion = ask(provider, replace(STREAMED, on_delta=pieces.append))
    calls = (ToolCall("a", "get", '{"a": 1}'), ToolCall("b", "put", "{}"))
    assert completion == Completion("I look.", calls, "tool_calls", Usage(11, 7), "loopback-1")
    assert pieces == ["I ", "look."]
    assert server.received[0].body["stream"] is True
    assert server.received[0].body["stream_options"] == {"include_usage": True}


def test_anthropic_streams_text_tool_calls_and_usage(ask: Ask) -> None:
    begin = {"type": "tool_use", "id": "a", "name": "get", "input": {}}
    arguments = [{"type": "input_json_delta", "partial_json": piece} for piece in ("", '{"a":', " 1}")]
    pieces: list[str] = []
    answer = anthropic_stream([ANTHROPIC_PIECES, (begin, arguments), ({**begin, "id": "b"}, [])], "tool_use")
    with Loopback([answer]) as server, connect(AnthropicProvider, server.address) as provider:
        completion = ask(provider, replace(STREAMED, on_delta=pieces.append))
    calls = (ToolCall("a", "get", '{"a": 1}'), ToolCall("b", "get", "{}"))
    assert completion == Completion("yes", calls, "tool_calls", Usage(11, 7, 2), "loopback-1")
    assert pieces == ["ye", "s"]


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        (OpenAIProvider, openai_stream([{"content": "ye"}], None)),
        (OpenAIProvider, replace(openai_stream([{"content": "ye"}], None), manner="cut")),
        (AnthropicProvider, anthropic_stream([ANTHROPIC_PIECES], None)),
        (AnthropicProvider, replace(anthropic_stream([ANTHROPIC_PIECES], None), manner="cut")),
    ],
    ids=["openai-ends", "openai-cut", "anthropic-ends", "anthropic-cut"],
)
def test_an_incomplete_stream_is_an_error(kind: type[SdkProvider], answer: Answer, ask: Ask) -> None:
    error = failing(kind, answer, ask, STREAMED)
    assert error.problems[0].code == "PP606"
    assert error.retryable


@pytest.mark.parametrize(
    ("kind", "answer", "message"),
    [
        (
            OpenAIProvider,
            Answer((b'data: {"error": {"message": "boom", "type": "server_error"}}\n\n',), headers=EVENTS),
            "PP605 openai failed: boom",
        ),
        (
            AnthropicProvider,
            anthropic_events([{"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}]),
            "PP605 anthropic failed: busy",
        ),
        (
            AnthropicProvider,
            anthropic_events([{"type": "error", "error": {"type": "rate_limit_error", "message": "slow down"}}]),
            "PP604 anthropic accepts no more requests for now: slow down",
        ),
        (
            OpenAIProvider,
            Answer((b"data: {nope\n\n",), headers=EVENTS),
            "PP608 openai returned an invalid answer",
        ),
        (
            AnthropicProvider,
            anthropic_events([{"type": "message_start"}]),
            "PP608 anthropic returned an invalid answer",
        ),
    ],
)
def test_an_error_within_a_stream_is_translated(
    kind: type[SdkProvider], answer: Answer, message: str, ask: Ask
) -> None:
    error = failing(kind, answer, ask, STREAMED)
    assert str(error).startswith(message)
    assert error.retryable is ("PP608" not in message)


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        (OpenAIProvider, openai_stream([{"content": "ye"}, {"content": "s"}])),
        (AnthropicProvider, anthropic_stream([ANTHROPIC_PIECES])),
    ],
    ids=["openai", "anthropic"],
)
def test_an_error_of_the_callback_is_not_translated(kind: type[SdkProvider], answer: Answer, ask: Ask) -> None:
    with (
        Loopback([answer]) as server,
        connect(kind, server.address) as provider,
        pytest.raises(json.JSONDecodeError),
    ):
        ask(provider, replace(STREAMED, on_delta=json.loads))


def submitting(cycle: LlmCycle) -> None:
    cycle.submit("hi")


def awaiting_submission(cycle: LlmCycle) -> None:
    asyncio.run(cycle.asubmit("hi"))


@pytest.mark.parametrize("kind", [OpenAIProvider, AnthropicProvider])
@pytest.mark.parametrize("submit", [submitting, awaiting_submission])
def test_a_stream_can_be_cancelled(kind: type[SdkProvider], submit: Callable[[LlmCycle], None]) -> None:
    answers = {
        OpenAIProvider: openai_stream([{"content": "ye"}, {"content": "s"}]),
        AnthropicProvider: anthropic_stream([ANTHROPIC_PIECES]),
    }
    cancellation = Cancellation()
    pieces: list[str] = []

    def take(piece: str) -> None:
        pieces.append(piece)
        cancellation.cancel()

    with Loopback([answers[kind]]) as server, connect(kind, server.address) as provider:
        services = Services(cancellation=cancellation, on_delta=take)
        with pytest.raises(RunStoppedError, match="PP610"):
            submit(LlmCycle(provider, services=services))
    assert pieces == ["ye"]


@pytest.mark.parametrize("kind", [OpenAIProvider, AnthropicProvider])
def test_an_awaited_request_can_be_cancelled_while_the_server_is_silent(kind: type[SdkProvider]) -> None:
    cancellation = Cancellation()

    def answer(_: Received) -> Answer:
        cancellation.cancel()
        return Answer(manner="silent")

    with Loopback(answer) as server, connect(kind, server.address) as provider:
        cycle = LlmCycle(provider, CycleSettings(timeout=None), Services(cancellation=cancellation))
        with pytest.raises(RunStoppedError, match="PP610"):
            awaiting_submission(cycle)


def test_a_missing_key_is_an_account_error(ask: Ask) -> None:
    with pytest.raises(ProviderError, match="PP602 openai rejected the key or the account") as raised:
        OpenAIProvider("m")
    assert not raised.value.retryable
    with Loopback([]) as server, AnthropicProvider("m", base_url=server.address) as provider:
        with pytest.raises(ProviderError, match="PP602 anthropic rejected the key or the account"):
            ask(provider, REQUEST)
        assert server.received == []


def test_a_client_of_the_caller_is_used_and_left_open() -> None:
    with Loopback([OPENAI_TEXT, ANTHROPIC_TEXT]) as server:
        with openai.OpenAI(api_key="mine", base_url=f"{server.address}/v1") as client:
            with OpenAIProvider("m", client=client) as provider:
                assert provider.complete(REQUEST).text == "yes"
            assert not client.is_closed()
        with anthropic.Anthropic(api_key="mine", base_url=server.address) as claude:
            with AnthropicProvider("m", client=claude) as provider:
                assert provider.complete(REQUEST).text == "yes"
            assert not claude.is_closed()
    assert server.received[0].headers["authorization"] == "Bearer mine"
    assert server.received[1].headers["authorization"] == "Bearer mine"


def test_an_async_client_of_the_caller_is_used_for_every_call() -> None:
    async def twice(address: str) -> bool:
        async with openai.AsyncOpenAI(api_key="mine", base_url=f"{address}/v1") as client:
            with OpenAIProvider("m", api_key="other", async_client=client) as provider:
                await provider.acomplete(REQUEST)
                await provider.acomplete(REQUEST)
            return not client.is_closed()

    with Loopback([OPENAI_TEXT, OPENAI_TEXT]) as server:
        assert asyncio.run(twice(server.address))
    assert {received.headers["authorization"] for received in server.received} == {"Bearer mine"}


def test_a_provider_can_be_awaited_from_one_event_loop_after_another() -> None:
    with Loopback([OPENAI_TEXT, OPENAI_TEXT]) as server, connect(OpenAIProvider, server.address) as provider:
        assert [awaiting(provider, REQUEST).text for _ in range(2)] == ["yes", "yes"]


@pytest.mark.parametrize(
    ("kind", "good"), [(OpenAIProvider, OPENAI_TEXT), (AnthropicProvider, ANTHROPIC_TEXT)], ids=["openai", "anthropic"]
)
def test_the_cycle_retries_temporary_failures(kind: type[SdkProvider], good: Answer) -> None:
    clock = ManualClock()
    bad = [openai_error(429, "slow", headers={"Retry-After": "7"}), Answer(manner="dropped"), openai_error(503, "busy")]
    with Loopback([*bad, good]) as server, connect(kind, server.address) as provider:
        cycle = LlmCycle(provider, CycleSettings(retries=3), Services(clock))
        assert cycle.submit("hi").text == "yes"
    assert clock.slept == [7.0, 1.0, 2.0]
    assert len(server.received) == 4


def test_the_cycle_does_not_retry_permanent_failures() -> None:
    clock = ManualClock()
    with Loopback([openai_error(400, "no")]) as server, connect(OpenAIProvider, server.address) as provider:
        cycle = LlmCycle(provider, services=Services(clock))
        with pytest.raises(ProviderError, match="PP603"):
            cycle.submit("hi")
    assert clock.slept == []
    assert cycle.messages == ()


def get(a: int) -> dict[str, int]:
    """Return the number after `a`."""
    return {"b": a + 1}


def test_a_whole_conversation_with_openai() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "get", "arguments": '{"a": 1}'}}
    answers = [openai_answer(None, [call], "tool_calls"), openai_answer("bad"), openai_answer("good")]
    with Loopback(answers) as server, connect(OpenAIProvider, server.address) as provider:
        transcript = LlmCycle(provider).submit("hi", [get], judged)
    assert transcript.verdict is not None
    assert transcript.verdict.ok
    assert transcript.usage == Usage(33, 21, 12)
    assert server.received[2].body["messages"] == [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": '{"b": 2}'},
        {"role": "assistant", "content": "bad"},
        {"role": "user", "content": "fix it"},
    ]


def test_a_whole_conversation_with_anthropic() -> None:
    call = {"type": "tool_use", "id": "a", "name": "get", "input": {"a": 1}}
    answers = [
        anthropic_answer([call], "tool_use"),
        anthropic_answer([{"type": "text", "text": "bad"}]),
        anthropic_answer([{"type": "text", "text": "good"}]),
    ]
    with Loopback(answers) as server, connect(AnthropicProvider, server.address) as provider:
        transcript = asyncio.run(LlmCycle(provider).asubmit("hi", [get], judged))
    assert transcript.verdict is not None
    assert transcript.verdict.ok
    result = {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": '{"b": 2}'}]}
    assert server.received[2].body["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": [{"type": "text", "text": "bad"}]},
        {"role": "user", "content": [{"type": "text", "text": "fix it"}]},
    ]


@pytest.mark.parametrize("kind", [OpenAIProvider, AnthropicProvider], ids=["openai", "anthropic"])
def test_half_of_a_surrogate_pair_in_a_reply_does_not_end_the_conversation(kind: type[SdkProvider]) -> None:
    texts = ("bad \ud800", "good")
    answers = {
        OpenAIProvider: [openai_answer(text) for text in texts],
        AnthropicProvider: [anthropic_answer([{"type": "text", "text": text}]) for text in texts],
    }
    with Loopback(answers[kind]) as server, connect(kind, server.address) as provider:
        assert LlmCycle(provider).submit("hi", judge=judged).text == "good"
    assert "bad \\\\ud800" in json.dumps(server.received[1].body)


def judged(completion: Completion) -> Verdict:
    if completion.text == "good":
        return Verdict("valid", data="good")
    return Verdict("invalid", violations=(Violation("PP501", "", "no JSON", "no_json"),), correction="fix it")
