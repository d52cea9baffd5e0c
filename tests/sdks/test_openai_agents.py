"""`Prompt.to("openai-agents")` with the real package."""

import asyncio
from typing import Any

from agents import Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, set_tracing_disabled
from openai import AsyncOpenAI

from promptpack.adapters.openai_agents import output_type, run
from tests.sdks.server import INVALID, REPLY, Server, chat_calls, chat_texts
from tests.unit.adapters.prompts import BROKEN, DATA, DEGREES, HISTORY, IMAGE, PIXEL, RULES, SCHEMA, SIMPLE

set_tracing_disabled(True)


def agent_of(server: Server, model: Any = OpenAIChatCompletionsModel, **options: Any) -> Any:
    client = AsyncOpenAI(base_url=server.address, api_key="k", max_retries=0)
    return Agent(name="weather", model=model(model="m", openai_client=client), **options)


def test_the_sdk_sends_what_was_rendered_and_the_reply_is_accepted() -> None:
    for prompt in (SIMPLE, HISTORY, IMAGE, BROKEN):
        with Server() as server:
            answer = Runner.run_sync(agent_of(server), **prompt.to("openai-agents"))
        assert chat_texts(server.body["messages"])[-1] == ("user", DATA)
        assert prompt.check(answer.final_output).ok


def test_calls_results_and_images_arrive() -> None:
    with Server() as server:
        Runner.run_sync(agent_of(server), **HISTORY.to("openai-agents"))
        Runner.run_sync(agent_of(server), **IMAGE.to("openai-agents"))
    history, image = server.bodies
    assert chat_texts(history["messages"]) == [
    ("system", RULES), ("user", "How warm?"), ("assistant", "I look."), ("assistant", ""),
    ("tool", DEGREES),
    ("developer", "Be short."), ("user", DATA),
]  # fmt: skip
    assert chat_calls(history["messages"]) == [("c1", "degrees", {"city": "Oslo"})]
    assert image["messages"][0]["content"][1]["image_url"]["url"] == PIXEL


def test_the_responses_model_sends_the_same_items() -> None:
    with Server() as server:
        Runner.run_sync(agent_of(server, OpenAIResponsesModel), **HISTORY.to("openai-agents"))
    assert server.body["input"] == HISTORY.to("openai-agents")["input"]


def test_the_final_output_is_a_verdict_and_the_schema_arrives() -> None:
    for strict in (False, True):
        with Server() as server:
            agent = agent_of(server, output_type=output_type(SIMPLE, strict=strict))
            answer = Runner.run_sync(agent, **SIMPLE.to("openai-agents"))
        assert answer.final_output.ok
        described = server.body["response_format"]["json_schema"]
        assert (described["schema"], described["strict"]) == (SCHEMA, strict)


def test_a_run_sends_the_correction_after_the_failed_reply() -> None:
    with Server(INVALID, REPLY) as server:
        result = asyncio.run(run(agent_of(server), SIMPLE))
    assert result.final_output.ok
    first, second = [chat_texts(body["messages"]) for body in server.bodies]
    assert second == [*first, ("assistant", INVALID), ("user", SIMPLE.check(INVALID).correction)]
    assert len(result.to_input_list()) == 5


def test_a_run_stops_after_its_rounds() -> None:
    with Server(INVALID) as server:
        result = asyncio.run(run(agent_of(server), SIMPLE, rounds=2))
    assert not result.final_output.ok
    assert len(server.received) == 2
