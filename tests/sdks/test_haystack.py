"""`Prompt.to("haystack")` with the real package."""

from typing import Any

from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.utils import Secret

from promptpack.adapters.haystack import messages
from tests.sdks.server import Server, chat_calls, chat_texts
from tests.unit.adapters.prompts import BROKEN, DATA, DEGREES, HISTORY, IMAGE, PIXEL, RULES, SCHEMA, SIMPLE


def model_of(server: Server) -> Any:
    return OpenAIChatGenerator(Secret.from_token("k"), "m", api_base_url=server.address, max_retries=0)


def test_the_sdk_sends_what_was_rendered_and_the_reply_is_accepted() -> None:
    for prompt in (SIMPLE, HISTORY, IMAGE, BROKEN):
        with Server() as server:
            answer = model_of(server).run(messages(prompt))
        assert chat_texts(server.body["messages"])[-1] == ("user", DATA)
        assert prompt.check(answer["replies"][0].text).ok


def test_calls_results_and_images_arrive() -> None:
    with Server() as server:
        model_of(server).run(messages(HISTORY))
        model_of(server).run(messages(IMAGE))
    history, image = server.bodies
    assert chat_texts(history["messages"]) == [
        ("system", RULES), ("user", "How warm?"), ("assistant", "I look."), ("tool", DEGREES),
        ("system", "Be short."), ("user", DATA),
    ]  # fmt: skip
    assert chat_calls(history["messages"]) == [("c1", "degrees", {"city": "Oslo"})]
    assert history["messages"][3]["tool_call_id"] == "c1"
    assert image["messages"][0]["content"][1]["image_url"]["url"] == PIXEL


def test_a_strict_schema_arrives() -> None:
    arguments = SIMPLE.to("haystack", strict=True)["generation_kwargs"]
    with Server() as server:
        model_of(server).run(messages(SIMPLE), generation_kwargs=arguments)
    assert server.body["response_format"]["json_schema"]["schema"] == SCHEMA
