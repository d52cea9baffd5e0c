"""`Prompt.to("ollama")` with the real package."""

from ollama import Client

from tests.sdks.server import Server
from tests.unit.adapters.prompts import BROKEN, DATA, DEGREES, HISTORY, IMAGE, RULES, SCHEMA, SIMPLE, TOOL


def test_the_sdk_sends_what_was_rendered_and_the_reply_is_accepted() -> None:
    for prompt in (SIMPLE, HISTORY, IMAGE, BROKEN):
        with Server() as server:
            answer = Client(host=server.address).chat(model="m", **prompt.to("ollama"))
        assert server.body["messages"][-1]["content"] == DATA
        assert server.body["format"] == SCHEMA
        assert prompt.check(answer.message.content).ok


def test_calls_results_tools_and_images_arrive() -> None:
    with Server() as server:
        client = Client(host=server.address)
        client.chat(model="m", **HISTORY.to("ollama", tools=[TOOL]))
        client.chat(model="m", **IMAGE.to("ollama"))
    history, image = server.bodies
    assert history["messages"][0] == {"role": "system", "content": RULES}
    assert history["messages"][2]["tool_calls"] == [{"function": {"name": "degrees", "arguments": {"city": "Oslo"}}}]
    assert history["messages"][3] == {"role": "tool", "content": DEGREES, "tool_name": "degrees"}
    assert history["tools"][0]["function"]["name"] == "degrees"
    assert image["messages"][0]["images"] == ["aGk="]
