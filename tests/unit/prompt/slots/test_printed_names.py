from typing import Any

import pytest

from promptpack.problem import UsageError
from promptpack.prompt.slots import SlotPrompt

HISTORY = [{"role": "tool", "content": "t"}, {"role": "user", "content": "u"}]


def roles(settings: dict[str, Any], role_mapping: Any = None) -> list[Any]:
    prompt = SlotPrompt({"chat_history": HISTORY, "input": "q"}, settings=settings)
    return [message["role"] for message in prompt.to_messages(role_mapping=role_mapping, strict_role_orders=False)]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, ["assistant", "user", "user"]),
        ({"prompt.role_mapping": {"user": "human"}}, ["assistant", "human", "human"]),
        ({"prompt.role_mapping.user": "human"}, ["assistant", "human", "human"]),
        ({"prompt": {"role_mapping": {"_": "other"}}}, ["other", "user", "user"]),
        ({"prompt.role_mapping": None}, ["tool", "user", "user"]),
        ({"prompt": 5}, ["tool", "user", "user"]),
        ({"prompt.role_mapping": {"user": None}}, ["assistant", None, None]),
    ],
)
def test_the_settings_name_the_roles(settings: dict[str, Any], expected: list[Any]) -> None:
    assert roles(settings) == expected


def test_the_role_mapping_of_a_call_wins_for_that_call() -> None:
    settings = {"prompt.role_mapping": {"user": "human"}}
    assert roles(settings, {"user": "customer", "tool": "result"}) == ["result", "customer", "customer"]
    assert roles(settings, "no mapping") == ["assistant", "human", "human"]


def test_the_settings_name_the_titles_except_those_of_extra_slots() -> None:
    settings = {"prompt.prompt_title_mapping": {"input": "ASK", "output": None, "note": "NOTE"}}
    prompt = SlotPrompt({"note": "n", "input": "q"}, settings=settings)
    assert prompt.to_text() == "user:\n[note]:\nn\n\n[ASK]:\nq\n\n[None]:\nassistant:"


def test_a_title_mapping_of_none_fails_when_a_title_is_needed() -> None:
    prompt = SlotPrompt({"input": "q"}, settings={"prompt.prompt_title_mapping": None})
    assert prompt.to_messages() == [{"role": "user", "content": "q"}]
    with pytest.raises(AttributeError):
        prompt.to_text()


def test_settings_must_be_a_mapping() -> None:
    with pytest.raises(UsageError) as refused:
        SlotPrompt(settings=["x"])  # type: ignore[arg-type]
    assert str(refused.value) == (
        "PP463 settings must be a mapping, not list\n  hint: write {'prompt.role_mapping': {'user': 'human'}}"
    )


def test_the_current_time_is_refused() -> None:
    with pytest.raises(UsageError) as refused:
        SlotPrompt(settings={"prompt.add_current_time": True})
    assert str(refused.value) == (
        "PP463 setting 'prompt.add_current_time' is not supported: prompts never read the clock\n"
        "  hint: put the time in a slot: prompt.set('info.now', ...)"
    )
    assert SlotPrompt({"input": "q"}, settings={"prompt.add_current_time": False}).to_messages()
