import json
from typing import Any

import pytest

from promptpack.reply.partial_object import PartialObject
from promptpack.reply.read import read
from promptpack.reply.reading import Fault, PromptEcho, Reading
from promptpack.reply.schema_check import SchemaCheck
from promptpack.reply.shape import Shape
from promptpack.schema.validation import Schema

SHAPE: dict[str, Any] = {
    "type": "object",
    "required": ["userMessage", "kind"],
    "properties": {
        "userMessage": {"type": "string"},
        "kind": {"enum": ["a", "b"]},
        "risk": {"type": "object", "properties": {"level": {"enum": ["low"]}}, "additionalProperties": False},
        "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "detail": {"type": "object"},
    },
    "allOf": [
        {
            "if": {"properties": {"kind": {"const": "a"}}, "required": ["kind"]},
            "then": {"properties": {"detail": {"properties": {"n": {"type": "integer"}}, "required": ["n"]}}},
        }
    ],
}


def start(*examples: Any, schema: dict[str, Any] = SHAPE) -> PartialObject:
    partial = PartialObject(Shape.of(schema), PromptEcho(examples))
    partial.open_root()
    return partial


def add(partial: PartialObject, **members: Any) -> None:
    for key, value in members.items():
        assert partial.enter_key(key, 0)
        add_value(partial, value)


def add_value(partial: PartialObject, value: Any) -> None:
    if not isinstance(value, dict | list):
        partial.hold(value, 0)
        partial.commit()
        return
    partial.open(type(value)(), 0)
    if isinstance(value, dict):
        add(partial, **value)
    for item in value if isinstance(value, list) else ():
        add_value(partial, item)
    assert partial.close("}" if isinstance(value, dict) else "]", 0)


def end(partial: PartialObject) -> None:
    """Close the root object, and let the partial conclude from the whole text."""
    value, echo = partial.stack[0].value, partial._echo
    assert partial.close("}", 0)
    reading = read(json.dumps(value), SHAPE, SchemaCheck(Schema(SHAPE)), echo=echo)
    assert partial.conclude(reading, is_closed=True)


def found(partial: PartialObject) -> list[tuple[str, str]]:
    return [(one.rule, one.path) for one in partial.alarms]


def test_a_value_is_pending_until_it_is_certain() -> None:
    partial = start()
    add(partial, kind="a")
    partial.enter_key("userMessage", 0)
    partial.hold("hi", 0)
    assert (partial.root, partial.complete) == ({"kind": "a"}, ["/kind"])
    partial.commit()
    assert (partial.root, partial.complete) == ({"kind": "a", "userMessage": "hi"}, ["/kind", "/userMessage"])


def test_nothing_is_shown_before_the_value_that_chooses_the_branches() -> None:
    partial = start()
    add(partial, userMessage="hi", detail={"n": "5"})
    assert (partial.root, partial.complete) == ({}, [])
    add(partial, kind="A")
    assert partial.root == {"userMessage": "hi", "kind": "a"}
    end(partial)
    assert partial.root == {"userMessage": "hi", "detail": {"n": 5}, "kind": "a"}
    assert {"/detail", "/detail/n"} <= set(partial.complete)


def test_an_object_of_another_contract_is_never_shown() -> None:
    partial = start()
    add(partial, userMessage="hi", kind="c", tags=["x"])
    end(partial)
    assert partial.root == {}
    assert found(partial) == [("enum", "/kind")]


def test_another_spelling_of_a_key_waits_for_the_end_of_the_object() -> None:
    partial = start()
    add(partial, kind="a", user_message="hi")
    assert partial.root == {"kind": "a"}
    end(partial)
    assert partial.root == {"kind": "a", "userMessage": "hi"}


def test_another_spelling_of_a_key_that_is_there_is_an_extra_key() -> None:
    partial = start()
    add(partial, UserMessage=5, kind="a", userMessage="hi")
    end(partial)
    assert partial.root == {"UserMessage": 5, "kind": "a", "userMessage": "hi"}
    assert partial.alarms == []


def test_two_spellings_of_an_absent_key_conflict() -> None:
    partial = start()
    add(partial, kind="b", UserMessage="x", user_message="y")
    end(partial)
    assert found(partial) == [("ambiguous", "/userMessage")]


def test_an_answer_inside_a_wrapper_is_shown_at_its_end() -> None:
    partial = start()
    add(partial, status="ok", output={"kind": "a", "userMessage": "hi"})
    assert partial.root == {}
    end(partial)
    assert partial.root == {"kind": "a", "userMessage": "hi"}
    assert partial.alarms == []


def test_an_example_of_the_prompt_is_not_shown() -> None:
    partial = start({"kind": "a", "userMessage": "hi"})
    add(partial, kind="a", userMessage="hi")
    end(partial)
    assert partial.root == {}
    partial = start({"kind": "a", "userMessage": "hi"})
    add(partial, kind="a", userMessage="no")
    assert partial.root == {"kind": "a", "userMessage": "no"}


def test_empty_optional_values_are_not_shown() -> None:
    partial = start()
    add(partial, kind="b", tags=[], risk=None)
    assert partial.root == {"kind": "b"}
    assert partial.alarms == []


def test_a_list_shows_no_item_after_one_that_is_not_certain() -> None:
    partial = start()
    add(partial, kind="b", tags=["x", 5, "y"])
    assert partial.root == {"kind": "b", "tags": ["x"]}
    assert found(partial) == [("type", "/tags/1")]


def test_the_first_of_two_values_stays() -> None:
    partial = start()
    add(partial, kind="a")
    for value in ("a", "a", "b"):
        add(partial, userMessage=value)
    assert partial.root == {"kind": "a", "userMessage": "a"}
    assert found(partial) == [("duplicate", "/userMessage")]


@pytest.mark.parametrize(
    ("members", "alarm"),
    [
        ({"tags": ["x"], "risk": {"level": "awful"}}, ("enum", "/risk/level")),
        ({"risk": {"level": "low", "other": 1}}, ("additionalProperties", "/risk/other")),
        ({"detail": {"m": 1}}, ("required", "/detail/n")),
        ({"detail": None}, None),
        ({"userMessage": {"a": 1}}, ("type", "/userMessage")),
        ({"userMessage": []}, ("type", "/userMessage")),
        ({"risk": ["low"]}, ("type", "/risk")),
        ({"risk": [{"level": "low"}]}, None),
        ({"tags": "x"}, None),
        ({"tags": {}}, None),
        ({"tags": {"a": 1}}, ("type", "/tags")),
    ],
)
def test_an_alarm_is_raised_when_the_value_ends(members: dict[str, Any], alarm: tuple[str, str] | None) -> None:
    partial = start()
    add(partial, kind="a", **members)
    assert found(partial) == ([alarm] if alarm else [])


def test_the_faults_of_the_whole_object_are_alarms_at_its_end() -> None:
    partial = start()
    add(partial, kind="a")
    end(partial)
    assert found(partial) == [("required", "/userMessage")]


def test_an_object_with_one_key_of_a_large_contract_raises_no_alarm() -> None:
    partial = start(schema={**SHAPE, "required": ["userMessage", "kind", "tags", "risk"]})
    add(partial, kind="c")
    assert partial.alarms == []
    add(partial, userMessage="hi")
    assert found(partial) == [("enum", "/kind")]


def test_a_key_of_the_parent_object_reveals_a_lost_brace() -> None:
    partial = start()
    partial.enter_key("detail", 0)
    partial.open({}, 0)
    assert partial.enter_key("unknown", 0)
    partial = start()
    partial.enter_key("risk", 0)
    partial.open({}, 0)
    assert partial.enter_key("level", 0)
    assert not partial.enter_key("tags", 0)


def test_a_bracket_closes_only_its_own_kind() -> None:
    partial = start()
    assert not partial.close("]", 0)
    assert partial.close("}", 0)


def test_a_later_object_is_only_read_at_its_end() -> None:
    partial = start()
    add(partial, kind="a", userMessage="hi")
    end(partial)
    partial.open_root()
    add(partial, kind="c", userMessage=5)
    assert partial.root == {"kind": "a", "userMessage": "hi"}
    assert partial.alarms == []
    several = Reading("ambiguous", violations=(Fault("ambiguous", "", "several answers"),))
    assert partial.conclude(several, is_closed=True)
    assert found(partial) == [("ambiguous", "")]


@pytest.mark.parametrize("rule", ["truncated", "unclosed"])
def test_text_that_ends_too_soon_raises_no_alarm(rule: str) -> None:
    partial = start()
    add(partial, kind="a", userMessage="hi")
    cut = Reading("truncated", violations=(Fault(rule, "", "the end is missing"),))
    assert not partial.conclude(cut, is_closed=False)
    assert partial.conclude(cut, is_closed=True)
    assert partial.alarms == []


def test_an_answer_replaces_the_values_of_an_object_that_it_does_not_contain() -> None:
    partial = start()
    add(partial, kind="b", tags=["x"])
    assert partial.root == {"kind": "b", "tags": ["x"]}
    partial.conclude(Reading("recovered", {"kind": "a", "userMessage": "hi"}), is_closed=True)
    assert (partial.root, partial.complete) == ({"kind": "a", "userMessage": "hi"}, ["/userMessage", "/kind"])
