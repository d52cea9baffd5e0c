import pytest

from promptpack.cycle.model_tools import ModelTool
from promptpack.problem import UsageError
from promptpack.prompt.message import Message, Part
from tests.unit.adapters.prompts import DATA, DEGREES, FREE, HISTORY, PIXEL, RULES, SCHEMA, SIMPLE, TOOL, prompt_of

FORMAT = {"type": "json_schema", "json_schema": {"name": "weather", "schema": SCHEMA, "strict": False}}


def test_messages_and_the_schema_of_the_reply() -> None:
    assert SIMPLE.to("openai") == {
        "messages": [{"role": "system", "content": RULES}, {"role": "user", "content": DATA}],
        "response_format": FORMAT,
    }


def test_a_pack_without_a_contract_has_no_response_format() -> None:
    assert FREE.to("openai") == {"messages": [{"role": "user", "content": "hi"}]}


def test_tool_calls_and_results() -> None:
    assert HISTORY.to("openai")["messages"] == [
        {"role": "system", "content": RULES},
        {"role": "user", "content": "How warm?"},
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "degrees", "arguments": '{"city": "Oslo"}'}}
            ],
        },
        {"role": "tool", "content": DEGREES, "tool_call_id": "c1"},
        {"role": "developer", "content": "Be short."},
        {"role": "user", "content": DATA},
    ]


def test_all_parts_and_names() -> None:
    parts = (Part.text(DATA), Part.image(PIXEL, "low"), Part.audio("aGk="), Part.file("file-1"))
    (written,) = prompt_of(Message("user", parts, name="ann")).to("openai")["messages"]
    assert written == {
        "role": "user",
        "content": [
            {"type": "text", "text": DATA},
            {"type": "image_url", "image_url": {"url": PIXEL, "detail": "low"}},
            {"type": "input_audio", "input_audio": {"data": "aGk=", "format": "wav"}},
            {"type": "file", "file": {"file_id": "file-1"}},
        ],
        "name": "ann",
    }


def test_tools_in_any_form() -> None:
    def now(zone: str) -> str:
        """Tells the time."""
        return zone

    tools = SIMPLE.to("openai", tools=[TOOL, now, ModelTool("plain")])["tools"]
    assert tools[0] == {"type": "function", "function": TOOL}
    assert tools[1]["function"]["name"] == "now"
    assert tools[1]["function"]["description"] == "Tells the time."
    assert tools[1]["function"]["parameters"]["required"] == ["zone"]
    assert tools[2] == {
        "type": "function",
        "function": {"name": "plain", "parameters": {"type": "object", "properties": {}}},
    }


def test_a_strict_schema() -> None:
    assert SIMPLE.to("openai", strict=True)["response_format"]["json_schema"] == {
        "name": "weather",
        "schema": SCHEMA,
        "strict": True,
    }


def test_an_image_of_the_assistant_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        prompt_of(Message("assistant", (Part.image(PIXEL),))).to("openai")
    assert str(caught.value) == (
        "PP632 target 'openai' cannot carry a part of type 'image_url' in message 1 (assistant)\n"
        "  hint: remove it, or use another target"
    )
