"""`PromptComposer`: messages built call by call."""

from collections.abc import Callable
from typing import Any

import pytest

from promptpack import ContextError, Message, Pack, UsageError
from promptpack.prompt.composer import MAX_MESSAGES, PromptComposer
from promptpack.prompt.message import Part, ToolCall
from promptpack.prompt.prompt_template import PromptTemplate

IMAGE = Part.image("https://example.org/a.png", "high")


def test_existing_messages_keep_their_extra_keys() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "get", "arguments": "{}"}, "extra_content": {"s": "x"}}
    given: list[dict[str, Any]] = [
        {"role": "assistant", "content": None, "tool_calls": [call], "reasoning_content": "why"},
        {"role": "tool", "content": "r", "tool_call_id": "1", "cache_control": {"type": "ephemeral"}},
    ]
    assert [message.to_dict() for message in PromptComposer.from_messages(given).build()] == given
    flat = {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "name": "get", "arguments": "{}"}]}
    (message,) = PromptComposer.from_messages([flat]).build()
    assert message.tool_calls[0].extra is None


@pytest.mark.parametrize("role", ["system", "user", "assistant", "developer"])
def test_each_role_accepts_text_templates_and_parts(role: Any) -> None:
    composer: Any = PromptComposer()
    composer = getattr(composer, role)("{{ plain }}")
    composer = getattr(composer, f"{role}_template")(PromptTemplate.compile("<{{ x }}>"), {"x": "v"})
    composer = getattr(composer, f"{role}_content")(IMAGE)
    composer = getattr(composer, f"{role}_contents")([Part.text("a"), {"type": "text", "text": "b"}])
    assert composer.build() == (
        Message(role, (Part.text("{{ plain }}"),)),
        Message(role, (Part.text("<v>"),)),
        Message(role, (IMAGE,)),
        Message(role, (Part.text("a"), Part.text("b"))),
    )


def test_tool_results_carry_the_id_of_their_call() -> None:
    template = PromptTemplate.compile("{{x}}", "handlebars")
    composer = PromptComposer().tool("1", "a").tool_template("2", template, {"x": "b"})
    composer = composer.tool_content("3", IMAGE).tool_contents("4", [])
    assert composer.build() == (
        Message("tool", (Part.text("a"),), tool_call_id="1"),
        Message("tool", (Part.text("b"),), tool_call_id="2"),
        Message("tool", (IMAGE,), tool_call_id="3"),
        Message("tool", (), tool_call_id="4"),
    )


def test_a_composer_is_never_changed() -> None:
    start = PromptComposer().system("s")
    start.user("u").with_name("n")
    assert start.build() == (Message("system", (Part.text("s"),)),)


def test_a_name_applies_to_the_last_message() -> None:
    composer = PromptComposer().user("u").with_name("a").with_name("b").assistant("x")
    assert [message.name for message in composer.build()] == ["b", None]


def test_a_name_before_any_message_applies_to_the_first() -> None:
    composer = PromptComposer().with_name("n").user("u").assistant("x")
    assert [message.name for message in composer.build()] == ["n", None]


def test_tool_results_have_no_names() -> None:
    assert PromptComposer().tool("1", "r").with_name("n").build()[0].name is None
    composer = PromptComposer().with_name("n").tool("1", "r").user("u")
    assert [message.name for message in composer.build()] == [None, None]


def test_existing_messages_are_added_unchanged() -> None:
    calls = Message("assistant", None, tool_calls=(ToolCall("1", "f", "{}"),))
    composer = PromptComposer.from_messages([{"role": "user", "content": "text", "name": "bob"}, calls]).tool("1", "r")
    assert composer.extend([calls]).build() == (
        Message("user", "text", name="bob"),
        calls,
        Message("tool", (Part.text("r"),), tool_call_id="1"),
        calls,
    )


def test_an_invalid_part_is_refused() -> None:
    wrong: Any = {"type": "text"}
    with pytest.raises(ContextError, match="PP412 message 2 has an invalid part"):
        PromptComposer().user("a").user_content(wrong)


def test_a_prompt_of_a_pack_can_be_extended(make_pack: Callable[[str], Pack]) -> None:
    prompt = make_pack("messages:\n  - {role: user, content: hi}\n").render()
    assert PromptComposer.from_prompt(prompt).assistant("yes?").build() == (
        Message("user", "hi"),
        Message("assistant", (Part.text("yes?"),)),
    )


def test_a_request_has_the_model_the_messages_and_the_set_parameters() -> None:
    request = PromptComposer().user("u").build_request("m", temperature=0, tools=None)
    assert request == {
        "model": "m",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "u"}]}],
        "temperature": 0,
    }


def test_a_request_cannot_replace_the_messages() -> None:
    with pytest.raises(UsageError) as caught:
        PromptComposer().build_request("m", messages=[])
    assert str(caught.value) == "PP455 a request cannot replace the composer's messages\n  hint: use extend()"


def test_extra_keys_of_a_part_are_sent_too() -> None:
    part = {"type": "text", "text": "long", "cache_control": {"type": "ephemeral"}}
    assert PromptComposer().user_content(part).build_request("m")["messages"][0]["content"] == [part]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"role": "user", "content": [{"type": "text", "text": 5}]}, "PP412 message 1 has an invalid part"),
        ({"role": "assistant", "tool_calls": 5}, "PP412 the tool calls of message 1 must be a list"),
        (
            {"role": "assistant", "tool_calls": [{"id": "1", "name": "f", "arguments": {"a": float("nan")}}]},
            "PP412 the arguments of a tool call of message 1 are neither text nor plain data",
        ),
    ],
)
def test_an_invalid_message_is_refused(message: dict[str, Any], expected: str) -> None:
    with pytest.raises(ContextError) as caught:
        PromptComposer.from_messages([message])
    assert str(caught.value).startswith(expected)


@pytest.mark.parametrize("added", [1, 2])
def test_a_composer_has_a_limit(added: int) -> None:
    message = Message("user", (Part.text("u"),))
    full = PromptComposer.from_messages([message] * MAX_MESSAGES)
    with pytest.raises(UsageError) as caught:
        full.extend([message] * added)
    hint = "\n  hint: leave out the oldest messages"
    assert str(caught.value) == "PP456 a composer has at most 10,000 messages" + hint
    assert len(PromptComposer.from_messages([message] * (MAX_MESSAGES - 1)).user("u").build()) == MAX_MESSAGES
