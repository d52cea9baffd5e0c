from typing import Any, Optional

import pytest
from pydantic import BaseModel

from promptpack.prompt.slots import SlotPrompt


class User(BaseModel):
    name: str


def exported(output: Any) -> Any:
    return SlotPrompt({"output": output}).to_serializable_prompt_data()["output"]


@pytest.mark.parametrize(
    ("output", "data"),
    [
        ({"a": (str, "d")}, {"a": {"$type": "str", "$desc": "d"}}),
        ({"a": (str,)}, {"a": {"$type": "str"}}),
        ({"a": (str, "", None)}, {"a": {"$type": "str"}}),
        ({"a": (str, "d", "e")}, {"a": {"$type": "str", "$desc": "d;e"}}),
        ({"a": ()}, {"a": []}),
        ({"a": [(str, "d")]}, {"a": [("str", "d")]}),
        ({"a": ({"b": (str, "x")}, "d")}, {"a": {"$type": {"b": ("str", "x")}, "$desc": "d"}}),
        ({"a": Optional[int]}, {"a": "int | NoneType"}),  # noqa: UP045
        ({"a": b"x"}, {"a": [120]}),
        (User, {"name": ("str",)}),
        (int, "int"),
    ],
)
def test_an_output_is_exported(output: Any, data: Any) -> None:
    assert exported(output) == data


def test_a_description_that_is_not_text_cannot_be_joined() -> None:
    with pytest.raises(TypeError, match="sequence item 0: expected str instance, int found"):
        exported({"a": (str, 5)})


def test_only_the_output_is_converted() -> None:
    prompt = SlotPrompt({"info": (str, "d"), 5: {None: 1}})  # type: ignore[dict-item]
    assert prompt.to_serializable_prompt_data() == {"info": ("str", "d"), "5": {"None": 1}}


def test_yaml_keeps_the_order_and_json_does_not_escape_letters() -> None:
    prompt = SlotPrompt({"z": "你好", "a": ["x: y"]})
    assert prompt.to_yaml_prompt() == "z: 你好\na:\n- 'x: y'\n"
    assert prompt.to_json_prompt() == '{\n  "z": "你好",\n  "a": [\n    "x: y"\n  ]\n}'
    assert (SlotPrompt().to_yaml_prompt(), SlotPrompt().to_json_prompt()) == ("{}\n", "{}")


def test_an_object_that_is_used_twice_is_written_twice() -> None:
    shared = {"a": [1]}
    prompt = SlotPrompt({"info": [shared, shared], "input": (shared, shared)})
    assert "&id" not in prompt.to_yaml_prompt() + prompt.to_text()


def test_inherited_slots_are_exported_on_request() -> None:
    prompt = SlotPrompt({"input": "q"}, parent=SlotPrompt({"system": "s"}))
    assert prompt.to_yaml_prompt(True) == "system: s\ninput: q\n"
    assert prompt.to_json_prompt(inherit=False) == '{\n  "input": "q"\n}'
