"""`Prompt.to("bedrock")` with the real package."""

import json
from typing import Any

import boto3
from botocore.config import Config

from tests.sdks.server import Server
from tests.unit.adapters.prompts import BROKEN, HISTORY, IMAGE, SCHEMA, SIMPLE, TOOL


def client_of(server: Server) -> Any:
    return boto3.client(
        "bedrock-runtime",
        region_name="us-east-1",
        aws_access_key_id="a",
        aws_secret_access_key="b",  # noqa: S106 -- not a secret
        endpoint_url=server.address,
        config=Config(retries={"max_attempts": 1}),
    )


def test_the_sdk_sends_what_was_rendered_and_the_reply_is_accepted() -> None:
    for prompt in (SIMPLE, HISTORY, BROKEN):
        arguments = prompt.to("bedrock", tools=[TOOL])
        with Server() as server:
            answer = client_of(server).converse(modelId="m", **arguments)
        assert server.body == json.loads(json.dumps(arguments))
        assert prompt.check(answer["output"]["message"]["content"][0]["text"]).ok


def test_images_and_a_strict_schema_arrive() -> None:
    with Server() as server:
        client_of(server).converse(modelId="m", **IMAGE.to("bedrock", strict=True))
    image = server.body["messages"][0]["content"][1]["image"]
    assert image == {"format": "png", "source": {"bytes": "aGk="}}
    assert json.loads(server.body["outputConfig"]["textFormat"]["structure"]["jsonSchema"]["schema"]) == SCHEMA
