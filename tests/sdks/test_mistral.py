"""`Prompt.to("mistral")` with the real package."""

from mistralai.client import Mistral

from tests.sdks.server import Server, chat_calls, chat_texts
from tests.unit.adapters.prompts import BROKEN, DATA, DEGREES, HISTORY, IMAGE, PIXEL, RULES, SCHEMA, SIMPLE, TOOL


def test_the_sdk_sends_what_was_rendered_and_the_reply_is_accepted() -> None:
    for prompt in (SIMPLE, HISTORY, IMAGE, BROKEN):
        for strict in (False, True):
            with Server() as server, Mistral(api_key="k", server_url=server.address) as client:
                answer = client.chat.complete(model="m", **prompt.to("mistral", strict=strict, tools=[TOOL]))
            assert chat_texts(server.body["messages"])[-1] == ("user", DATA)
            described = server.body["response_format"]["json_schema"]
            assert (described["schema"], described["strict"]) == (SCHEMA, strict)
            assert server.body["tools"][0]["function"]["parameters"] == TOOL["parameters"]
            assert prompt.check(answer.choices[0].message.content).ok


def test_calls_results_and_images_arrive() -> None:
    with Server() as server, Mistral(api_key="k", server_url=server.address) as client:
        client.chat.complete(model="m", **HISTORY.to("mistral"))
        client.chat.complete(model="m", **IMAGE.to("mistral"))
    history, image = server.bodies
    assert chat_texts(history["messages"]) == [
        ("system", RULES), ("user", "How warm?"), ("assistant", "I look."), ("tool", DEGREES),
        ("system", "Be short."), ("user", DATA),
    ]  # fmt: skip
    assert chat_calls(history["messages"]) == [("c1", "degrees", {"city": "Oslo"})]
    assert history["messages"][3]["tool_call_id"] == "c1"
    assert image["messages"][0]["content"][1]["image_url"]["url"] == PIXEL
