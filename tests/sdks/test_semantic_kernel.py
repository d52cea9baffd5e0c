"""`Prompt.to("semantic-kernel")` with the real package."""

import asyncio
from typing import Any

from openai import AsyncOpenAI
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion, OpenAIChatPromptExecutionSettings

from promptpack.adapters.semantic_kernel import chat_history
from tests.sdks.server import Server, chat_calls, chat_texts
from tests.unit.adapters.prompts import BROKEN, DATA, DEGREES, HISTORY, IMAGE, PIXEL, RULES, SIMPLE


def ask(server: Server, prompt: Any) -> Any:
    client = AsyncOpenAI(base_url=server.address, api_key="k", max_retries=0)
    service = OpenAIChatCompletion(ai_model_id="m", async_client=client)
    settings = OpenAIChatPromptExecutionSettings()
    return asyncio.run(service.get_chat_message_content(chat_history(prompt), settings))


def test_the_sdk_sends_what_was_rendered_and_the_reply_is_accepted() -> None:
    for prompt in (SIMPLE, HISTORY, IMAGE, BROKEN):
        with Server() as server:
            answer = ask(server, prompt)
        assert chat_texts(server.body["messages"])[-1] == ("user", DATA)
        assert prompt.check(str(answer)).ok


def test_calls_results_and_images_arrive() -> None:
    with Server() as server:
        ask(server, HISTORY)
        ask(server, IMAGE)
    history, image = server.bodies
    assert chat_texts(history["messages"]) == [
    ("system", RULES), ("user", "How warm?"), ("assistant", "I look."), ("assistant", ""),
    ("tool", DEGREES),
    ("developer", "Be short."), ("user", DATA),
]  # fmt: skip
    assert chat_calls(history["messages"]) == [("c1", "degrees", {"city": "Oslo"})]
    assert history["messages"][4]["tool_call_id"] == "c1"
    assert image["messages"][0]["content"][1]["image_url"]["url"] == PIXEL
