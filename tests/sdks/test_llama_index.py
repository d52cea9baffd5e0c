"""`Prompt.to("llama-index")` with the real packages."""

from typing import Any

from llama_index.llms.openai_like import OpenAILike

from promptpack.adapters.llama_index import messages
from tests.sdks.server import Server, chat_calls, chat_texts
from tests.unit.adapters.prompts import BROKEN, DATA, DEGREES, HISTORY, IMAGE, PIXEL, RULES, SIMPLE


def model_of(server: Server) -> Any:
    return OpenAILike(model="m", api_base=server.address, api_key="k", is_chat_model=True, max_retries=0)


def test_the_sdk_sends_what_was_rendered_and_the_reply_is_accepted() -> None:
    for prompt in (SIMPLE, HISTORY, IMAGE, BROKEN):
        with Server() as server:
            answer = model_of(server).chat(messages(prompt))
        assert chat_texts(server.body["messages"])[-1] == ("user", DATA)
        assert prompt.check(answer.message.content).ok


def test_calls_results_and_images_arrive() -> None:
    with Server() as server:
        model_of(server).chat(messages(HISTORY))
        model_of(server).chat(messages(IMAGE))
    history, image = server.bodies
    assert chat_texts(history["messages"]) == [
    ("system", RULES), ("user", "How warm?"), ("assistant", "I look."), ("tool", DEGREES),
    ("developer", "Be short."), ("user", DATA),
]  # fmt: skip
    assert chat_calls(history["messages"]) == [("c1", "degrees", {"city": "Oslo"})]
    assert history["messages"][3]["tool_call_id"] == "c1"
    assert image["messages"][0]["content"][1]["image_url"]["url"] == PIXEL
