from promptpack.prompt.message import Message, Part
from tests.unit.adapters.prompts import DATA, DEGREES, HISTORY, IMAGE, PIXEL, RULES, SIMPLE, prompt_of


def test_messages_have_contents() -> None:
    assert SIMPLE.to("agent-framework") == {
        "messages": [
            {"role": "system", "contents": [{"type": "text", "text": RULES}]},
            {"role": "user", "contents": [{"type": "text", "text": DATA}]},
        ]
    }


def test_tool_calls_and_results() -> None:
    call = {"type": "function_call", "call_id": "c1", "name": "degrees", "arguments": '{"city": "Oslo"}'}
    assert HISTORY.to("agent-framework")["messages"][2:4] == [
        {"role": "assistant", "contents": [{"type": "text", "text": "I look."}, call]},
        {"role": "tool", "contents": [{"type": "function_result", "call_id": "c1", "result": DEGREES}]},
    ]


def test_images_and_names() -> None:
    assert IMAGE.to("agent-framework")["messages"][0]["contents"] == [
        {"type": "text", "text": DATA},
        {"type": "data", "uri": PIXEL, "media_type": "image/png"},
    ]
    linked = Message("user", (Part.image("https://example.org/a"),), name="ann")
    assert prompt_of(linked).to("agent-framework")["messages"] == [
        {
            "role": "user",
            "contents": [{"type": "uri", "uri": "https://example.org/a", "media_type": "image/*"}],
            "author_name": "ann",
        }
    ]


def test_a_strict_schema_is_an_option() -> None:
    written = SIMPLE.to("agent-framework", strict=True)
    assert written["options"] == {"response_format": SIMPLE.to("openai", strict=True)["response_format"]}
