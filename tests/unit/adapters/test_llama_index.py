from tests.unit.adapters.prompts import DATA, DEGREES, HISTORY, IMAGE, PIXEL, RULES, SIMPLE


def test_messages_have_blocks() -> None:
    assert SIMPLE.to("llama-index") == {
        "messages": [
            {"role": "system", "blocks": [{"block_type": "text", "text": RULES}]},
            {"role": "user", "blocks": [{"block_type": "text", "text": DATA}]},
        ]
    }


def test_tool_calls_and_results() -> None:
    call = {"tool_call_id": "c1", "tool_name": "degrees", "tool_kwargs": '{"city": "Oslo"}'}
    assert HISTORY.to("llama-index")["messages"][2:5] == [
        {
            "role": "assistant",
            "blocks": [{"block_type": "text", "text": "I look."}, {"block_type": "tool_call", **call}],
        },
        {
            "role": "tool",
            "blocks": [{"block_type": "text", "text": DEGREES}],
            "additional_kwargs": {"tool_call_id": "c1"},
        },
        {"role": "developer", "blocks": [{"block_type": "text", "text": "Be short."}]},
    ]


def test_images() -> None:
    blocks = [{"block_type": "text", "text": DATA}, {"block_type": "image", "url": PIXEL}]
    assert IMAGE.to("llama-index") == {"messages": [{"role": "user", "blocks": blocks}]}
