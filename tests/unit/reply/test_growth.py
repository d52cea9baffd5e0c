from typing import Any

from promptpack.reply.growth import Growth
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


def begun() -> Growth:
    growth = Growth(Shape.of(SHAPE))
    growth.restart()
    growth.push(growth.root, "", growth.shape)
    return growth


def test_a_value_is_kept_back_until_it_is_sure() -> None:
    growth = begun()
    assert growth.take_key("user_message")
    growth.hold("hi", 0)
    assert (growth.root, growth.complete, growth.is_answer) == ({}, [], False)
    growth.commit()
    assert (growth.root, growth.complete, growth.is_answer) == ({"userMessage": "hi"}, ["/userMessage"], True)


def test_a_word_is_shown_in_its_own_spelling_and_a_wrong_one_alarms_once() -> None:
    growth = begun()
    growth.take_key("risk")
    growth.attach({})
    growth.push(growth.root["risk"], "/risk", growth.shape_here())
    growth.take_key("level")
    growth.hold("LOW", 0)
    growth.commit()
    assert growth.root == {"risk": {"level": "low"}}
    growth.hold("awful", 7)
    growth.hold("awful", 9)
    assert [(one.rule, one.path, one.offset) for one in growth.violations] == [("enum", "/risk/level", 7)]


def test_the_first_of_two_values_stays() -> None:
    growth = begun()
    for value in ("a", "a", "b"):
        growth.take_key("userMessage")
        growth.hold(value, 0)
        growth.commit()
    assert growth.root == {"userMessage": "a"}
    assert [one.rule for one in growth.violations] == ["duplicate"]


def test_a_key_of_the_object_around_shows_a_lost_brace() -> None:
    growth = begun()
    growth.take_key("risk")
    growth.attach({})
    growth.push(growth.root["risk"], "/risk", growth.shape_here())
    assert growth.take_key("level")
    assert growth.take_key("unknown")
    assert not growth.take_key("tags")


def test_a_bracket_closes_only_its_own_kind() -> None:
    growth = begun()
    assert not growth.close("]")
    assert growth.close("}")
    assert growth.complete == [""]
