"""`Prompt.to("langchain")` with the real packages."""

from typing import Any

from langchain_core.messages import BaseMessage
from langchain_openai import ChatOpenAI

from promptpack.adapters.langchain import messages
from tests.sdks.server import Server, chat_calls, chat_texts
from tests.unit.adapters.prompts import DATA, DEGREES, HISTORY, IMAGE, PIXEL, RULES, SCHEMA, SIMPLE, TOOL


def model_of(server: Server) -> Any:
    return ChatOpenAI(model="m", base_url=server.address, api_key="k", max_retries=0, use_responses_api=False)


def test_the_sdk_sends_what_was_rendered_and_the_reply_is_accepted() -> None:
    for prompt in (SIMPLE, HISTORY, IMAGE):
        with Server() as server:
            answer = model_of(server).invoke(**prompt.to("langchain"))
        assert chat_texts(server.body["messages"])[-1] == ("user", DATA)
        assert prompt.check(answer.content).ok


def test_message_objects_have_calls_results_and_images() -> None:
    assert all(isinstance(message, BaseMessage) for message in messages(HISTORY))
    with Server() as server:
        model_of(server).invoke(messages(HISTORY))
        model_of(server).invoke(messages(IMAGE))
    history, image = server.bodies
    assert chat_texts(history["messages"]) == [
    ("system", RULES), ("user", "How warm?"), ("assistant", "I look."), ("tool", DEGREES),
    ("developer", "Be short."), ("user", DATA),
]  # fmt: skip
    assert chat_calls(history["messages"]) == [("c1", "degrees", {"city": "Oslo"})]
    assert history["messages"][3]["tool_call_id"] == "c1"
    assert image["messages"][0]["content"][1]["image_url"]["url"] == PIXEL


def test_tools_and_a_strict_schema_arrive() -> None:
    arguments = SIMPLE.to("langchain", tools=[TOOL])
    with Server() as server:
        model_of(server).invoke(**arguments)
        tools = arguments.pop("tools")
        model_of(server).bind_tools(tools).invoke(**arguments)
        model_of(server).invoke(**SIMPLE.to("langchain", strict=True))
    *with_tools, strict = server.bodies
    assert [body["tools"] for body in with_tools] == [tools, tools]
    assert strict["response_format"]["json_schema"]["schema"] == SCHEMA
