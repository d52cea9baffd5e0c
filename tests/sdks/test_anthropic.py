"""`Prompt.to("anthropic")` with the real package."""

import json

import anthropic
from anthropic.types import MessageParam, OutputConfigParam, TextBlock, TextBlockParam, ToolParam
from pydantic import TypeAdapter

from tests.sdks.server import Server
from tests.unit.adapters.prompts import BROKEN, HISTORY, IMAGE, SIMPLE, TOOL


def test_the_sdk_sends_what_was_rendered_and_the_reply_is_accepted() -> None:
    for prompt in (SIMPLE, HISTORY, IMAGE, BROKEN):
        arguments = prompt.to("anthropic", strict=True, tools=[TOOL], cache=True)
        with Server() as server, anthropic.Anthropic(base_url=server.address, api_key="k", max_retries=0) as client:
            answer = client.messages.create(model="m", **arguments)
        assert server.body == {"model": "m", **json.loads(json.dumps(arguments))}
        (block,) = answer.content
        assert isinstance(block, TextBlock)
        assert prompt.check(block.text).ok


def test_the_types_of_the_sdk_accept_the_arguments() -> None:
    messages: TypeAdapter[list[MessageParam]] = TypeAdapter(list[MessageParam])
    tools: TypeAdapter[list[ToolParam]] = TypeAdapter(list[ToolParam])
    systems: TypeAdapter[str | list[TextBlockParam]] = TypeAdapter(str | list[TextBlockParam])
    outputs: TypeAdapter[OutputConfigParam] = TypeAdapter(OutputConfigParam)
    for prompt in (SIMPLE, HISTORY, IMAGE, BROKEN):
        for cache in (False, True):
            arguments = prompt.to("anthropic", strict=True, tools=[TOOL], cache=cache)
            messages.validate_python(arguments["messages"])
            tools.validate_python(arguments["tools"])
            systems.validate_python(arguments.get("system", ""))
            outputs.validate_python(arguments["output_config"])
