"""`Prompt.to("agent-framework")` with the real packages."""

import asyncio
from typing import Any

from agent_framework.openai import OpenAIChatCompletionClient

from promptpack.adapters.agent_framework import messages
from tests.sdks.server import Server, chat_calls, chat_texts
from tests.unit.adapters.prompts import BROKEN, DATA, DEGREES, HISTORY, IMAGE, PIXEL, RULES, SCHEMA, SIMPLE


def ask(server: Server, prompt: Any, **options: Any) -> Any:
    client = OpenAIChatCompletionClient("m", api_key="k", base_url=server.address)
    return asyncio.run(client.get_response(messages(prompt), **options))


def test_the_sdk_sends_what_was_rendered_and_the_reply_is_accepted() -> None:
    for prompt in (SIMPLE, HISTORY, BROKEN):
        with Server() as server:
            answer = ask(server, prompt)
        assert chat_texts(server.body["messages"])[-1] == ("user", DATA)
        assert prompt.check(answer.text).ok


def test_calls_results_and_images_arrive() -> None:
    with Server() as server:
        ask(server, HISTORY)
        ask(server, IMAGE)
    history, image = server.bodies
    assert chat_texts(history["messages"]) == [
    ("system", RULES), ("user", "How warm?"), ("assistant", "I look."), ("tool", DEGREES),
    ("developer", "Be short."), ("user", DATA),
]  # fmt: skip
    assert chat_calls(history["messages"]) == [("c1", "degrees", {"city": "Oslo"})]
    assert history["messages"][3]["tool_call_id"] == "c1"
    # The client sends each part as a message.
    assert chat_texts(image["messages"]) == [("user", DATA), ("user", "")]
    assert image["messages"][1]["content"][0]["image_url"]["url"] == PIXEL


def test_a_strict_schema_arrives() -> None:
    with Server() as server:
        ask(server, SIMPLE, options=SIMPLE.to("agent-framework", strict=True)["options"])
    assert server.body["response_format"]["json_schema"]["schema"] == SCHEMA
