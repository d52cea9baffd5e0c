"""`Prompt.to("langchain")` with the real packages."""

import asyncio
from pathlib import Path
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_openai import ChatOpenAI

from promptpack import Library
from promptpack.adapters.langchain import messages, runnable
from tests.e2e.loopback import Loopback, openai_answer
from tests.sdks.server import INVALID, REPLY, Server, chat_calls, chat_texts
from tests.unit.adapters.prompts import BROKEN, DATA, DEGREES, HISTORY, IMAGE, PIXEL, RULES, SCHEMA, SIMPLE, TOOL


def model_of(server: Loopback) -> Any:
    return ChatOpenAI(model="m", base_url=server.address, api_key="k", max_retries=0, use_responses_api=False)


def test_the_sdk_sends_what_was_rendered_and_the_reply_is_accepted() -> None:
    for prompt in (SIMPLE, HISTORY, IMAGE, BROKEN):
        with Server() as server:
            answer = model_of(server).invoke(**prompt.to("langchain"))
        assert chat_texts(server.body["messages"])[-1] == ("user", DATA)
        assert prompt.check(answer).ok


def test_message_objects_have_calls_results_and_images() -> None:
    assert all(isinstance(message, BaseMessage) for message in messages(HISTORY))
    with Server() as server:
        model_of(server).invoke(messages(HISTORY))
        model_of(server).invoke(messages(IMAGE))
    history, image = server.bodies
    assert chat_texts(history["messages"]) == [
    ("system", RULES), ("user", "How warm?"), ("assistant", "I look."), ("tool", DEGREES),
    ("developer", "Be short."), ("user", DATA),
]  # fmt: skip
    assert chat_calls(history["messages"]) == [("c1", "degrees", {"city": "Oslo"})]
    assert history["messages"][3]["tool_call_id"] == "c1"
    assert image["messages"][0]["content"][1]["image_url"]["url"] == PIXEL


def test_tools_and_a_strict_schema_arrive() -> None:
    arguments = SIMPLE.to("langchain", tools=[TOOL])
    with Server() as server:
        model_of(server).invoke(**arguments)
        tools = arguments.pop("tools")
        model_of(server).bind_tools(tools).invoke(**arguments)
        model_of(server).invoke(**SIMPLE.to("langchain", strict=True))
    *with_tools, strict = server.bodies
    assert [body["tools"] for body in with_tools] == [tools, tools]
    assert strict["response_format"]["json_schema"]["schema"] == SCHEMA


def test_a_runnable_sends_the_correction_after_the_failed_reply() -> None:
    for is_async in (False, True):
        with Server(INVALID, REPLY) as server:
            chain = runnable(SIMPLE, model_of(server))
            verdict = asyncio.run(chain.ainvoke({})) if is_async else chain.invoke({})
        assert verdict.ok
        assert verdict.data == {"city": "Oslo"}
        first, second = [chat_texts(body["messages"]) for body in server.bodies]
        assert first == [("system", RULES), ("user", DATA)]
        assert second == [*first, ("assistant", INVALID), ("user", SIMPLE.check(INVALID).correction)]


def test_a_runnable_stops_after_its_rounds() -> None:
    with Server(INVALID) as server:
        verdict = runnable(SIMPLE, model_of(server), rounds=2).invoke({})
    assert not verdict.ok
    assert len(server.received) == 2


def test_a_runnable_renders_a_pack_with_its_inputs() -> None:
    planner = Library.open(str(Path(__file__).parents[2] / "packs")).get("planner@^1", locale="en")
    with Server("no") as server:
        runnable(planner, model_of(server), rounds=1).invoke({"USER_GOAL": DATA})
    assert DATA in chat_texts(server.body["messages"])[-1][1]


def test_the_correction_of_a_tool_call_is_its_result() -> None:
    call = {"id": "c9", "type": "function", "function": {"name": "fly", "arguments": '{"to": "Oslo"}'}}
    with Loopback([openai_answer(None, [call], "tool_calls"), openai_answer(REPLY)]) as server:
        assert runnable(SIMPLE, model_of(server)).invoke({}).ok
    second = server.received[1].body["messages"]
    assert chat_calls(second) == [("c9", "fly", {"to": "Oslo"})]
    assert (second[-1]["role"], second[-1]["tool_call_id"]) == ("tool", "c9")
    assert second[-1]["content"]
