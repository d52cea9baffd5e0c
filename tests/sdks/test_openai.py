"""`Prompt.to("openai")` with the real package."""

import json

import openai
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam
from openai.types.shared_params import ResponseFormatJSONSchema
from pydantic import TypeAdapter

from tests.sdks.server import Server
from tests.unit.adapters.prompts import BROKEN, HISTORY, IMAGE, SIMPLE, TOOL


def test_the_sdk_sends_what_was_rendered_and_the_reply_is_accepted() -> None:
    for prompt in (SIMPLE, HISTORY, IMAGE, BROKEN):
        arguments = prompt.to("openai", strict=True, tools=[TOOL])
        with Server() as server, openai.OpenAI(base_url=server.address, api_key="k", max_retries=0) as client:
            answer = client.chat.completions.create(model="m", **arguments)
        assert server.body == {"model": "m", **json.loads(json.dumps(arguments))}
        assert prompt.check(answer.choices[0].message.content or "").ok


def test_the_types_of_the_sdk_accept_the_arguments() -> None:
    messages: TypeAdapter[list[ChatCompletionMessageParam]] = TypeAdapter(list[ChatCompletionMessageParam])
    tools: TypeAdapter[list[ChatCompletionToolParam]] = TypeAdapter(list[ChatCompletionToolParam])
    formats: TypeAdapter[ResponseFormatJSONSchema] = TypeAdapter(ResponseFormatJSONSchema)
    for prompt in (SIMPLE, HISTORY, IMAGE, BROKEN):
        for strict in (False, True):
            arguments = prompt.to("openai", strict=strict, tools=[TOOL])
            messages.validate_python(arguments["messages"])
            tools.validate_python(arguments["tools"])
            formats.validate_python(arguments["response_format"])
