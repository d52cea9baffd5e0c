from typing import Any

import pytest
from pydantic import ValidationError

from promptpack.prompt.slots.model import (
    AttachmentMessageContent,
    ChatMessage,
    TextMessageContent,
    read_model,
    read_part,
    write_part,
)

TOOL = {"extra": 1, "kwargs": {"q": (str, "what")}, "desc": "finds", "name": "search"}
IMAGE = {"image_url": {"url": "u"}, "type": "image_url"}


@pytest.mark.parametrize(
    "slots",
    [
        {"chat_history": [{"role": "user"}]},
        {"chat_history": [{"role": None, "content": "x"}]},
        {"chat_history": {}},
        {"attachment": [{"text": "no type"}]},
        {"tools": [{"name": "only"}]},
        {"tools": "text"},
        {"options": None},
        {"options": {1: 2}},
    ],
)
def test_an_invalid_slot_is_refused(slots: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        read_model(slots)


def test_the_standard_keys_of_a_tool_come_first() -> None:
    tools = read_model({"tools": [TOOL]}).tools
    assert tools is not None
    assert [list(tool) for tool in tools] == [["name", "desc", "kwargs", "extra"]]


@pytest.mark.parametrize(
    ("item", "is_text", "data"),
    [
        ({"type": "text", "text": "t", "dropped": 1}, True, {"type": "text", "text": "t"}),
        ({"type": "text"}, False, {"type": "text", "text": None}),
        ({"type": "text", "text": 5}, False, {"type": "text", "text": 5}),
        ({"type": "audio", "input_audio": 1}, False, {"type": "audio", "input_audio": 1, "audio": None}),
        ({"type": "copy"}, False, {"type": "copy"}),
        ({"type": ""}, False, {"type": "", "": None}),
        (IMAGE, False, {"type": "image_url", "image_url": {"url": "u"}}),
        (TextMessageContent(type="text", text="t"), True, {"type": "text", "text": "t"}),
        (AttachmentMessageContent.model_validate({"type": "text", "text": "t"}), False, {"type": "text", "text": "t"}),
        (5, True, {"type": "text", "text": "5"}),
    ],
)
def test_a_part_is_text_or_an_attachment(item: Any, is_text: bool, data: dict[str, Any]) -> None:
    part = read_part(item)
    assert (isinstance(part, TextMessageContent), write_part(part)) == (is_text, data)
    assert next(iter(write_part(part))) == "type"


def test_a_part_is_a_copy_of_the_callers_data() -> None:
    given: dict[str, Any] = {"type": "image_url", "image_url": {"url": "u"}}
    write_part(read_part(given))["image_url"]["url"] = "changed"
    assert given == {"type": "image_url", "image_url": {"url": "u"}}


def test_a_literal_dotted_key_is_looked_up_as_a_path() -> None:
    assert read_model({"a.b": 1, "a": {"b": 2}}).model_extra == {"a.b": 2, "a": {"b": 2}}
    assert read_model({"a.b": 1}).model_extra == {"a.b": None}


def test_a_key_that_is_not_text_is_refused() -> None:
    with pytest.raises(TypeError, match="keywords must be strings"):
        read_model({5: 1})


def test_the_model_dumps_every_slot_and_then_the_extra_ones() -> None:
    model = read_model({"note": "n", "input": "q", "chat_history": [ChatMessage(content="hi")]})
    assert list(model.model_dump()) == [
        *("system", "developer", "chat_history", "info", "tools", "action_results", "instruct", "examples"),
        *("input", "attachment", "output", "output_format", "options", "note"),
    ]
    assert model.model_extra == {"note": "n"}
    assert model.output_format == "markdown"
