"""`Prompt.to("pydantic-ai")` with the real package."""

from dataclasses import replace
from typing import Any

import pytest
from pydantic_ai import Agent, TextOutput
from pydantic_ai.exceptions import UnexpectedModelBehavior
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from promptpack.adapters.pydantic_ai import output_validator, run_arguments
from promptpack.pack.contract import Contract
from tests.sdks.server import INVALID, REPLY, Server, chat_calls, chat_texts
from tests.unit.adapters.prompts import BROKEN, DATA, DEGREES, HISTORY, IMAGE, PACK, PIXEL, RULES, SIMPLE


def agent_of(server: Server, **options: Any) -> Any:
    return Agent(OpenAIChatModel("m", provider=OpenAIProvider(base_url=server.address, api_key="k")), **options)


def test_the_sdk_sends_what_was_rendered_and_the_reply_is_accepted() -> None:
    for prompt in (SIMPLE, HISTORY, IMAGE, BROKEN):
        with Server() as server:
            answer = agent_of(server).run_sync(**run_arguments(prompt))
        assert chat_texts(server.body["messages"])[-1] == ("user", DATA)
        assert prompt.check(answer.output).ok


def test_without_earlier_turns_the_plain_arguments_are_enough() -> None:
    with Server() as server:
        agent_of(server).run_sync(**SIMPLE.to("pydantic-ai"))
    assert chat_texts(server.body["messages"]) == [("system", RULES), ("user", DATA)]


def test_calls_results_and_images_arrive() -> None:
    with Server() as server:
        agent_of(server).run_sync(**run_arguments(HISTORY))
        agent_of(server).run_sync(**run_arguments(IMAGE))
    history, image = server.bodies
    assert chat_texts(history["messages"]) == [
        ("system", f"{RULES}\n\nBe short."), ("user", "How warm?"), ("assistant", "I look."), ("tool", DEGREES),
        ("user", DATA),
    ]  # fmt: skip
    assert chat_calls(history["messages"]) == [("c1", "degrees", {"city": "Oslo"})]
    assert history["messages"][3]["tool_call_id"] == "c1"
    assert image["messages"][0]["content"][1]["image_url"]["url"] == PIXEL


def test_a_validator_sends_the_correction_after_the_failed_reply() -> None:
    with Server(INVALID, REPLY) as server:
        agent = agent_of(server, output_type=TextOutput(output_validator(SIMPLE)))
        verdict = agent.run_sync(**run_arguments(SIMPLE)).output
    assert verdict.ok
    assert verdict.data == {"city": "Oslo"}
    first, second = [chat_texts(body["messages"]) for body in server.bodies]
    assert second[:3] == [*first, ("assistant", INVALID)]
    assert SIMPLE.check(INVALID).correction in second[3][1]


def test_a_validator_stops_after_the_retries_of_the_agent() -> None:
    with Server(INVALID) as server:
        agent = agent_of(server, output_type=TextOutput(output_validator(SIMPLE)), retries=2)
        with pytest.raises(UnexpectedModelBehavior):
            agent.run_sync(**run_arguments(SIMPLE))
    assert len(server.received) == 3


def test_a_short_answer_completes_the_failed_reply_of_its_run() -> None:
    fields = {"city": {"type": "string"}, "degrees": {"type": "number"}}
    contract = Contract("both", {"type": "object", "required": [*fields], "properties": fields})
    prompt = replace(SIMPLE, pack=replace(PACK, contract=contract))
    with Server('{"city": "Oslo", "degrees": "warm"}', '{"degrees": 7}') as server:
        agent = agent_of(server, output_type=TextOutput(output_validator(prompt)))
        verdict = agent.run_sync(**run_arguments(prompt)).output
    assert verdict.data == {"city": "Oslo", "degrees": 7}
    assert len(server.received) == 2
