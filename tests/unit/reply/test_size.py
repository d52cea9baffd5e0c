import json
from typing import Any

from promptpack.reply import Fault, read
from promptpack.reply.scan import scan
from promptpack.reply.size import is_too_large


def deep(depth: int, key: str, inside: Any) -> Any:
    for _ in range(depth):
        inside = {key: inside}
    return inside


def test_values_are_counted() -> None:
    text = json.dumps([0] * 5_000)
    assert is_too_large(text, json.loads(text), 5_000)
    assert not is_too_large(text, json.loads(text), 5_001)


def test_long_keys_around_many_items_are_too_large() -> None:
    value = deep(90, "k" * 250, [0] * 2_000)
    assert is_too_large(json.dumps(value), value, 50_000)
    assert not is_too_large(json.dumps(value), deep(90, "k", [0] * 2_000), 50_000)


def test_the_scanner_stops_where_pointers_outgrow_the_text() -> None:
    text = json.dumps(deep(90, "k" * 250, [0] * 2_000))
    assert scan(text, 0).limit == "nodes"
    assert scan(text.replace("k" * 250, "k"), 0).limit == ""


def test_too_long_pointers_are_refused_where_they_would_be_reported() -> None:
    text = json.dumps(deep(90, "k" * 250, [0] * 2_000))
    for raw in (f"```json\n{text}\n```", text.replace("0]", "0,]")):
        reading = read(raw, {"type": "object"}, lambda _: ())
        assert [found.rule for found in reading.violations] == ["nodes"]
    failing = read(text, {"type": "object"}, lambda _: [Fault("type", "", "is wrong")])
    assert [found.rule for found in failing.violations] == ["nodes"]
    assert read(text, {"type": "object"}, lambda _: ()).value == json.loads(text)


def test_too_many_values_are_refused_even_if_they_are_valid() -> None:
    assert read(json.dumps([0] * 60_000), {"type": "array"}, lambda _: ()).violations[0].rule == "nodes"
    assert read(json.dumps(["," * 60_000]), {"type": "array"}, lambda _: ()).ok


def test_a_long_lone_value_is_one_value() -> None:
    for value in ("a" * 5_000, 10**4_000):
        assert not is_too_large("a" * 5_000, value, 1)
