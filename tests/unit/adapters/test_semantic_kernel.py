from promptpack.prompt.message import Message, Part
from tests.unit.adapters.prompts import DATA, DEGREES, HISTORY, IMAGE, PIXEL, RULES, SIMPLE, prompt_of


def test_the_history_has_items() -> None:
    assert SIMPLE.to("semantic-kernel") == {
        "chat_history": {
            "messages": [
                {"content_type": "message", "role": "system", "items": [{"content_type": "text", "text": RULES}]},
                {"content_type": "message", "role": "user", "items": [{"content_type": "text", "text": DATA}]},
            ]
        }
    }


def test_tool_calls_and_results() -> None:
    said, call, result = HISTORY.to("semantic-kernel")["chat_history"]["messages"][2:5]
    assert (said["role"], call["role"]) == ("assistant", "assistant")
    assert said["items"] == [{"content_type": "text", "text": "I look."}]
    assert call["items"] == [
        {"content_type": "function_call", "id": "c1", "name": "degrees", "arguments": '{"city": "Oslo"}'},
    ]
    assert result["items"] == [{"content_type": "function_result", "id": "c1", "name": "degrees", "result": DEGREES}]


def test_images_and_names() -> None:
    assert IMAGE.to("semantic-kernel")["chat_history"]["messages"][0]["items"] == [
        {"content_type": "text", "text": DATA},
        {"content_type": "image", "data_uri": PIXEL},
    ]
    linked = Message("user", (Part.image("https://example.org/a"),), name="ann")
    (written,) = prompt_of(linked).to("semantic-kernel")["chat_history"]["messages"]
    assert written["items"] == [{"content_type": "image", "uri": "https://example.org/a"}]
    assert written["name"] == "ann"
