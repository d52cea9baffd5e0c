"""`Prompt.to("openai-responses")` with the real package."""

import json

import openai
from openai.types.responses import FunctionToolParam, ResponseInputItemParam, ResponseTextConfigParam
from pydantic import TypeAdapter

from tests.sdks.server import Server
from tests.unit.adapters.prompts import BROKEN, HISTORY, IMAGE, SIMPLE, TOOL


def test_the_sdk_sends_what_was_rendered_and_the_reply_is_accepted() -> None:
    for prompt in (SIMPLE, HISTORY, IMAGE, BROKEN):
        arguments = prompt.to("openai-responses", strict=True, tools=[TOOL])
        with Server() as server, openai.OpenAI(base_url=server.address, api_key="k", max_retries=0) as client:
            answer = client.responses.create(model="m", **arguments)
        assert server.body == {"model": "m", **json.loads(json.dumps(arguments))}
        assert prompt.check(answer.output_text).ok


def test_the_types_of_the_sdk_accept_the_arguments() -> None:
    items: TypeAdapter[list[ResponseInputItemParam]] = TypeAdapter(list[ResponseInputItemParam])
    tools: TypeAdapter[list[FunctionToolParam]] = TypeAdapter(list[FunctionToolParam])
    texts: TypeAdapter[ResponseTextConfigParam] = TypeAdapter(ResponseTextConfigParam)
    for prompt in (SIMPLE, HISTORY, IMAGE, BROKEN):
        for strict in (False, True):
            arguments = prompt.to("openai-responses", strict=strict, tools=[TOOL])
            items.validate_python(arguments["input"])
            tools.validate_python(arguments["tools"])
            texts.validate_python(arguments["text"])
