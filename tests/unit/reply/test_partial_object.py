from typing import Any

from promptpack.reply.partial_object import PartialObject
from promptpack.reply.shape import Shape

SHAPE: dict[str, Any] = {
    "type": "object",
    "required": ["userMessage"],
    "properties": {
        "userMessage": {"type": "string"},
        "risk": {"type": "object", "properties": {"level": {"enum": ["low"]}}},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
}


def start() -> PartialObject:
    partial = PartialObject(Shape.of(SHAPE))
    partial.restart()
    partial.push(partial.root, "", partial.shape)
    return partial


def test_a_value_is_pending_until_it_is_certain() -> None:
    partial = start()
    assert partial.enter_key("user_message")
    partial.hold("hi", 0)
    assert (partial.root, partial.complete, partial.is_answer) == ({}, [], False)
    partial.commit()
    assert (partial.root, partial.complete, partial.is_answer) == ({"userMessage": "hi"}, ["/userMessage"], True)


def test_a_word_is_shown_in_the_spelling_of_the_schema_and_a_wrong_one_raises_one_alarm() -> None:
    partial = start()
    partial.enter_key("risk")
    partial.attach({})
    partial.push(partial.root["risk"], "/risk", partial.shape_here())
    partial.enter_key("level")
    partial.hold("LOW", 0)
    partial.commit()
    assert partial.root == {"risk": {"level": "low"}}
    partial.hold("awful", 7)
    partial.hold("awful", 9)
    assert [(one.rule, one.path, one.offset) for one in partial.alarms] == [("enum", "/risk/level", 7)]


def test_the_first_of_two_values_stays() -> None:
    partial = start()
    for value in ("a", "a", "b"):
        partial.enter_key("userMessage")
        partial.hold(value, 0)
        partial.commit()
    assert partial.root == {"userMessage": "a"}
    assert [one.rule for one in partial.alarms] == ["duplicate"]


def test_a_key_of_the_parent_object_reveals_a_lost_brace() -> None:
    partial = start()
    partial.enter_key("risk")
    partial.attach({})
    partial.push(partial.root["risk"], "/risk", partial.shape_here())
    assert partial.enter_key("level")
    assert partial.enter_key("unknown")
    assert not partial.enter_key("tags")


def test_a_bracket_closes_only_its_own_kind() -> None:
    partial = start()
    assert not partial.close("]")
    assert partial.close("}")
    assert partial.complete == [""]
