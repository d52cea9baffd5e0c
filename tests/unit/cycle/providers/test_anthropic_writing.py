import pytest

from promptpack.cycle.model_tools import ModelTool
from promptpack.cycle.providers.anthropic_writing import write_messages, write_system, write_tools
from promptpack.problem import UsageError
from promptpack.prompt.message import Message, Part, ToolCall


def test_system_and_developer_messages_move_to_system() -> None:
    messages = [Message("system", "one"), Message("user", "hi"), Message("developer", "two"), Message("system", "")]
    assert write_system(messages) == "one\n\ntwo"
    assert write_messages(messages) == [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]


def test_extra_keys_of_a_part_are_sent() -> None:
    marked = Part("text", "rules", {"cache_control": {"type": "ephemeral"}})
    block = {"type": "text", "text": "rules", "cache_control": {"type": "ephemeral"}}
    assert write_system([Message("system", (marked,)), Message("developer", "two")]) == [
        block,
        {"type": "text", "text": "two"},
    ]
    assert write_messages([Message("user", (marked,))]) == [{"role": "user", "content": [block]}]


def test_tool_results_are_merged_into_one_user_turn() -> None:
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


@pytest.mark.parametrize("invalid", ["{", "[1]", "[" * 100_000, r'{"a": "\ud800"}'])
def test_invalid_arguments_of_the_model_are_wrapped(invalid: str) -> None:
    written = write_messages([Message("assistant", None, tool_calls=(ToolCall("1", "get", invalid),))])
    assert written[0]["content"][0]["input"] == {"INVALID_JSON": invalid}


def test_empty_messages_are_skipped() -> None:
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


def test_audio_raises_an_error_instead_of_being_dropped() -> None:
    with pytest.raises(UsageError) as raised:
        write_messages([Message("user", (Part.audio("AAAA"),))])
    assert str(raised.value) == (
        "PP609 anthropic does not support parts of type 'input_audio'\n"
        "  hint: remove the part, or use a provider that supports it"
    )


def test_a_data_uri_must_be_base64() -> None:
    with pytest.raises(UsageError, match="PP609 a data: URI is not base64-encoded"):
        write_messages([Message("user", (Part.image("data:image/png,raw"),))])


def test_a_tool_without_parameters_gets_a_default_schema() -> None:
    assert write_tools([ModelTool("get", "Gets.", {"type": "object", "properties": {}}), ModelTool("now")]) == [
        {"name": "get", "input_schema": {"type": "object", "properties": {}}, "description": "Gets."},
        {"name": "now", "input_schema": {"type": "object"}},
    ]
