from promptpack.prompt.message import Message
from tests.unit.adapters.prompts import CALL, DATA, HISTORY, IMAGE, PIXEL, RULES, SIMPLE, prompt_of


def test_contents_are_lists() -> None:
    assert SIMPLE.to("smolagents") == {
        "messages": [
            {"role": "system", "content": [{"type": "text", "text": RULES}]},
            {"role": "user", "content": [{"type": "text", "text": DATA}]},
        ]
    }


def test_tool_calls_and_results_are_texts() -> None:
    written = HISTORY.to("smolagents")["messages"][2:5]
    assert [(one["role"], one["content"][0]["text"]) for one in written] == [
        ("assistant", "I look."),
        ("tool-call", f"Calling tools:\n[{CALL.to_dict()}]"),
        ("tool-response", "Observation:\n7 {c}"),
    ]
    (call,) = prompt_of(Message("assistant", None, tool_calls=(CALL,))).to("smolagents")["messages"]
    assert call["role"] == "tool-call"


def test_images_and_a_strict_schema() -> None:
    assert IMAGE.to("smolagents")["messages"][0]["content"] == [
        {"type": "text", "text": DATA},
        {"type": "image_url", "image_url": {"url": PIXEL}},
    ]
    assert SIMPLE.to("smolagents", strict=True)["response_format"]["json_schema"]["strict"] is True
