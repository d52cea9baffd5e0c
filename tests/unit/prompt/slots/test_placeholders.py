from collections import deque
from typing import Any

import pytest

from promptpack.prompt.slots import SlotPrompt
from promptpack.prompt.slots.placeholders import fill_placeholders

MAPPINGS: dict[str, Any] = {"name": "Ann", "n": 5, "list": [1], "nest": "${name}", "": "nothing"}


@pytest.mark.parametrize(
    ("value", "result"),
    [
        ("hi ${name}", "hi Ann"),
        ("${n}", 5),
        ("${ n }", 5),
        ("${list}", [1]),
        ("n=${n}", "n=5"),
        ("${missing} ${name}", "${missing} Ann"),
        ("${missing}", "${missing}"),
        ("${}", "${}"),
        ("${ }x", "nothingx"),
        ("${nest}!", "${name}!"),
        ("${name}\n", "Ann\n"),
        ({"${name}": ["${n}", ("x${n}",)]}, {"Ann": [5, ("x5",)]}),
        ({"${n}"}, {5}),
        (deque(["${n}"]), [5]),
        (b"${n}", b"${n}"),
        (frozenset(["${n}"]), frozenset(["${n}"])),
    ],
)
def test_placeholders_are_filled(value: Any, result: Any) -> None:
    assert fill_placeholders(value, MAPPINGS) == result


def test_mappings_must_be_a_dict() -> None:
    with pytest.raises(TypeError) as refused:
        SlotPrompt().set("input", "${n}", "bad")  # type: ignore[arg-type]
    assert str(refused.value) == "Variable mappings require a dictionary but got: bad"


def test_set_trims_before_it_fills_and_update_after() -> None:
    prompt = SlotPrompt()
    prompt.set("input", " ${x} ", {"x": " a "})
    prompt.update({"info": " ${x} "}, {"x": " a "})
    assert (prompt["input"], prompt["info"]) == (" a ", "a")


def test_a_key_may_be_a_placeholder() -> None:
    prompt = SlotPrompt()
    prompt.set("${slot}", "q", {"slot": "input"})
    prompt.append("${slot}", "r", {"slot": "info"})
    assert prompt.to_serializable_prompt_data() == {"input": "q", "info": ["r"]}


def test_without_mappings_nothing_is_filled() -> None:
    assert SlotPrompt({"input": "${n}"})["input"] == "${n}"
