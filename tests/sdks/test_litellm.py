"""`Prompt.to("litellm")` with the real package."""

import json
import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm

from tests.sdks.server import Server
from tests.unit.adapters.prompts import BROKEN, HISTORY, IMAGE, SIMPLE, TOOL


def test_the_sdk_sends_what_was_rendered_and_the_reply_is_accepted() -> None:
    for prompt in (SIMPLE, HISTORY, IMAGE, BROKEN):
        arguments = prompt.to("litellm", strict=True, tools=[TOOL])
        with Server() as server:
            answer = litellm.completion(model="openai/gpt-4o", api_base=server.address, api_key="k", **arguments)
        # LiteLLM sends developer messages as system messages, and no empty content.
        sent = json.loads(json.dumps(arguments).replace('"developer"', '"system"').replace('"content": null, ', ""))
        assert {name: server.body[name] for name in sent} == sent
        assert prompt.check(answer.choices[0].message.content).ok
