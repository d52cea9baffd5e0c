"""`Prompt.to("adk")` with the real package."""

import asyncio
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models import Gemini, LlmRequest
from google.adk.runners import InMemoryRunner
from google.genai import types

from promptpack.adapters.adk import instruction
from tests.sdks.server import Server
from tests.unit.adapters.prompts import BROKEN, DATA, DEGREES, HISTORY, IMAGE, RULES, SCHEMA, SIMPLE, TOOL


def model_of(server: Server) -> Any:
    return Gemini(model="m", base_url=server.address)


async def ask(server: Server, arguments: dict[str, Any]) -> str:
    request = LlmRequest(model="m", **arguments)
    return "".join([answer.content.parts[0].text async for answer in model_of(server).generate_content_async(request)])


def test_the_sdk_sends_what_was_rendered_and_the_reply_is_accepted(monkeypatch: Any) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "k")
    for prompt in (SIMPLE, HISTORY, IMAGE, BROKEN):
        with Server() as server:
            answer = asyncio.run(ask(server, prompt.to("adk", tools=[TOOL])))
        assert server.body["contents"][-1]["parts"][0 if prompt is IMAGE else -1] == {"text": DATA}
        assert prompt.check(answer).ok


def test_calls_results_images_and_a_strict_schema_arrive(monkeypatch: Any) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "k")
    with Server() as server:
        asyncio.run(ask(server, HISTORY.to("adk")))
        asyncio.run(ask(server, IMAGE.to("adk", strict=True)))
    history, image = server.bodies
    assert history["contents"][1]["parts"][1]["functionCall"]["args"] == {"city": "Oslo"}
    assert history["contents"][2]["parts"][0]["functionResponse"]["response"] == {"result": DEGREES}
    assert image["contents"][0]["parts"][1]["inlineData"]["data"] == "aGk="
    assert image["generationConfig"]["responseJsonSchema"] == SCHEMA


def test_an_agent_does_not_read_the_instruction_as_a_template(monkeypatch: Any) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "k")

    async def run(server: Server) -> None:
        agent = LlmAgent(name="weather", model=model_of(server), instruction=instruction(SIMPLE))
        runner = InMemoryRunner(agent=agent, app_name="app")
        session = await runner.session_service.create_session(app_name="app", user_id="u")
        said = types.Content(role="user", parts=[types.Part(text=DATA)])
        async for _ in runner.run_async(user_id="u", session_id=session.id, new_message=said):
            pass

    with Server() as server:
        asyncio.run(run(server))
    assert RULES in server.body["systemInstruction"]["parts"][0]["text"]
    assert server.body["contents"][-1]["parts"] == [{"text": DATA}]
