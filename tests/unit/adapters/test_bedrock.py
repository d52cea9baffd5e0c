import json

import pytest

from promptpack.problem import UsageError
from promptpack.prompt.message import Message, Part
from tests.unit.adapters.prompts import DATA, DEGREES, HISTORY, NOTE, PIXEL, RULES, SCHEMA, SIMPLE, TOOL, prompt_of


def test_system_and_messages() -> None:
    assert SIMPLE.to("bedrock") == {
        "system": [{"text": RULES}],
        "messages": [{"role": "user", "content": [{"text": DATA}]}],
    }


def test_tool_calls_and_results() -> None:
    assert HISTORY.to("bedrock")["messages"] == [
        {"role": "user", "content": [{"text": "How warm?"}]},
        {
            "role": "assistant",
            "content": [
                {"text": "I look."},
                {"toolUse": {"toolUseId": "c1", "name": "degrees", "input": {"city": "Oslo"}}},
            ],
        },
        {
            "role": "user",
            "content": [{"toolResult": {"toolUseId": "c1", "content": [{"text": DEGREES}]}}, {"text": DATA}],
        },
    ]


def test_parts() -> None:
    parts = (Part.image(PIXEL), Part.image("data:image/jpeg;base64,aGk="), Part.file(NOTE, "my_notes.v1.pdf"))
    assert prompt_of(Message("user", parts)).to("bedrock")["messages"][0]["content"] == [
        {"image": {"format": "png", "source": {"bytes": b"hi"}}},
        {"image": {"format": "jpeg", "source": {"bytes": b"hi"}}},
        {"document": {"name": "my-notes-v1", "format": "pdf", "source": {"bytes": b"hi"}}},
    ]


def test_tools_and_a_strict_schema() -> None:
    written = SIMPLE.to("bedrock", strict=True, tools=[TOOL])
    specification = {"name": "degrees", "description": "Measures.", "inputSchema": {"json": TOOL["parameters"]}}
    assert written["toolConfig"] == {"tools": [{"toolSpec": specification}]}
    described = written["outputConfig"]["textFormat"]["structure"]["jsonSchema"]
    assert (described["name"], json.loads(described["schema"])) == ("weather", SCHEMA)


@pytest.mark.parametrize(
    ("part", "problem"),
    [
        (Part.image("https://example.org/a.png"), "an image by its URL\n  hint: pass a data: URI"),
        (Part.file("file-1"), "a file by its id\n  hint: pass a data: URI"),
        (
            Part.file("data:video/mp4;base64,aGk="),
            "a file of the type 'video/mp4'\n  hint: remove it, or use another target",
        ),
    ],
)
def test_what_cannot_be_carried(part: Part, problem: str) -> None:
    with pytest.raises(UsageError) as caught:
        prompt_of(Message("user", (part,))).to("bedrock")
    assert str(caught.value) == f"PP632 target 'bedrock' cannot carry {problem}"
