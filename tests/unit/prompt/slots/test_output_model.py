from enum import Enum
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field, ValidationError

from promptpack.prompt.slots import SlotPrompt


class Color(Enum):
    RED = "red"


class User(BaseModel):
    name: str = Field(description="user name")
    age: int


def model(output: Any) -> type[BaseModel]:
    return SlotPrompt({"output": output}).to_output_model()


def read(output: Any, reply: Any) -> dict[str, Any]:
    # items that are not cast do not fit their annotation, and pydantic would warn
    return model(output).model_validate(reply).model_dump(warnings=False)


def test_fields_carry_descriptions_and_defaults() -> None:
    made = model({"a": (str, "first"), "b": int, "c": (int, "third", 9), "d": "any text"})
    fields = {name: (field.description, field.default) for name, field in made.model_fields.items()}
    assert fields == {"a": ("first", None), "b": (None, None), "c": ("third", 9), "d": ("any text", None)}
    assert made.__name__ == "AgentlyOutput"


@pytest.mark.parametrize(
    ("output", "reply", "data"),
    [
        ({"a": (int, "n")}, {"a": "5", "more": 1}, {"a": 5, "more": 1}),
        ({"a": (int, "n")}, {}, {"a": None}),
        ({"a": int}, {"a": None}, {"a": None}),
        ({"a": {"b": (int,)}}, {"a": {"b": "1"}}, {"a": {"b": 1}}),
        ({"a": [(str, "x")]}, {"a": 5}, {"a": ["5"]}),
        ({"a": [(str, "x")]}, {"a": None}, {"a": ["None"]}),
        ({"a": [int]}, {"a": [True, "2", 3.9]}, {"a": [True, 2, 3]}),
        ({"a": [{"b": (int,)}]}, {"a": {"b": "1"}}, {"a": [{"b": 1}]}),
        ({"a": [[int]]}, {"a": [["1"]]}, {"a": [["1"]]}),
        ({"a": ({"b": int}, "not checked")}, {"a": {"b": "x"}}, {"a": {"b": "x"}}),
        ({"a": User}, {"a": {"name": "Ann"}}, {"a": {"name": "Ann", "age": None}}),
        ({"a": (Literal["x"], "l")}, {"a": "x"}, {"a": "x"}),
        ([(int,)], ["4"], {"list": [4]}),
        ([(int,)], {"list": "4"}, {"list": [4]}),
        ((str, "top"), [5], {"list": ["5"]}),
        ([Color], ["red", "RED", None], {"list": [Color.RED, Color.RED, None]}),
        (int, {"value": "5", "reply": "ok"}, {"value": 5, "reply": "ok"}),
        ({}, {"a": 1}, {"a": 1}),
    ],
)
def test_a_reply_is_read(output: Any, reply: Any, data: dict[str, Any]) -> None:
    assert read(output, reply) == data


@pytest.mark.parametrize(
    ("output", "reply"),
    [
        ({"a": (int, "n")}, {"a": None}),
        ({"a": (int, "n")}, {"a": "x"}),
        ({"a": {"b": int}}, {"a": None}),
        ({"a": [int]}, {"a": ["x"]}),
        ({"a": (Literal["x"], "l")}, {"a": "y"}),
        ({"a": [Color]}, {"a": ["RED"]}),
        ([Color], ["green"]),
        ({"a": int}, "no object"),
        ({"a": (list[User], "u")}, {"a": [{"name": "Ann"}]}),
    ],
)
def test_a_reply_that_does_not_fit_is_refused(output: Any, reply: Any) -> None:
    with pytest.raises(ValidationError):
        read(output, reply)


def test_described_lists_of_a_mapping_cast_to_the_type_of_the_last() -> None:
    assert read({"a": (list[int], "x"), "b": (list[str], "y")}, {"a": ["1", 2], "b": 3}) == {
        "a": ["1", "2"],
        "b": ["3"],
    }


def test_an_error_of_a_cast_is_not_translated() -> None:
    with pytest.raises(TypeError, match="int\\(\\) argument must be"):
        read({"a": [int]}, {"a": [None]})
    with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
        read({"a": [{"b": int}]}, {"a": ["text"]})


@pytest.mark.parametrize("output", ["text", str, list[str], {1}, 5, None])
def test_an_output_without_structure_has_no_model(output: Any) -> None:
    with pytest.raises(TypeError) as refused:
        model(output)
    assert str(refused.value) == "Unable to generator output model because the output is not a structure data."


def test_equal_schemas_share_a_model_and_others_do_not() -> None:
    assert model({"a": (int, "x")}) is model({"a": (int, "x")})
    assert model({"a": (int, "x")}) is not model({"a": (int, "y")})
    assert model({"a": ("t", 1)}) is not model({"a": ("t", True)})
    assert model({"a": int, "b": int}) is not model({"b": int, "a": int})


def test_a_schema_with_a_set_gets_a_separate_model() -> None:
    assert read({"a": {"only text"}}, {"a": 1}) == {"a": 1}
