from typing import Any

from promptpack.prompt.message import Message, Part
from promptpack.prompt.prompt import Origin
from tests.unit.adapters.prompts import CALL, DATA, DEGREES, HISTORY, PIXEL, RULES, SCHEMA, SIMPLE, TOOL, prompt_of

MARK = {"cache_control": {"type": "ephemeral"}}


def text(content: str) -> dict[str, Any]:
    return {"type": "text", "text": content}


def test_the_system_text_is_apart() -> None:
    assert SIMPLE.to("anthropic") == {
        "max_tokens": 4096,
        "system": RULES,
        "messages": [{"role": "user", "content": [text(DATA)]}],
    }


def test_tool_calls_results_and_turns_of_one_role_are_merged() -> None:
    written = HISTORY.to("anthropic")
    assert written["system"] == f"{RULES}\n\nBe short."
    assert written["messages"] == [
        {"role": "user", "content": [text("How warm?")]},
        {
            "role": "assistant",
            "content": [
                text("I look."),
                {"type": "tool_use", "id": "c1", "name": "degrees", "input": {"city": "Oslo"}},
            ],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [text(DEGREES)]}, text(DATA)],
        },
    ]


def test_images() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}
    parts = (Part.text(DATA), Part.image(PIXEL))
    assert prompt_of(Message("user", parts)).to("anthropic")["messages"][0]["content"] == [text(DATA), image]


def test_tools_and_a_strict_schema() -> None:
    written = SIMPLE.to("anthropic", strict=True, tools=[TOOL])
    assert written["output_config"] == {"format": {"type": "json_schema", "schema": SCHEMA}}
    assert written["tools"] == [{"name": "degrees", "description": "Measures.", "input_schema": TOOL["parameters"]}]


def test_the_cache_ends_after_the_system_text() -> None:
    written = SIMPLE.to("anthropic", cache=True)
    assert written["system"] == [text(RULES) | MARK]
    assert written["messages"] == [{"role": "user", "content": [text(DATA)]}]


def test_the_cache_ends_after_the_history_too() -> None:
    messages = (
        Message("system", RULES),
        Message("user", "How warm?"),
        Message("assistant", None, tool_calls=(CALL,)),
        Message("tool", DEGREES, tool_call_id="c1"),
        Message("user", DATA),
    )
    origins = (Origin(), Origin(True), Origin(True), Origin(True), Origin())
    written = prompt_of(*messages, origins=origins).to("anthropic", cache=True)
    result = {"type": "tool_result", "tool_use_id": "c1", "content": [text(DEGREES)]}
    assert written["messages"][-1]["content"] == [result | MARK, text(DATA)]
    assert str(written).count("cache_control") == 2


def test_the_cache_ends_before_the_last_message_if_there_is_no_history() -> None:
    messages = (Message("user", "a"), Message("assistant", "b"), Message("user", DATA))
    written = prompt_of(*messages).to("anthropic", cache=True)
    assert [turn["content"][0] for turn in written["messages"]] == [text("a"), text("b") | MARK, text(DATA)]
    assert "system" not in written


def test_without_a_system_text_the_tools_are_cached() -> None:
    written = prompt_of(Message("user", "a")).to("anthropic", tools=[TOOL, {**TOOL, "name": "other"}], cache=True)
    assert ["cache_control" in tool for tool in written["tools"]] == [False, True]


def test_marks_of_the_author_stay() -> None:
    marked = Part("text", "one", {"cache_control": {"type": "ephemeral", "ttl": "1h"}})
    written = prompt_of(Message("system", (marked, Part.text("two"))), Message("user", "hi")).to(
        "anthropic", cache=True
    )
    assert written["system"] == [{**text("one"), **marked.extra}, text("two") | MARK]
