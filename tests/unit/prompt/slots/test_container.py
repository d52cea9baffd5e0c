import warnings
from typing import Any

import pytest

from promptpack.problem import UsageError
from promptpack.prompt.slots import SlotPrompt, SlotWarning


def own(prompt: SlotPrompt) -> dict[str, Any]:
    return prompt.to_serializable_prompt_data()


def test_set_trims_and_then_dedents_a_text() -> None:
    prompt = SlotPrompt()
    prompt.set("input", "\n    a\n      b\n   \n    ")
    assert prompt["input"] == "a\n      b"


def test_the_constructor_and_brackets_do_not_trim() -> None:
    prompt = SlotPrompt({"input": "  a  "})
    prompt["info"] = "  b  "
    assert own(prompt) == {"input": "  a  ", "info": "  b  "}


def test_set_merges_mappings_and_grows_lists() -> None:
    prompt = SlotPrompt({"info": {"a": {"x": 1}}, "instruct": ["one"]})
    prompt.set("info", {"a": {"y": 2}})
    prompt.set("instruct", ["one", "two"])
    prompt.set("instruct", "three")
    assert own(prompt) == {"info": {"a": {"x": 1, "y": 2}}, "instruct": ["one", "two", "three"]}


def test_a_value_that_cannot_be_merged_is_replaced() -> None:
    prompt = SlotPrompt({"info": {"a": 1}, "system": "old"})
    prompt.set("info", "text")
    prompt.set("system", {"new": True})
    assert own(prompt) == {"info": "text", "system": {"new": True}}


def test_the_callers_data_is_never_changed() -> None:
    given: dict[str, Any] = {"info": {"a": [1]}}
    more = {"a": [2]}
    prompt = SlotPrompt(given)
    prompt.set("info", more)
    prompt.append("info.a", 3)
    prompt.delete("info.a")
    assert given == {"info": {"a": [1]}}
    assert more == {"a": [2]}


def test_changing_a_returned_value_does_not_change_the_prompt() -> None:
    prompt = SlotPrompt({"info": {"a": [1]}})
    prompt["info"]["a"].append(2)
    prompt.get("info")["b"] = 3
    assert own(prompt) == {"info": {"a": [1]}}


def test_append_keeps_duplicates_and_treats_a_tuple_as_one_item() -> None:
    prompt = SlotPrompt({"instruct": ("a", "b")})
    prompt.append("instruct", "x")
    prompt.append("instruct", "x")
    assert own(prompt) == {"instruct": [("a", "b"), "x", "x"]}


def test_append_to_an_empty_slot_or_none_starts_a_list() -> None:
    prompt = SlotPrompt({"info": None})
    prompt.append("info", 1)
    prompt.append("examples", 2)
    assert own(prompt) == {"info": [1], "examples": [2]}


def test_append_to_a_set_adds_to_it() -> None:
    prompt = SlotPrompt({"info": {1}})
    prompt.append("info", 2)
    assert prompt["info"] == {1, 2}


def test_extend_adds_every_item() -> None:
    prompt = SlotPrompt({"info": "first"})
    prompt.extend("info", ("a", "a"))
    assert own(prompt) == {"info": ["first", "a", "a"]}


def test_a_dotted_key_is_a_path() -> None:
    prompt = SlotPrompt()
    prompt.set("info.user.name", "Ann")
    prompt.append("info.user.tags", "new")
    assert own(prompt) == {"info": {"user": {"name": "Ann", "tags": ["new"]}}}
    assert prompt["info.user.name"] == "Ann"


def test_a_path_through_a_scalar_is_refused() -> None:
    prompt = SlotPrompt({"info": "text"})
    with pytest.raises(TypeError) as refused:
        prompt.set("info.user", 1)
    assert str(refused.value) == "Can not set value to path 'info.user' because 'info' is not a dictionary."


def test_pop_returns_the_removed_value() -> None:
    prompt = SlotPrompt({"info": {"a": 1, "b": 2}, "input": "q"})
    assert prompt.pop("info.a") == 1
    assert prompt.pop("input") == "q"
    assert prompt.pop("nothing", "default") == "default"
    assert own(prompt) == {"info": {"b": 2}}


def test_pop_keeps_none_at_the_end_of_a_path() -> None:
    prompt = SlotPrompt({"info": {"a": None}})
    assert prompt.pop("info.a", "default") == "default"
    assert own(prompt) == {"info": {"a": None}}


def test_delete_ignores_an_unknown_key() -> None:
    prompt = SlotPrompt({"info": {"a": 1}})
    prompt.delete("info.b.c")
    del prompt["nothing"]
    del prompt["info.a"]
    assert own(prompt) == {"info": {}}


def test_membership_and_get_include_the_parent() -> None:
    prompt = SlotPrompt({"input": "q"}, parent=SlotPrompt({"system": "s", "info": {"a": 1}}))
    assert "system" in prompt
    assert "nothing" not in prompt
    assert prompt.get("info.a") == 1
    assert prompt.get("info.b", "default") == "default"


def test_the_items_of_the_child_and_the_keys_of_the_parent_come_first() -> None:
    parent = SlotPrompt({"info": {"a": 1, "b": 2}, "instruct": ["p1", "p2"]})
    prompt = SlotPrompt({"input": "q", "info": {"b": 3}, "instruct": ["c1", "p2"]}, parent=parent)
    assert prompt.to_serializable_prompt_data(inherit=True) == {
        "info": {"a": 1, "b": 3},
        "instruct": ["c1", "p2", "p1"],
        "input": "q",
    }
    assert own(prompt) == {"input": "q", "info": {"b": 3}, "instruct": ["c1", "p2"]}


def test_later_changes_of_the_parent_are_inherited() -> None:
    parent = SlotPrompt()
    prompt = SlotPrompt({"input": "q"}, parent=parent)
    parent.set("system", "late")
    assert prompt["system"] == "late"


def test_writing_never_changes_the_parent() -> None:
    parent = SlotPrompt({"info": {"a": [1]}})
    prompt = SlotPrompt(parent=parent)
    prompt.set("info.a", [2])
    prompt.pop("info")
    assert own(parent) == {"info": {"a": [1]}}


def test_settings_are_inherited_and_can_be_overridden() -> None:
    parent = SlotPrompt(settings={"prompt.role_mapping": {"user": "human", "assistant": "ai"}})
    prompt = SlotPrompt({"input": "q"}, parent=parent, settings={"prompt": {"role_mapping": {"user": "customer"}}})
    assert prompt.to_text() == "customer:\n[INPUT]:\nq\n\n[OUTPUT]:\nai:"


def test_the_warning_about_skipped_content_points_to_the_caller() -> None:
    prompt = SlotPrompt({"attachment": [{"type": "image_url", "image_url": "u"}], "input": "q"})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        prompt.to_messages()
    assert [(item.category, item.filename) for item in caught] == [(SlotWarning, __file__)]
    assert str(caught[0].message) == (
        "Skipped content: unable to put attachment content into prompt messages when `rich_content` == False\n"
        "Content: {'type': 'image_url', 'image_url': 'u'}"
    )


def test_only_text_and_messages_refuse_an_empty_prompt() -> None:
    prompt = SlotPrompt({"system": "s"})
    with pytest.raises(KeyError) as refused:
        prompt.to_text()
    assert refused.value.args[0] == (
        "Prompt requires at least one of 'input', 'info', 'instruct', 'output', 'attachment' "
        "or customize extra prompt keys to be provided."
    )
    with pytest.raises(KeyError):
        prompt.to_messages()
    assert prompt.to_prompt_object().system == "s"
    assert prompt.to_json_prompt() == '{\n  "system": "s"\n}'


def test_slots_must_be_a_mapping() -> None:
    with pytest.raises(UsageError) as refused:
        SlotPrompt(["input"])  # type: ignore[arg-type]
    assert str(refused.value) == "PP461 slots must be a mapping, not list"


def test_a_parent_must_be_a_slot_prompt() -> None:
    with pytest.raises(UsageError) as refused:
        SlotPrompt(parent={"input": "q"})  # type: ignore[arg-type]
    assert str(refused.value) == "PP466 parent must be a SlotPrompt, not dict"
