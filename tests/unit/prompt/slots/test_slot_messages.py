from typing import Any

import pytest

from promptpack.prompt.slots import SlotPrompt, SlotWarning

IMAGE = {"type": "image_url", "image_url": "u"}


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def turns(*roles: str) -> list[dict[str, Any]]:
    return [{"role": role, "content": role[0]} for role in roles]


def test_system_and_developer_come_first_as_text() -> None:
    prompt = SlotPrompt({"input": "q", "developer": ["d"], "system": {"b": 1, "a": 2}})
    assert prompt.to_messages() == [
        {"role": "system", "content": "a: 2\nb: 1\n"},
        {"role": "developer", "content": "- d\n"},
        {"role": "user", "content": "q"},
    ]


def test_a_lone_input_is_sent_unchanged() -> None:
    assert SlotPrompt({"input": {"b": 1}, "examples": "lost"}).to_messages(rich_content=True) == [
        {"role": "user", "content": {"b": 1}}
    ]


def test_an_input_next_to_another_slot_becomes_text() -> None:
    assert SlotPrompt({"input": "q", "info": "i"}).to_messages() == [
        {"role": "user", "content": "[INFO]:\ni\n\n[INPUT]:\nq\n\n[OUTPUT]:"}
    ]


@pytest.mark.parametrize(
    ("history", "roles"),
    [
        (turns("user", "assistant"), ["user", "assistant", "user"]),
        (turns("assistant"), ["user", "assistant", "user"]),
        (turns("user"), ["user", "assistant", "user"]),
        (turns("user", "user", "tool", "assistant"), ["user", "assistant", "user"]),
        (turns("system", "user"), ["user", "system", "user", "assistant", "user"]),
    ],
)
def test_a_strict_order_merges_and_fills_the_history(history: list[dict[str, Any]], roles: list[str]) -> None:
    messages = SlotPrompt({"chat_history": history, "input": "q"}).to_messages()
    assert [message["role"] for message in messages] == roles


def test_messages_added_by_a_strict_order_are_marked() -> None:
    messages = SlotPrompt({"chat_history": turns("assistant", "user"), "input": "q"}).to_messages()
    assert [message["content"] for message in messages] == [
        *("[CHAT HISTORY]", "a", "u"),
        *("[User continue input]", "q"),
    ]


def test_a_loose_order_does_not_change_the_history() -> None:
    history = turns("assistant", "assistant", "user")
    messages = SlotPrompt({"chat_history": history, "input": "q"}).to_messages(strict_role_orders=False)
    assert messages == [*history, {"role": "user", "content": "q"}]


def test_rich_content_keeps_parts() -> None:
    prompt = SlotPrompt({"chat_history": [{"content": [text("see"), IMAGE]}], "attachment": [IMAGE], "info": "i"})
    assert prompt.to_messages(rich_content=True) == [
        {"role": "user", "content": [text("see"), IMAGE]},
        {"role": "assistant", "content": [text("[User continue input]")]},
        {"role": "user", "content": [text("[INFO]:\ni\n\n[OUTPUT]:"), IMAGE]},
    ]


def test_plain_content_skips_other_parts_with_warnings() -> None:
    prompt = SlotPrompt({"chat_history": [{"content": [IMAGE]}], "attachment": [text("see"), IMAGE], "info": "i"})
    with pytest.warns(SlotWarning) as caught:
        messages = prompt.to_messages()
    assert [message["content"] for message in messages] == [
        *("", "[User continue input]", "see"),
        "[INFO]:\ni\n\n[OUTPUT]:",
    ]
    assert [str(item.message).split(" when")[0] for item in caught] == [
        "Skipped content: unable to convert type 'image_url' to chat message",
        "Skipped content: unable to put attachment content into prompt messages",
    ]


def test_attachments_alone_are_one_message_each() -> None:
    prompt = SlotPrompt({"attachment": ["one", "two"]})
    assert prompt.to_messages() == [{"role": "user", "content": "one"}, {"role": "user", "content": "two"}]
    assert prompt.to_messages(rich_content=True) == [{"role": "user", "content": [text("one"), text("two")]}]


def test_rich_content_none_keeps_parts_in_the_history_only() -> None:
    prompt = SlotPrompt({"chat_history": turns("user", "assistant"), "info": "i"})
    assert [type(message["content"]) for message in prompt.to_messages(rich_content=None)] == [list, list, str]


def test_a_text_part_without_text_cannot_be_joined() -> None:
    prompt = SlotPrompt({"chat_history": [{"content": [{"type": "text"}]}], "input": "q"})
    with pytest.raises(TypeError, match="expected str instance, NoneType found"):
        prompt.to_messages()


def test_changing_a_message_does_not_change_the_prompt() -> None:
    prompt = SlotPrompt({"attachment": [{"type": "image_url", "image_url": {"url": "u"}}], "input": {"a": [1]}})
    prompt.to_messages(rich_content=True)[0]["content"][1]["image_url"]["url"] = "changed"
    assert prompt.to_messages(rich_content=True)[0]["content"][1]["image_url"] == {"url": "u"}
