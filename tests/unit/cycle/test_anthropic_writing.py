import pytest

from promptpack.cycle.providers.anthropic_writing import write_messages, write_system, write_tools
from promptpack.cycle.tools import Tool
from promptpack.problem import UsageError
from promptpack.prompt.message import Message, Part, ToolCall


def test_system_and_developer_messages_are_hoisted() -> None:
    messages = [Message("system", "one"), Message("user", "hi"), Message("developer", "two"), Message("system", "")]
    assert write_system(messages) == "one\n\ntwo"
    assert write_messages(messages) == [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]


def test_what_stands_beside_a_part_is_sent_along() -> None:
    marked = Part("text", "rules", {"cache_control": {"type": "ephemeral"}})
    block = {"type": "text", "text": "rules", "cache_control": {"type": "ephemeral"}}
    assert write_system([Message("system", (marked,)), Message("developer", "two")]) == [
        block,
        {"type": "text", "text": "two"},
    ]
    assert write_messages([Message("user", (marked,))]) == [{"role": "user", "content": [block]}]


def test_results_of_tools_stand_together_in_the_users_turn() -> None:
    calls = (ToolCall("1", "get", '{"a": 1}'), ToolCall("2", "get", ""))
    written = write_messages(
        [
            Message("user", "hi"),
            Message("assistant", "I look.", tool_calls=calls),
            Message("tool", "one", tool_call_id="1"),
            Message("tool", "", tool_call_id="2"),
            Message("user", "and?"),
        ]
    )
    assert written == [
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "1", "name": "get", "input": {"a": 1}},
                {"type": "tool_use", "id": "2", "name": "get", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "one"}]},
                {"type": "tool_result", "tool_use_id": "2", "content": []},
                {"type": "text", "text": "and?"},
            ],
        },
    ]


@pytest.mark.parametrize("spoilt", ["{", "[1]", "[" * 100_000, r'{"a": "\ud800"}'])
def test_arguments_that_the_model_spoilt_go_back_under_a_name(spoilt: str) -> None:
    written = write_messages([Message("assistant", None, tool_calls=(ToolCall("1", "get", spoilt),))])
    assert written[0]["content"][0]["input"] == {"INVALID_JSON": spoilt}


def test_what_says_nothing_is_left_out() -> None:
    written = write_messages([Message("user", "a"), Message("assistant", ""), Message("user", "b")])
    assert written == [{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}]


def test_images_and_files_become_blocks() -> None:
    parts = (
        Part.text("look"),
        Part.image("https://example.org/a.png"),
        Part.image("data:image/png;base64,AAAA"),
        Part.file("data:application/pdf;base64,BBBB", "a.pdf"),
        Part.file("file_1"),
    )
    assert write_messages([Message("user", parts)])[0]["content"] == [
        {"type": "text", "text": "look"},
        {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
        {
            "type": "document",
            "source": {"type": "base64", "media_type": "application/pdf", "data": "BBBB"},
            "title": "a.pdf",
        },
        {"type": "document", "source": {"type": "file", "file_id": "file_1"}},
    ]


def test_sound_is_refused_rather_than_dropped() -> None:
    with pytest.raises(UsageError) as raised:
        write_messages([Message("user", (Part.audio("AAAA"),))])
    assert str(raised.value) == (
        "PP609 anthropic takes no part of the type 'input_audio'\n"
        "  hint: leave the part out, or use a provider that takes it"
    )


def test_a_data_address_must_be_base64() -> None:
    with pytest.raises(UsageError, match="PP609 a data: address is not in base64"):
        write_messages([Message("user", (Part.image("data:image/png,raw"),))])


def test_tools_have_a_schema_even_when_none_is_known() -> None:
    assert write_tools([Tool("get", "Gets.", {"type": "object", "properties": {}}), Tool("now")]) == [
        {"name": "get", "input_schema": {"type": "object", "properties": {}}, "description": "Gets."},
        {"name": "now", "input_schema": {"type": "object"}},
    ]
