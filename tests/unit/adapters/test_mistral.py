from promptpack.prompt.message import Message, Part
from tests.unit.adapters.prompts import DATA, DEGREES, HISTORY, NOTE, PIXEL, RULES, SCHEMA, SIMPLE, TOOL, prompt_of


def test_messages_and_the_schema_of_the_reply() -> None:
    assert SIMPLE.to("mistral", tools=[TOOL]) == {
        "messages": [{"role": "system", "content": RULES}, {"role": "user", "content": DATA}],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "weather", "schema": SCHEMA, "strict": False},
        },
        "tools": [{"type": "function", "function": TOOL}],
    }
    assert SIMPLE.to("mistral", strict=True)["response_format"]["json_schema"]["strict"] is True


def test_tool_calls_results_and_developer_messages() -> None:
    assert HISTORY.to("mistral")["messages"][2:] == [
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "degrees", "arguments": '{"city": "Oslo"}'}}
            ],
        },
        {"role": "tool", "content": DEGREES, "tool_call_id": "c1"},
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": DATA},
    ]


def test_parts() -> None:
    parts = (Part.text(DATA), Part.image(PIXEL), Part.audio("aGk="), Part.file("f1"), Part.file(NOTE, "a.pdf"))
    assert prompt_of(Message("user", parts)).to("mistral")["messages"][0]["content"] == [
        {"type": "text", "text": DATA},
        {"type": "image_url", "image_url": {"url": PIXEL}},
        {"type": "input_audio", "input_audio": "aGk="},
        {"type": "file", "file_id": "f1"},
        {"type": "document_url", "document_url": NOTE, "document_name": "a.pdf"},
    ]
