from typing import Any, Literal, Optional

import pytest

from promptpack.problem import Location, PackError
from promptpack.prompt.slots import SlotPrompt, read_output_schema


def test_described_types_become_tuples_everywhere() -> None:
    schema = read_output_schema(
        {
            "title": {"$type": "str", "$desc": "the title"},
            "tags": [{"$type": "str"}],
            "row": {"$type": {"cell": {"$type": "int"}}, "$desc": "one row"},
            "mood": {"$type": 'Literal["good", "bad"]'},
            "due": "Optional[date]",
            "free": "any text",
            "limit": 5,
        }
    )
    assert schema["title"] == (str, "the title")
    assert schema["tags"] == [(str,)]
    assert schema["row"] == ({"cell": (int,)}, "one row")
    assert schema["mood"] == (Literal["good", "bad"],)
    assert str(schema["due"]) == "typing.Optional[datetime.date]"
    assert (schema["free"], schema["limit"]) == ("any text", 5)


def test_the_schema_of_a_pack_validates_replies() -> None:
    schema = read_output_schema({"age": {"$type": "int", "$desc": "in years"}, "name": "str"})
    prompt = SlotPrompt({"input": "q", "output": schema})
    assert prompt.to_output_model().model_validate({"age": "7"}).model_dump() == {"age": 7, "name": None}
    assert '"age": <int>, // in years' in prompt.to_text()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"a": {"$type": "strr"}}, "PP464 output.a.$type: unknown type 'strr'\n  hint: did you mean 'str'?"),
        ({"a": {"$type": "string"}}, "PP464 output.a.$type: unknown type 'string'\n  hint: did you mean 'str'?"),
        ([{"$type": "list[strr]"}], "PP464 output.0.$type: unknown type 'strr'\n  hint: did you mean 'str'?"),
        ({"a": {"$type": 5}}, "PP465 output.a.$type: must be a type name or a structure, not 5"),
        ({"a": {"$type": "str", "$desc": None}}, "PP465 output.a.$desc: must be text, not NoneType"),
        (
            {"a": {"$desc": "x"}},
            "PP465 output.a: '$desc' without '$type'\n  hint: add `$type: Any` if any value is allowed",
        ),
    ],
)
def test_a_problem_names_its_path(data: Any, expected: str) -> None:
    with pytest.raises(PackError) as refused:
        read_output_schema(data)
    assert str(refused.value) == expected


def test_all_problems_are_reported_with_their_locations() -> None:
    def locate(path: tuple[str | int, ...]) -> Location:
        return Location("pack.yaml", len(path), 1)

    with pytest.raises(PackError) as refused:
        read_output_schema({"a": {"$type": "x"}, "b": [{"$type": "y"}]}, locate=locate)
    assert str(refused.value) == (
        "pack.yaml:2:1: PP464 output.a.$type: unknown type 'x'\npack.yaml:3:1: PP464 output.b.0.$type: unknown type 'y'"
    )


def test_an_endless_schema_is_reported() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(PackError) as refused:
        read_output_schema(endless)
    assert str(refused.value) == "PP465 output: the schema is nested too deeply"


def test_optional_and_bar_unions_stay_different_types() -> None:
    assert read_output_schema("int | NoneType") == Optional[int]  # noqa: UP045
    assert type(read_output_schema("int | None")) is type(int | None)
