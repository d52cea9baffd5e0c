"""Responses of SDKs, mappings and None are checked like the texts in them."""

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest
from anthropic.types import Message as AnthropicMessage
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response

from promptpack import Agent, AgentOutput, Library, Message, Prompt, UsageError, Verdict, hook
from promptpack.cycle import Completion, ScriptedProvider
from promptpack.observation import RunEnded
from promptpack.prompt.message import ToolCall

PLANNER = Library.open().get("planner", locale="en").render(USER_GOAL="Write the report")
assert PLANNER.pack.contract is not None
GOOD = {**PLANNER.pack.contract.examples[0], "thought": "Three steps are enough.", "userMessage": "Done."}
TEXT = json.dumps(GOOD)
CUT = TEXT[:-1]
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
        chat(CUT, "length"),
        anthropic({"type": "text", "text": CUT}, stop="max_tokens"),
        responses(responses_text(CUT), status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
        gemini({"text": CUT}, finish="MAX_TOKENS"),
        langchain(CUT, reason="max_tokens"),
        ollama(CUT, "length"),
    ],
    ids=lambda reply: type(reply).__name__,
)
def test_the_finish_reason_of_a_response_counts(reply: object) -> None:
    assert PLANNER.check(CUT).outcome == "recovered"
    assert PLANNER.check(reply).outcome == PLANNER.check(CUT, finish_reason="length").outcome == "truncated"


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


class Liar:
    """A value whose `__class__` is another one."""

    def __init__(self, kind: type) -> None:
        self.kind = kind

    @property  # type: ignore[misc]  # read-only
    def __class__(self) -> Any:
        return self.kind


class Broken:
    """A value whose attributes raise an unusual error."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


@pytest.mark.parametrize("reply", [*map(Liar, (str, bytes, dict, Completion, AgentOutput)), Broken()], ids=range(6))
def test_lying_and_broken_objects_are_refused(reply: object) -> None:
    with pytest.raises(UsageError, match="PP533"):
        PLANNER.check(reply)


def test_a_tool_call_whose_name_is_not_text_is_refused() -> None:
    call = SimpleNamespace(id="c", function=SimpleNamespace(name=5, arguments="{}"))
    message = SimpleNamespace(content="", tool_calls=[call])
    reply = SimpleNamespace(choices=[SimpleNamespace(message=message, finish_reason="stop")], model="")
    with pytest.raises(UsageError, match="the id, the name or the arguments of a tool call are not text"):
        PLANNER.check(reply)


def test_many_invalid_calls_are_listed_up_to_a_limit() -> None:
    calls = tuple(ToolCall(f"c{number}", "search", "{}") for number in range(1000))
    assert len(EXECUTOR.check(Completion(tool_calls=calls)).violations) == 100


def test_half_a_surrogate_pair_in_arguments_is_refused() -> None:
    verdict = EXECUTOR.check(chat_call("search", '{"q": "\\ud800"}'))
    assert [str(found) for found in verdict.violations] == [
        "PP509 /tool_calls/0/arguments: the arguments contain half of a surrogate pair"
    ]


def test_a_verdict_cannot_be_changed_through_its_data() -> None:
    verdict = PLANNER.check(GOOD)
    row = verdict.to_dict()
    stored = Verdict.from_dict(row)
    for tasks in (verdict.data["params"]["tasks"], verdict.output.params["tasks"], row["output"]["params"]["tasks"]):
        tasks.clear()
    assert verdict.data == stored.data == GOOD
    assert stored.output.params == GOOD["params"]


def test_the_readings_of_a_verdict_cannot_be_changed() -> None:
    verdict = PLANNER.check(f"{TEXT} or {json.dumps({**GOOD, 'confidence': 20})}")
    verdict.readings[0].clear()
    assert verdict.readings[0] == GOOD


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


def test_correct_passes_on_every_error_of_the_model() -> None:
    replies = iter([BAD])
    with pytest.raises(StopIteration):
        PLANNER.correct(lambda _: next(replies))


def test_a_wrong_tool_call_is_answered_as_a_tool() -> None:
    model = ask([chat_call("serch", "{}"), CALLS[0]])
    assert EXECUTOR.correct(model).outcome == "tool_call"
    assistant, answer = model.asked[1][-2:]
    assert (assistant.tool_calls[0].name, answer.role, answer.tool_call_id) == ("serch", "tool", "c1")


async def collect(prompt: Prompt, chunks: Any) -> list[Any]:
    parts = []
    async for part in prompt.astream(chunks):
        sizes.append(len(part.value))
        parts.append(part)
    return parts


sizes: list[int] = []


def test_acorrect_awaits_the_model() -> None:
    model = ask([BAD, GOOD])

    async def answer(messages: Any) -> object:
        return model(messages)

    assert asyncio.run(PLANNER.acorrect(answer)).ok
    assert len(model.asked) == 2


def chunks_of(text: str) -> list[str]:
    return [text[start : start + 40] for start in range(0, len(text), 40)]


def openai_chunks(text: str, finish: str | None) -> list[Any]:
    def chunk(content: str | None, reason: str | None = None) -> SimpleNamespace:
        delta = SimpleNamespace(content=content, tool_calls=None)
        return SimpleNamespace(model="m", usage=None, choices=[SimpleNamespace(delta=delta, finish_reason=reason)])

    return [*map(chunk, chunks_of(text)), *([chunk(None, finish)] if finish else [])]


def anthropic_events(text: str, stop: str) -> list[Any]:
    def delta(piece: str) -> SimpleNamespace:
        return SimpleNamespace(
            type="content_block_delta", index=0, delta=SimpleNamespace(type="text_delta", text=piece)
        )

    start = SimpleNamespace(type="message_start", message=SimpleNamespace(model="m", usage=None))
    end = SimpleNamespace(type="message_delta", delta=SimpleNamespace(stop_reason=stop), usage=None)
    return [start, *map(delta, chunks_of(text)), end, SimpleNamespace(type="message_stop")]


def responses_events(text: str, **fields: Any) -> list[Any]:
    deltas = [SimpleNamespace(type="response.output_text.delta", delta=piece) for piece in chunks_of(text)]
    whole = responses(responses_text(text), **fields)
    return [
        SimpleNamespace(type="response.created"),
        *deltas,
        SimpleNamespace(type="response.completed", response=whole),
    ]


class LangChainChunk(SimpleNamespace):
    def __add__(self, other: Any) -> "LangChainChunk":
        metadata = {**self.response_metadata, **other.response_metadata}
        return LangChainChunk(content=self.content + other.content, response_metadata=metadata, tool_calls=[])


def langchain_chunks(text: str, reason: str) -> list[Any]:
    pieces = [LangChainChunk(content=piece, response_metadata={}, tool_calls=[]) for piece in chunks_of(text)]
    return [*pieces, LangChainChunk(content="", response_metadata={"finish_reason": reason}, tool_calls=[])]


def gemini_chunks(text: str, finish: str) -> list[Any]:
    return [*(gemini({"text": piece}, finish="STOP") for piece in chunks_of(text)), gemini(finish=finish)]


async def as_async(chunks: list[Any]) -> Any:
    for chunk in chunks:
        yield chunk


STREAMS = [
    (chunks_of(TEXT), None),
    ([piece.encode() for piece in chunks_of(TEXT)], None),
    (openai_chunks(TEXT, "stop"), openai_chunks(CUT, "length")),
    (anthropic_events(TEXT, "end_turn"), anthropic_events(CUT, "max_tokens")),
    (responses_events(TEXT), responses_events(CUT, incomplete_details={"reason": "max_output_tokens"})),
    (langchain_chunks(TEXT, "stop"), langchain_chunks(CUT, "length")),
    (gemini_chunks(TEXT, "STOP"), gemini_chunks(CUT, "MAX_TOKENS")),
]


@pytest.mark.parametrize(("whole", "cut"), STREAMS)
def test_streams_are_checked_as_they_arrive(whole: list[Any], cut: list[Any] | None) -> None:
    sizes.clear()
    parts = asyncio.run(collect(PLANNER, as_async(whole)))
    assert sizes == sorted(sizes)
    assert 0 < sizes[len(sizes) // 2] < len(GOOD)
    assert "".join(part.text for part in parts) == TEXT
    assert parts[-1].verdict == PLANNER.check(TEXT)
    assert parts[-1].value == GOOD
    assert all(part.verdict is None and part.alarm is None for part in parts[:-1])
    if cut is not None:
        assert asyncio.run(collect(PLANNER, cut))[-1].verdict.outcome == "truncated"


def test_a_stream_without_an_end_is_cut_and_an_empty_one_is_not_an_answer() -> None:
    assert asyncio.run(collect(PLANNER, openai_chunks(CUT, None)))[-1].verdict.outcome == "truncated"
    assert asyncio.run(collect(PLANNER, []))[-1].verdict.outcome == "no_answer"


def test_a_stream_raises_an_alarm_before_its_end() -> None:
    bad = asyncio.run(collect(PLANNER, chunks_of(json.dumps({**GOOD, "confidence": 150, "userMessage": "x" * 500}))))
    assert any(part.alarm is not None and part.alarm.path == "/confidence" for part in bad[:-2])


def test_pieces_of_other_things_are_refused() -> None:
    with pytest.raises(UsageError, match="PP533 a chunk of type 'int' is not part of a reply"):
        asyncio.run(collect(PLANNER, [3]))
    with pytest.raises(UsageError, match="PP533 a chunk of type 'int' cannot be read: the chunks before it are text"):
        asyncio.run(collect(PLANNER, ["{", 3]))


def test_all_rounds_of_a_correction_are_one_run() -> None:
    events: list[Any] = []
    stop = hook.subscribe(events.append)
    try:
        PLANNER.correct(ask([BAD, GOOD]))
        asyncio.run(PLANNER.acorrect(as_awaited(ask([BAD, BAD])), rounds=2))
    finally:
        stop()
    ends = [event for event in events if isinstance(event, RunEnded)]
    assert [(end.ok, end.rounds, end.outcome) for end in ends] == [(True, 2, "valid"), (False, 2, "invalid")]
    assert len({getattr(event, "start", event).run for event in events}) == 2


def as_awaited(model: Any) -> Any:
    async def answer(messages: Any) -> object:
        return model(messages)

    return answer


def test_a_function_of_the_other_kind_is_understood_or_named() -> None:
    with pytest.raises(UsageError) as caught:
        PLANNER.correct(as_awaited(lambda _: GOOD))
    assert str(caught.value) == (
        "PP617 'ask' is asynchronous, but 'correct' does not wait\n  hint: use 'await prompt.acorrect(ask)'"
    )
    synchronous: Any = lambda _: GOOD  # noqa: E731 -- a function that is not awaited
    assert asyncio.run(PLANNER.acorrect(synchronous)).ok
    with pytest.raises(UsageError, match="'rounds' is '3', but must be an integer of at least 1"):
        PLANNER.correct(synchronous, rounds="3")  # type: ignore[arg-type]


def test_only_a_verdict_comes_before_a_reply() -> None:
    row: Any = PLANNER.check(BAD).to_dict()
    with pytest.raises(UsageError) as caught:
        PLANNER.check(GOOD, after=row)
    assert str(caught.value) == (
        "PP534 'after' is a value of type 'dict', not a verdict\n"
        "  hint: pass the last verdict, or Verdict.from_dict(row)"
    )


class Manager:
    """A stream that must be entered, as the helpers of SDKs return it."""

    def __init__(self, chunks: list[Any]) -> None:
        self.chunks = chunks

    async def __aenter__(self) -> Any:
        return as_async(self.chunks)

    async def __aexit__(self, *_: object) -> None:
        return None


def test_the_stream_helpers_of_sdks_are_read() -> None:
    chunks = openai_chunks(TEXT, "stop")
    events = [
        event
        for chunk in chunks
        for event in (SimpleNamespace(type="chunk", chunk=chunk), SimpleNamespace(type="content.delta", delta="x"))
    ]
    for stream in (as_async(events), Manager(anthropic_events(TEXT, "end_turn"))):
        parts = asyncio.run(collect(PLANNER, stream))
        assert parts[-1].verdict == PLANNER.check(TEXT)
        assert len(parts) > 5


def openai_chunk(finish: str | None = None, index: int = 0, **delta: Any) -> ChatCompletionChunk:
    choice = {"index": index, "finish_reason": finish, "delta": delta}
    fields = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return ChatCompletionChunk.model_validate(fields)


def verdict_on(chunks: Any) -> Verdict:
    verdict = asyncio.run(collect(PLANNER, chunks))[-1].verdict
    assert isinstance(verdict, Verdict)
    return verdict


def test_only_the_first_of_several_streamed_answers_counts() -> None:
    other = openai_chunk("length", 1, content="other")
    verdict = verdict_on([openai_chunk(content=TEXT[:50]), other, openai_chunk("stop", content=TEXT[50:])])
    assert (verdict.outcome, verdict.data) == ("valid", GOOD)


def test_a_streamed_refusal_is_named() -> None:
    verdict = verdict_on([openai_chunk(refusal="I can"), openai_chunk(refusal="not."), openai_chunk("stop")])
    assert [found.message for found in verdict.violations] == ["the model refused to answer: I cannot."]


def test_gemini_pieces_with_only_counts_end_no_stream_and_calls_get_different_ids() -> None:
    counts = SimpleNamespace(candidates=None, prompt_feedback=None)
    bad = json.dumps(BAD)
    assert verdict_on([*gemini_chunks(bad, "STOP"), counts]) == PLANNER.check(bad)
    call = {"function_call": SimpleNamespace(name="a", args={}, id=None), "text": None}
    verdict = verdict_on([gemini(call), gemini(call, call)])
    assert [one.id for one in verdict.tool_calls] == ["call_1", "call_2", "call_3"]


@pytest.mark.parametrize("stream", [None, 5, [openai_chunk(content=TEXT).model_copy(update={"choices": 5})]])
def test_a_value_that_is_not_a_stream_is_refused(stream: Any) -> None:
    with pytest.raises(UsageError, match=r"PP533 a (value of type '.*' is not a stream|chunk .* cannot be read)"):
        verdict_on(stream)


def test_a_stream_that_is_left_early_is_closed() -> None:
    closed = []

    class Connection:
        def __aiter__(self) -> "Connection":
            return self

        async def __anext__(self) -> str:
            return "{"

        async def close(self) -> None:
            closed.append(True)

    async def leave() -> None:
        parts = PLANNER.astream(Connection())
        await anext(parts)
        await parts.aclose()  # type: ignore[attr-defined]  # a generator

    asyncio.run(leave())
    assert closed == [True]


def test_answers_that_are_added_to_a_prompt_are_not_examples() -> None:
    longer = PLANNER.with_messages((*PLANNER.messages, Message("assistant", TEXT), Message("user", "Again")))
    assert longer.few_shot == PLANNER.few_shot


def test_an_agent_runs_a_finished_prompt_of_its_own_pack_only() -> None:
    agent = Agent(PLANNER.pack, ScriptedProvider([GOOD]))
    assert agent.run(PLANNER).ok
    with pytest.raises(UsageError) as caught:
        agent.run(PLANNER, USER_GOAL="x")
    assert str(caught.value) == (
        "PP620 a finished prompt takes no inputs, but got USER_GOAL\n  hint: pass the inputs to 'render'"
    )
    with pytest.raises(UsageError, match=r"PP620 the prompt belongs to executor@1\.0\.0, not to planner@1\.0\.0"):
        agent.run(EXECUTOR)
