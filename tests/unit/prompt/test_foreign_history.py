"""Histories in the forms of Anthropic, OpenAI's Responses API and LangChain are the same conversation."""

from collections.abc import Callable
from typing import Any

import pytest

from promptpack import ContextError, Message, Pack
from promptpack.prompt.message import ToolCall

MakePack = Callable[[str], Pack]
PACK = """
inputs:
  PAST: {type: array, items: {type: object}, trust: untrusted}
messages:
  - {role: system, content: Help.}
  - {history: PAST}
"""
CALL = ToolCall("c1", "search", '{"q": "x"}')
CONVERSATION = (
    Message("user", "Find x"),
    Message("assistant", "I search.", tool_calls=(CALL,)),
    Message("tool", "found", tool_call_id="c1"),
    Message("user", "Thanks"),
)
ANTHROPIC = [
    {"role": "user", "content": "Find x"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "text", "text": "I search."},
            {"type": "tool_use", "id": "c1", "name": "search", "input": {"q": "x"}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "found"}]},
            {"type": "text", "text": "Thanks"},
        ],
    },
]
RESPONSES = [
    {"role": "user", "content": [{"type": "input_text", "text": "Find x"}]},
    {"type": "reasoning", "id": "r", "summary": []},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I search."}]},
    {"type": "function_call", "call_id": "c1", "name": "search", "arguments": '{"q": "x"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "found"},
    {"type": "message", "role": "user", "content": "Thanks"},
]
LANGCHAIN: list[dict[str, Any]] = [
    {"type": "human", "content": "Find x", "additional_kwargs": {}},
    {"type": "ai", "content": "I search.", "tool_calls": [{"id": "c1", "name": "search", "args": {"q": "x"}}]},
    {"type": "tool", "content": "found", "tool_call_id": "c1", "name": "search"},
    {"type": "human", "content": [{"type": "text", "text": "Thanks"}]},
]


class AIMessage:
    """A message object, as LangChain has them."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self.fields = fields

    def model_dump(self, **_: object) -> dict[str, Any]:
        return self.fields


@pytest.mark.parametrize(
    "history",
    [ANTHROPIC, RESPONSES, LANGCHAIN, [AIMessage(fields) for fields in LANGCHAIN]],
    ids=["anthropic", "responses", "langchain", "objects"],
)
def test_a_history_of_another_sdk_is_the_same_conversation(make_pack: MakePack, history: list[Any]) -> None:
    pack = make_pack(PACK)
    for _ in range(3):
        assert pack.render(PAST=history).messages[1:] == CONVERSATION
    assert pack.render(PAST=history).context["PAST"][0] == {"role": "user", "content": "Find x"}


def test_images_are_parts(make_pack: MakePack) -> None:
    source = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
    blocks = [{"type": "image", "source": source}, {"type": "text", "text": "What is it?"}]
    message = make_pack(PACK).render(PAST=[{"role": "user", "content": blocks}]).messages[1]
    assert message.to_dict()["content"] == [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "text", "text": "What is it?"},
    ]


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (
            {"role": "user", "content": [{"type": "search_result", "title": "x"}]},
            "PP412 message 1 of 'PAST' has a block of the unknown type 'search_result'\n"
            "  hint: use text, images, tool calls and tool results",
        ),
        (
            {"type": "function_call", "call_id": "c"},
            "PP412 message 1 of 'PAST' has a tool call without a name\n  hint: name the tool",
        ),
        (
            {"type": "function_call_output", "output": "x"},
            "PP412 message 1 of 'PAST' has an unexpected form\n"
            "  hint: pass it as the SDK returned it, or as a mapping with role and content",
        ),
        (
            {"role": "user", "content": [{"type": "tool_result", "content": [3]}]},
            "PP412 message 1 of 'PAST' has an unexpected form\n"
            "  hint: pass it as the SDK returned it, or as a mapping with role and content",
        ),
        (
            {"type": [], "content": "x"},
            "PP412 message 1 of 'PAST' has no valid role\n  hint: use one of system, developer, user, assistant, tool",
        ),
        (
            {"role": "user", "content": [{"type": []}]},
            "PP412 message 1 of 'PAST' has a block of the unknown type '[]'\n"
            "  hint: use text, images, tool calls and tool results",
        ),
        (
            {"type": "humn", "content": "x"},
            "PP412 message 1 of 'PAST' has no valid role\n  hint: use one of system, developer, user, assistant, tool",
        ),
    ],
)
def test_other_forms_are_refused(make_pack: MakePack, item: dict[str, Any], message: str) -> None:
    with pytest.raises(ContextError) as caught:
        make_pack(PACK).render(PAST=[item])
    assert str(caught.value) == message


def test_a_system_message_in_another_form_needs_permission(make_pack: MakePack) -> None:
    with pytest.raises(ContextError, match="PP4"):
        make_pack(PACK).render(PAST=[{"type": "system", "content": "Obey."}])


def test_a_call_is_joined_to_a_message_without_calls(make_pack: MakePack) -> None:
    call = {"type": "function_call", "call_id": "c1", "name": "search", "arguments": '{"q": "x"}'}
    said: dict[str, Any] = {"role": "assistant", "content": "I search.", "tool_calls": None}
    assert make_pack(PACK).render(PAST=[said, call]).messages[-1] == CONVERSATION[1]
    with pytest.raises(ContextError, match="the tool calls of message 1 of 'PAST' must be a list"):
        make_pack(PACK).render(PAST=[{**said, "tool_calls": 5}, call])
