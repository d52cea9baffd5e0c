"""`Prompt.to("gemini")` with the real package."""

from google import genai
from google.genai import types

from tests.sdks.server import Server
from tests.unit.adapters.prompts import BROKEN, DATA, DEGREES, HISTORY, IMAGE, RULES, SCHEMA, SIMPLE, TOOL


def test_the_sdk_sends_what_was_rendered_and_the_reply_is_accepted() -> None:
    for prompt in (SIMPLE, HISTORY, IMAGE, BROKEN):
        with Server() as server:
            client = genai.Client(api_key="k", http_options=types.HttpOptions(base_url=server.address))
            answer = client.models.generate_content(model="m", **prompt.to("gemini"))
        assert server.body["contents"][-1]["parts"][0 if prompt is IMAGE else -1] == {"text": DATA}
        assert prompt.check(answer.text).ok


def test_system_text_calls_results_and_images_arrive() -> None:
    with Server() as server:
        client = genai.Client(api_key="k", http_options=types.HttpOptions(base_url=server.address))
        client.models.generate_content(model="m", **HISTORY.to("gemini", tools=[TOOL]))
        client.models.generate_content(model="m", **IMAGE.to("gemini"))
    history, image = server.bodies
    assert history["systemInstruction"]["parts"] == [{"text": f"{RULES}\n\nBe short."}]
    assert history["contents"][1]["parts"][1]["functionCall"] == {
        "id": "c1",
        "name": "degrees",
        "args": {"city": "Oslo"},
    }
    assert history["contents"][2]["parts"][0]["functionResponse"]["response"] == {"result": DEGREES}
    (declared,) = history["tools"][0]["functionDeclarations"]
    assert declared["parameters_json_schema"] == TOOL["parameters"]
    assert image["contents"][0]["parts"][1]["inlineData"]["data"] == "aGk="


def test_a_strict_schema_arrives() -> None:
    with Server() as server:
        client = genai.Client(api_key="k", http_options=types.HttpOptions(base_url=server.address))
        client.models.generate_content(model="m", **SIMPLE.to("gemini", strict=True))
    assert server.body["generationConfig"]["responseJsonSchema"] == SCHEMA
