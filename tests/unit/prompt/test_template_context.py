"""`TemplateContext`: where the values of a template come from."""

from collections.abc import Callable
from typing import Any

import pytest

from promptpack import Pack
from promptpack.problem import ContextError
from promptpack.prompt.template_context import TemplateContext


def test_values_are_stored_by_name() -> None:
    context = TemplateContext.from_map({"a": (1, 2)}).insert("b", None)
    assert context.get("a") == [1, 2]
    assert context.get("b", "default") is None
    assert context.get("c") is None
    assert context.get("c", "default") == "default"


def test_later_values_replace_earlier_ones() -> None:
    assert TemplateContext().insert("a", 1).insert("a", 2).to_inputs() == {"a": 2}


def test_changing_the_original_mapping_does_not_change_the_context() -> None:
    given = {"a": [1]}
    context = TemplateContext.from_map(given)
    given["a"].append(2)
    assert context.get("a") == [1]


@pytest.mark.parametrize("document", ['{"n": 1.50, "l": [1, null, true], "o": {"k": 0}, "big": 9007199254740993}'])
def test_json_text_keeps_the_text_of_numbers(document: str) -> None:
    expected = {"n": "1.50", "l": ["1", "", True], "o": {"k": "0"}, "big": "9007199254740993"}
    assert TemplateContext.from_json(document).to_inputs() == expected
    assert TemplateContext.from_json(document.encode()).to_inputs() == expected


def test_parsed_json_is_accepted_too() -> None:
    assert TemplateContext.from_json({"n": 1.5, "i": -2, "z": None}).to_inputs() == {"n": "1.5", "i": "-2", "z": ""}


@pytest.mark.parametrize("document", [[], None, True, 5, "[]", '"a"', "null"])
def test_json_that_is_not_an_object_is_refused(document: Any) -> None:
    with pytest.raises(ContextError) as caught:
        TemplateContext.from_json(document)
    assert str(caught.value) == 'PP444 the context is not a JSON object\n  hint: write {"name": "value"}'


@pytest.mark.parametrize("document", ["", "{", '{"a": NaN}', b"\xff", "[" * 100_000])
def test_text_that_is_not_json_is_refused(document: Any) -> None:
    with pytest.raises(ContextError) as caught:
        TemplateContext.from_json(document)
    assert str(caught.value) == 'PP444 the context is not JSON\n  hint: write {"name": "value"}'


def test_a_pack_accepts_it_as_its_context(make_pack: Callable[[str], Pack]) -> None:
    pack = make_pack("inputs: {A: {type: string}}\nmessages:\n  - {role: user, content: '{{ A }}'}\n")
    assert pack.render(TemplateContext().insert("A", "x")).messages[0].text == "x"
