from promptpack.prompt.message import Message, Part
from tests.unit.adapters.prompts import DATA, DEGREES, HISTORY, PIXEL, RULES, SCHEMA, SIMPLE, TOOL, prompt_of


def test_leading_system_messages_are_the_instructions() -> None:
    assert SIMPLE.to("openai-responses") == {
        "instructions": RULES,
        "input": [{"type": "message", "role": "user", "content": DATA}],
        "text": {"format": {"type": "json_schema", "name": "weather", "schema": SCHEMA, "strict": False}},
    }


def test_tool_calls_and_results_are_items() -> None:
    assert HISTORY.to("openai-responses")["input"] == [
        {"type": "message", "role": "user", "content": "How warm?"},
        {"type": "message", "role": "assistant", "content": "I look."},
        {"type": "function_call", "call_id": "c1", "name": "degrees", "arguments": '{"city": "Oslo"}'},
        {"type": "function_call_output", "call_id": "c1", "output": DEGREES},
        {"type": "message", "role": "developer", "content": "Be short."},
        {"type": "message", "role": "user", "content": DATA},
    ]


def test_parts() -> None:
    parts = (Part.text(DATA), Part.image(PIXEL), Part.file("data:application/pdf;base64,aGk=", "a.pdf"))
    assert prompt_of(Message("user", parts)).to("openai-responses")["input"][0]["content"] == [
        {"type": "input_text", "text": DATA},
        {"type": "input_image", "image_url": PIXEL, "detail": "auto"},
        {"type": "input_file", "file_data": "data:application/pdf;base64,aGk=", "filename": "a.pdf"},
    ]


def test_only_system_messages_are_the_input() -> None:
    written = prompt_of(Message("system", "one"), Message("system", "two")).to("openai-responses")
    assert "instructions" not in written
    assert [item["content"] for item in written["input"]] == ["one", "two"]


def test_tools_are_flat_and_not_strict() -> None:
    assert SIMPLE.to("openai-responses", tools=[TOOL])["tools"] == [{"type": "function", "strict": False, **TOOL}]


def test_a_strict_schema() -> None:
    described = SIMPLE.to("openai-responses", strict=True)["text"]["format"]
    assert described == {"type": "json_schema", "name": "weather", "schema": SCHEMA, "strict": True}
