import pytest

from promptpack.problem import ContextError
from promptpack.template.history.message_fields import RecordedCall, read_content_text, read_messages, read_tool_calls


def test_empty_items_and_a_history_of_none_are_skipped() -> None:
    assert read_messages([None, {"role": "user"}, {}]) == [{"role": "user"}]
    assert read_messages(None) == []


def test_a_history_may_be_an_iterator() -> None:
    assert read_messages(message for message in [{"role": "user"}]) == [{"role": "user"}]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("text", "PP430 the history must be a list, not text\n  hint: pass a list of mappings"),
        ({"role": "user"}, "PP430 the history must be a list, not a mapping\n  hint: pass a list of mappings"),
        (5, "PP430 the history must be a list, not a number\n  hint: pass a list of mappings"),
        (
            [{"role": "user"}, "hello"],
            "PP430 item 1 of the history must be a mapping, not text\n  hint: pass a list of mappings",
        ),
    ],
)
def test_an_invalid_history_is_refused(value: object, expected: str) -> None:
    with pytest.raises(ContextError) as raised:
        read_messages(value)
    assert str(raised.value) == expected


def test_the_text_of_a_message_joins_its_text_parts() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {}}, "b", {"text": "c"}]
    assert read_content_text({"content": parts}) == "a\nb\nc"


def test_a_message_without_a_text_has_an_empty_one() -> None:
    assert read_content_text({"content": None}) == read_content_text({}) == read_content_text({"content": 5}) == ""


def test_calls_are_read_nested_or_flat_and_with_arguments_as_text_or_data() -> None:
    nested = {"id": "1", "type": "function", "function": {"name": "move", "arguments": '{"a":1}'}}
    flat = {"id": "2", "name": "swap", "arguments": {"名": 1}}
    assert read_tool_calls({"tool_calls": [nested, flat, None]}) == [
        RecordedCall("1", "move", '{"a":1}'),
        RecordedCall("2", "swap", '{"名": 1}'),
        RecordedCall("", "", ""),
    ]
    assert read_tool_calls({"tool_calls": None}) == read_tool_calls({}) == []
