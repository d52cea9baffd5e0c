"""`Prompt.to("pydantic-ai")` with the real package."""

from typing import Any

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from promptpack.adapters.pydantic_ai import run_arguments
from tests.sdks.server import Server, chat_calls, chat_texts
from tests.unit.adapters.prompts import DATA, DEGREES, HISTORY, IMAGE, PIXEL, RULES, SIMPLE


def agent_of(server: Server, **options: Any) -> Any:
    return Agent(OpenAIChatModel("m", provider=OpenAIProvider(base_url=server.address, api_key="k")), **options)


def test_the_sdk_sends_what_was_rendered_and_the_reply_is_accepted() -> None:
    for prompt in (SIMPLE, HISTORY, IMAGE):
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
