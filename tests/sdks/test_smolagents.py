"""`Prompt.to("smolagents")` with the real package."""

from typing import Any

from smolagents import OpenAIModel

from tests.sdks.server import Server, chat_texts
from tests.unit.adapters.prompts import BROKEN, CALL, DATA, HISTORY, IMAGE, PIXEL, RULES, SCHEMA, SIMPLE


def model_of(server: Server) -> Any:
    return OpenAIModel("m", api_base=server.address, api_key="k", client_kwargs={"max_retries": 0})


def test_the_sdk_sends_what_was_rendered_and_the_reply_is_accepted() -> None:
    for prompt in (SIMPLE, HISTORY, IMAGE, BROKEN):
        with Server() as server:
            answer = model_of(server).generate(**prompt.to("smolagents"))
        assert chat_texts(server.body["messages"])[-1] == ("user", DATA)
        assert prompt.check(answer.content).ok


def test_calls_and_results_are_texts() -> None:
    with Server() as server:
        model_of(server).generate(**HISTORY.to("smolagents"))
        model_of(server).generate(**IMAGE.to("smolagents"))
    history, image = server.bodies
    assert chat_texts(history["messages"]) == [
        ("system", RULES),
        ("user", "How warm?"),
        ("assistant", f"I look.\nCalling tools:\n[{CALL.to_dict()}]"),
        ("user", "Observation:\n7 {c}"),
        ("system", "Be short."),
        ("user", DATA),
    ]
    assert image["messages"][0]["content"][1]["image_url"]["url"] == PIXEL


def test_a_strict_schema_arrives() -> None:
    with Server() as server:
        model_of(server).generate(**SIMPLE.to("smolagents", strict=True))
    assert server.body["response_format"]["json_schema"]["schema"] == SCHEMA
