from typing import Any

import pytest

from promptpack.reply import Fault, read, replay

SHAPE: dict[str, Any] = {
    "type": "object",
    "required": ["score"],
    "properties": {"score": {"type": "number", "minimum": 0, "maximum": 100}, "note": {"type": "string"}},
}


def check(value: Any) -> list[Fault]:
    fits = isinstance(value, dict) and isinstance(value.get("score"), int) and value["score"] is not True
    return [] if fits else [Fault("required", "/score", "is missing")]


@pytest.mark.parametrize(
    ("raw", "log"),
    [
        ('```json\n{"score": 5}\n```', [("fence", "", (0, 8), "none"), ("fence", "", (20, 24), "none")]),
        ('Here: {"score": 5}', [("prose", "", (0, 6), "none")]),
        ('<think>x</think>{"score": 5}', [("think", "", (0, 16), "none")]),
        ('<out>{"score": 5}</out>', [("tag", "", (0, 5), "none"), ("tag", "", (17, 23), "none")]),
        ('{"score": 5}<|end|>', [("token", "", (12, 19), "none")]),
        ('{"score": 5}}', [("extra-bracket", "", (12, 13), "none")]),
        ('\ufeff{"score": 5}', [("white-space", "", (0, 1), "none")]),
        ('{"score": 5,}', [("trailing-comma", "", (11, 12), "none")]),
        ('{"score": "5"}', [("number-text", "/score", (10, 13), "low")]),
        ('{"Score": 5}', [("key-alias", "/Score", (10, 11), "low")]),
        ('{"score": 5, "score": 5}', [("duplicate-same", "/score", (10, 11), "none")]),
        ("{'score': 5, \"note\": 'x'}", [("quotes", "", (1, 8), "none"), ("quotes", "/note", (21, 24), "none")]),
        ('{"out": {"score": 5}}', [("wrapper", "/out", (8, 20), "low")]),
        ('{"note": "x", "score" 5}', [("missing-colon", "/score", (21, 22), "medium")]),
        ("{«score»: 5, «note»: «x»}", [("quotes", "", (1, 8), "none"), ("quotes", "", (13, 19), "none"), ("quotes", "/note", (21, 24), "none")]),
        ('+ {"note": \'x\',\n+ "score": 5}', [("line-mark", "", (0, 2), "none"), ("quotes", "/note", (11, 14), "none"), ("line-mark", "", (16, 18), "none")]),
        ('"note": "x", "score": 5\n', [("missing-open", "", (0, 0), "medium"), ("missing-end", "", (24, 24), "high")]),
        ('"note": "x", "score" 5}', [("missing-open", "", (0, 0), "medium"), ("missing-colon", "/score", (20, 21), "medium")]),
        ("> {\n> \"score\": 5}", [("block-quote", "", (0, 2), "none"), ("block-quote", "", (4, 6), "none")]),
    ],
)  # fmt: skip
def test_every_change_is_logged_with_its_span_and_the_log_rebuilds_the_value(raw: str, log: list[Any]) -> None:
    found = read(raw, SHAPE, check)
    assert found.value["score"] == 5
    assert [(one.kind, one.path, one.span, one.risk) for one in found.repairs] == log
    assert replay(raw, found.repairs) == found.value
