from collections import OrderedDict
from typing import Any

import pytest
from pydantic import ValidationError

from promptpack.prompt.slots.model import AttachmentMessageContent, ChatMessage, TextMessageContent
from promptpack.prompt.slots.view import PromptView, read_model, read_part, read_view, resolve_slot_values

TOOL = {"extra": 1, "kwargs": {"q": (str, "what")}, "desc": "finds", "name": "search"}
IMAGE = {"image_url": {"url": "u"}, "type": "image_url"}


def view_from_the_model(slots: dict[str, Any]) -> PromptView:
    """Force the fallback to the model with an ordered dict, which plain code does not read."""
    return read_view({**slots, "options": OrderedDict(slots.get("options", {}))})


@pytest.mark.parametrize(
    "slots",
    [
        {},
        {"input": "q", "note": None, "options": {"t": 1}},
        {"chat_history": [{"role": "user", "content": "a"}, "b", {"content": [IMAGE], "name": "x"}]},
        {"chat_history": {"role": "bob", "content": ""}},
        {"chat_history": "text"},
        {"attachment": ["text", IMAGE, {"type": "text", "text": "t", "dropped": 1}]},
        {"attachment": IMAGE},
        {"tools": [TOOL]},
        {"output": {"a": int}},
        {"output": int, "output_format": "yaml"},
        {"output": str},
        {"output": bytes},
    ],
)
def test_plain_code_and_the_model_read_the_same_view(slots: dict[str, Any]) -> None:
    assert read_view(slots) == view_from_the_model(slots)


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
        read_view(slots)


def test_the_standard_keys_of_a_tool_come_first() -> None:
    tools = read_view({"tools": [TOOL]}).tools
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
    assert (part.is_text, part.data) == (is_text, data)
    assert next(iter(part.data)) == "type"


def test_a_part_is_a_copy_of_the_callers_data() -> None:
    given: dict[str, Any] = {"type": "image_url", "image_url": {"url": "u"}}
    read_part(given).data["image_url"]["url"] = "changed"
    assert given == {"type": "image_url", "image_url": {"url": "u"}}


def test_a_literal_dotted_key_is_looked_up_as_a_path() -> None:
    assert resolve_slot_values({"a.b": 1, "a": {"b": 2}}) == {"a.b": 2, "a": {"b": 2}}
    assert resolve_slot_values({"a.b": 1}) == {"a.b": None}


def test_a_key_that_is_not_text_is_refused() -> None:
    with pytest.raises(TypeError, match="keywords must be strings"):
        resolve_slot_values({5: 1})


def test_the_model_dumps_every_slot_and_then_the_extra_ones() -> None:
    model = read_model({"note": "n", "input": "q", "chat_history": [ChatMessage(content="hi")]})
    assert list(model.model_dump()) == [
        *("system", "developer", "chat_history", "info", "tools", "action_results", "instruct", "examples"),
        *("input", "attachment", "output", "output_format", "options", "note"),
    ]
    assert model.model_extra == {"note": "n"}
    assert model.output_format == "markdown"
