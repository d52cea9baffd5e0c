from promptpack.prompt.message import Message
from tests.unit.adapters.prompts import CALL, DATA, DEGREES, HISTORY, IMAGE, PIXEL, RULES, SIMPLE, prompt_of


def test_instructions_and_the_last_user_message() -> None:
    assert SIMPLE.to("pydantic-ai") == {"instructions": RULES, "user_prompt": DATA}


def test_earlier_turns_are_the_history() -> None:
    call = {"tool_name": "degrees", "args": '{"city": "Oslo"}', "tool_call_id": "c1"}
    result = {"tool_name": "degrees", "content": DEGREES, "tool_call_id": "c1"}
    assert HISTORY.to("pydantic-ai") == {
        "instructions": f"{RULES}\n\nBe short.",
        "user_prompt": DATA,
        "message_history": [
            {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "How warm?"}]},
            {
                "kind": "response",
                "parts": [{"part_kind": "text", "content": "I look."}, {"part_kind": "tool-call", **call}],
            },
            {"kind": "request", "parts": [{"part_kind": "tool-return", **result}]},
        ],
    }


def test_a_last_message_with_an_image_or_a_result_is_in_the_history() -> None:
    content = [DATA, {"kind": "image-url", "url": PIXEL}]
    assert IMAGE.to("pydantic-ai") == {
        "message_history": [{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": content}]}]
    }
    calls = (Message("assistant", None, tool_calls=(CALL,)), Message("tool", "7", tool_call_id="c1"))
    assert [turn["kind"] for turn in prompt_of(*calls).to("pydantic-ai")["message_history"]] == ["response", "request"]
