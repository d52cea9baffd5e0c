"""`Prompt.to("crewai")` with the real package."""

import os

os.environ["CREWAI_DISABLE_TELEMETRY"] = "true"
os.environ["OTEL_SDK_DISABLED"] = "true"

from typing import Any

from crewai import LLM

from tests.sdks.server import Server, chat_calls, chat_texts
from tests.unit.adapters.prompts import BROKEN, DATA, DEGREES, HISTORY, IMAGE, PIXEL, RULES, SIMPLE, TOOL


def model_of(server: Server) -> Any:
    return LLM(model="openai/gpt-4o", base_url=server.address, api_key="k", max_retries=0)


def test_the_sdk_sends_what_was_rendered_and_the_reply_is_accepted() -> None:
    for prompt in (SIMPLE, HISTORY, IMAGE, BROKEN):
        with Server() as server:
            answer = model_of(server).call(**prompt.to("crewai"))
        assert chat_texts(server.body["messages"])[-1] == ("user", DATA)
        assert prompt.check(answer).ok


def test_calls_results_and_images_arrive() -> None:
    with Server() as server:
        model_of(server).call(**HISTORY.to("crewai"))
        model_of(server).call(**IMAGE.to("crewai"))
    history, image = server.bodies
    assert chat_texts(history["messages"]) == [
    ("system", RULES), ("user", "How warm?"), ("assistant", "I look."), ("tool", DEGREES),
    ("developer", "Be short."), ("user", DATA),
]  # fmt: skip
    assert chat_calls(history["messages"]) == [("c1", "degrees", {"city": "Oslo"})]
    assert image["messages"][0]["content"][1]["image_url"]["url"] == PIXEL


def test_tools_arrive() -> None:
    with Server() as server:
        model_of(server).call(**SIMPLE.to("crewai", tools=[TOOL]))
    assert server.body["tools"][0]["function"]["name"] == "degrees"
