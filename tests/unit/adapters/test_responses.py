"""Responses of SDKs, mappings and None are checked like the texts in them."""

import json
from types import SimpleNamespace
from typing import Any

import pytest
from anthropic.types import Message as AnthropicMessage
from openai.types.chat import ChatCompletion
from openai.types.responses import Response

from promptpack import Library, Prompt, UsageError
from promptpack.cycle import Completion

PLANNER = Library.open().get("planner", locale="en").render(USER_GOAL="Write the report")
assert PLANNER.pack.contract is not None
GOOD = dict(PLANNER.pack.contract.examples[0])
TEXT = json.dumps(GOOD)
SEARCH = {
    "name": "search",
    "description": "Searches.",
    "parameters": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]},
}
EXECUTOR = Library.open().get("executor", locale="en").render(AVAILABLE_TOOLS=[SEARCH], TASK_CONTEXT={"goal": "x"})


def chat(content: str | None = None, finish: str = "stop", **message: Any) -> ChatCompletion:
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content, **message}}
    fields = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return ChatCompletion.model_validate(fields)


def chat_call(name: str, arguments: str) -> ChatCompletion:
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return chat(None, "tool_calls", tool_calls=[call])


def anthropic(*blocks: dict[str, Any], stop: str = "end_turn") -> AnthropicMessage:
    usage = {"input_tokens": 1, "output_tokens": 1}
    fields = {"id": "1", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None, "usage": usage}
    return AnthropicMessage.model_validate({**fields, "content": list(blocks), "stop_reason": stop})


def responses(*items: dict[str, Any], **fields: Any) -> Response:
    base = {"id": "1", "object": "response", "created_at": 1, "model": "m", "parallel_tool_calls": True, "tools": []}
    return Response.model_validate({**base, "tool_choice": "auto", "output": list(items), **fields})


def responses_text(text: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [part]}


def gemini(*parts: dict[str, Any], finish: str = "STOP") -> SimpleNamespace:
    keys = {"text": None, "thought": None, "function_call": None}
    content = SimpleNamespace(parts=[SimpleNamespace(**{**keys, **part}) for part in parts])
    candidate = SimpleNamespace(content=content, finish_reason=SimpleNamespace(name=finish))
    return SimpleNamespace(candidates=[candidate], prompt_feedback=None, usage_metadata=None, model_version="m")


def langchain(content: Any, calls: Any = (), reason: str = "stop", **more: Any) -> SimpleNamespace:
    metadata = {"finish_reason": reason}
    return SimpleNamespace(type="ai", content=content, tool_calls=list(calls), response_metadata=metadata, **more)


def ollama(content: str, reason: str = "stop") -> SimpleNamespace:
    message = SimpleNamespace(content=content, tool_calls=None)
    return SimpleNamespace(message=message, done_reason=reason, model="m")


@pytest.mark.parametrize(
    "reply",
    [
        TEXT,
        TEXT.encode(),
        GOOD,
        PLANNER.check(TEXT).output,
        Completion(TEXT),
        chat(TEXT),
        anthropic({"type": "text", "text": TEXT}),
        responses(responses_text(TEXT)),
        gemini({"text": "hm", "thought": True}, {"text": TEXT}),
        langchain(TEXT),
        langchain([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": TEXT}]),
        ollama(TEXT),
        {"choices": [{"message": {"content": TEXT}, "finish_reason": "stop"}]},
    ],
    ids=lambda reply: type(reply).__name__,
)
def test_every_form_of_a_good_reply_is_accepted(reply: object) -> None:
    verdict = PLANNER.check(reply)
    assert verdict.ok
    assert verdict.data == GOOD
    assert verdict.output.action == "TASK_PLAN"


@pytest.mark.parametrize(
    "reply",
    [
        chat(TEXT, "length"),
        anthropic({"type": "text", "text": TEXT}, stop="max_tokens"),
        responses(responses_text(TEXT), status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
        gemini({"text": TEXT}, finish="MAX_TOKENS"),
        langchain(TEXT, reason="max_tokens"),
        ollama(TEXT, "length"),
    ],
    ids=lambda reply: type(reply).__name__,
)
def test_a_response_that_was_cut_is_refused_even_if_its_text_looks_whole(reply: object) -> None:
    assert PLANNER.check(reply).outcome == PLANNER.check(TEXT, finish_reason="length").outcome == "truncated"


@pytest.mark.parametrize(
    "reply",
    [
        chat(None, refusal="I cannot help."),
        anthropic({"type": "text", "text": "I cannot help."}, stop="refusal"),
        responses({**responses_text(""), "content": [{"type": "refusal", "refusal": "I cannot help."}]}),
        gemini({"text": "I cannot help."}, finish="SAFETY"),
        langchain("", additional_kwargs={"refusal": "I cannot help."}),
    ],
    ids=lambda reply: type(reply).__name__,
)
def test_a_refusal_is_named(reply: object) -> None:
    verdict = PLANNER.check(reply)
    assert verdict.outcome == "no_answer"
    assert [str(found) for found in verdict.violations] == [
        "PP518 (reply): the model refused to answer: I cannot help."
    ]


def test_no_answer_is_a_verdict() -> None:
    assert PLANNER.check(None).outcome == PLANNER.check(chat(None)).outcome == PLANNER.check("").outcome == "no_answer"


CALLS = [
    chat_call("search", '{"q": "x"}'),
    anthropic({"type": "tool_use", "id": "c1", "name": "search", "input": {"q": "x"}}, stop="tool_use"),
    responses({"type": "function_call", "call_id": "c1", "name": "search", "arguments": '{"q": "x"}'}),
    gemini({"function_call": SimpleNamespace(id="c1", name="search", args={"q": "x"})}),
    langchain("", [{"id": "c1", "name": "search", "args": {"q": "x"}}]),
]


@pytest.mark.parametrize("reply", CALLS, ids=lambda reply: type(reply).__name__)
def test_native_tool_calls_are_checked(reply: object) -> None:
    verdict = EXECUTOR.check(reply)
    assert (verdict.ok, verdict.outcome) == (True, "tool_call")
    assert [(call.id, call.name, json.loads(call.arguments)) for call in verdict.tool_calls] == [
        ("c1", "search", {"q": "x"})
    ]
    output: object = verdict.output
    assert output is None


@pytest.mark.parametrize(
    ("name", "arguments", "violation"),
    [
        ("serch", "{}", "PP512 /tool_calls/0/name: there is no tool 'serch'; did you mean 'search'?"),
        ("search", "{}", "PP510 /tool_calls/0/arguments/q: 'q' is missing"),
        ("search", '{"q": 1}', "PP511 /tool_calls/0/arguments/q: expected text, not a number"),
        ("search", "[]", "PP511 /tool_calls/0/arguments: the arguments must be an object"),
    ],
)
def test_a_wrong_call_is_refused_with_a_correction(name: str, arguments: str, violation: str) -> None:
    verdict = EXECUTOR.check(chat_call(name, arguments))
    assert [str(found) for found in verdict.violations] == [violation]
    assert verdict.outcome == "tool_call"
    assert verdict.correction.startswith("Your last tool calls are invalid. Fix only the following and call")
    assert verdict.error_output is not None
    assert verdict.error_output.params["errorType"] == "tool_unavailable"


def test_arguments_that_are_not_json_are_refused() -> None:
    (violation,) = EXECUTOR.check(chat_call("search", "{")).violations
    assert (violation.code, violation.path) == ("PP509", "/tool_calls/0/arguments")


def test_tools_may_be_passed_to_the_check() -> None:
    assert not PLANNER.check(CALLS[0]).ok
    assert PLANNER.check(CALLS[0], tools=[SEARCH]).ok


def test_a_tool_call_survives_storage() -> None:
    verdict = EXECUTOR.check(CALLS[0])
    assert type(verdict).from_dict(json.loads(json.dumps(verdict.to_dict()))) == verdict


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (object(), "PP533 a value of type 'object' is not a reply"),
        (3, "PP533 a value of type 'int' is not a reply"),
        ({"a": {1}}, "PP533 the reply is a mapping that is not plain data: it contains a value of type 'set'"),
        (
            SimpleNamespace(choices=[], model="m"),
            "PP533 the response of type 'SimpleNamespace' cannot be read: PP608 openai returned an invalid answer: "
            "it has no choices",
        ),
    ],
)
def test_other_values_are_refused(reply: object, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        PLANNER.check(reply)
    assert str(caught.value).split("\n")[0] == message


def test_a_verdict_cannot_be_changed_through_its_data() -> None:
    verdict = PLANNER.check(GOOD)
    verdict.data["params"]["tasks"].clear()
    assert verdict.data == GOOD


def ask(replies: list[object]) -> Any:
    def answer(messages: Any) -> object:
        asked.append(messages)
        return replies[len(asked) - 1]

    asked: list[Any] = []
    answer.asked = asked  # type: ignore[attr-defined]
    return answer


BAD = {**GOOD, "confidence": 150}


def test_correct_sends_the_correction_until_a_reply_is_accepted() -> None:
    model = ask([chat(json.dumps(BAD)), {"confidence": 15}])
    verdict = PLANNER.correct(model)
    assert verdict.ok
    assert verdict.output.confidence == 15
    first, second = model.asked
    assert first == PLANNER.messages
    assert [message.role for message in second[len(first) :]] == ["assistant", "user"]
    assert second[-1].content == PLANNER.check(json.dumps(BAD)).correction


def test_correct_returns_the_last_verdict_after_all_rounds() -> None:
    model = ask([BAD, BAD])
    assert not PLANNER.correct(model, rounds=2).ok
    assert len(model.asked) == 2
    with pytest.raises(UsageError, match="'rounds' is 0"):
        PLANNER.correct(model, rounds=0)


def test_a_wrong_tool_call_is_answered_as_a_tool() -> None:
    model = ask([chat_call("serch", "{}"), CALLS[0]])
    assert EXECUTOR.correct(model).outcome == "tool_call"
    assistant, answer = model.asked[1][-2:]
    assert (assistant.tool_calls[0].name, answer.role, answer.tool_call_id) == ("serch", "tool", "c1")


async def collect(prompt: Prompt, chunks: Any) -> list[Any]:
    return [part async for part in prompt.astream(chunks)]


def test_acorrect_awaits_the_model() -> None:
    import asyncio

    model = ask([BAD, GOOD])

    async def answer(messages: Any) -> object:
        return model(messages)

    assert asyncio.run(PLANNER.acorrect(answer)).ok
    assert len(model.asked) == 2
