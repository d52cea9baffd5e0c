from collections.abc import Callable
from typing import Any

import pytest

from promptpack.problem import PackError, PromptpackError, UsageError
from promptpack.prompt.slots import SlotPrompt

PROMPT = SlotPrompt(
    {
        "system": "poet",
        "info": {"n": 1.5, "multi": "a\n  b"},
        "output": {
            "title": (str, "the title"),
            "tags": [(str, "a tag")],
            "when": int | None,
            "kind": (dict[str, list[int]], "counts"),
            "loose": "any text",
            "rows": ({"a": (int, "x")}, "a row"),
        },
    }
)


def test_a_yaml_export_reads_back_unchanged() -> None:
    text = PROMPT.to_yaml_prompt()
    assert SlotPrompt.from_yaml(text).to_yaml_prompt() == text


def test_a_json_export_reads_back_unchanged() -> None:
    text = PROMPT.to_json_prompt()
    assert SlotPrompt.from_json(text).to_json_prompt() == text


def test_exported_data_reads_back_unchanged() -> None:
    data = PROMPT.to_serializable_prompt_data()
    assert SlotPrompt.from_prompt_data(data).to_serializable_prompt_data() == data


def test_type_names_become_types_again() -> None:
    prompt = SlotPrompt.from_yaml(PROMPT.to_yaml_prompt())
    assert prompt["output"]["title"] == (str, "the title")
    assert prompt["output"]["when"] == int | None
    assert prompt.to_output_model().model_validate({"kind": {"a": ["1"]}}).model_dump()["kind"] == {"a": [1]}


def test_described_types_inside_lists_become_types_and_export_unchanged() -> None:
    text = "output:\n  tags:\n  - $type: Optional[str]\n    $desc: a tag\n"
    prompt = SlotPrompt.from_yaml(text)
    assert "<str | NoneType>, // a tag" in prompt.to_text()
    assert prompt.to_yaml_prompt() == text


def test_a_parent_and_settings_may_be_given() -> None:
    parent = SlotPrompt({"system": "s"})
    prompt = SlotPrompt.from_json('{"input": "q"}', parent=parent, settings={"prompt.role_mapping.user": "human"})
    assert prompt.to_messages() == [{"role": "system", "content": "s"}, {"role": "human", "content": "q"}]


@pytest.mark.parametrize(
    ("read", "text", "expected"),
    [
        (SlotPrompt.from_yaml, "a: ]", "<yaml>:1:4: PP462 not YAML: did not find expected node content"),
        (SlotPrompt.from_yaml, "- a", "<yaml>: PP461 slots must be a mapping, not list"),
        (SlotPrompt.from_yaml, "5: a", "<yaml>: PP461 slot name 5 is not text"),
        (SlotPrompt.from_yaml, "a: &x [1]\nb: *x", "<yaml>: PP462 aliases are not allowed"),
        (SlotPrompt.from_yaml, "a: " + "[" * 3000, "<yaml>: PP461 slots are nested more than 100 levels deep"),
        (SlotPrompt.from_yaml, "a: 2024-99-01", "<yaml>: PP462 not YAML: month must be in 1..12"),
        (SlotPrompt.from_json, "{", "<json>:1:2: PP462 not JSON: Expecting property name enclosed in double quotes"),
        (SlotPrompt.from_json, '{"a": 1, "a": 2}', "<json>: PP462 not JSON: key 'a' appears twice"),
        (
            SlotPrompt.from_json,
            '{"a": ' + "[" * 101 + "]" * 101 + "}",
            "<json>: PP461 slots are nested more than 100 levels deep",
        ),
        (SlotPrompt.from_prompt_data, [], "PP461 slots must be a mapping, not list"),
        (
            SlotPrompt.from_yaml,
            "output: {$type: str, z: x}",
            "PP465 output: unknown key 'z' next to '$type' and '$desc'",
        ),
    ],
)
def test_invalid_text_is_refused(read: Callable[[Any], SlotPrompt], text: Any, expected: str) -> None:
    with pytest.raises(PackError) as refused:
        read(text)
    assert str(refused.value) == expected


def test_problems_name_the_source() -> None:
    with pytest.raises(PackError, match=r"^prompts/a\.yaml:1:4: PP462"):
        SlotPrompt.from_yaml("a: ]", source="prompts/a.yaml")


def test_bytes_are_refused() -> None:
    with pytest.raises(UsageError) as refused:
        SlotPrompt.from_json(b"{}")  # type: ignore[arg-type]
    assert str(refused.value) == "PP462 the prompt to read must be text, not bytes"


@pytest.mark.parametrize(
    "text",
    [
        "!!python/object/apply:os.getcwd []",
        "a: !!timestamp x",
        "a: !!int ''",
        "a: !!bool x",
        "a: " + "[" * 3000,
        "\x00",
    ],
)
def test_tags_and_other_traps_are_refused(text: str) -> None:
    with pytest.raises(PromptpackError):
        SlotPrompt.from_yaml(text)
