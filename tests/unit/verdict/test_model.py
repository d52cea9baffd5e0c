import json
from dataclasses import replace
from typing import Any

import pytest

from promptpack import Pack
from promptpack.pack.contract import Contract
from promptpack.pack.version import Version

SHAPE: dict[str, Any] = {
    "type": "object",
    "required": ["name", "level"],
    "properties": {
        "name": {"type": "string", "pattern": "^[a-z]+$"},
        "level": {"enum": ["low", "high"]},
        "size": {"type": "number"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "dependentRequired": {"size": ["tags"]},
    "additionalProperties": False,
}
PACK = Pack("demo", Version(1, 0, 0), "demo.yaml", contract=Contract("demo", SHAPE))
GOOD = {"name": "a", "level": "low"}


def violations_of(raw: str | bytes, **options: Any) -> list[str]:
    return [f"{found} at {found.offset}" for found in PACK.check(raw, **options).violations]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("I cannot.", "PP501 (reply): the reply contains no JSON object at 0"),
        ('{"name": "a", "level": "low"} {"name": "b", "level": "low"}',
         "PP502 (reply): the reply contains several answers that differ at 0"),
        ('{"name": "a", "level": "lo', "PP503 /level: the reply ends inside a string at 23"),
        ('{"name": "a", "name": "b", "level": "low"}',
         "PP504 /name: key 'name' appears twice with different values at 14"),
        ('{"name": "a", "level": "low", "tags": [], "size": NaN}', "PP505 /size: NaN is not a finite number at 50"),
        ('{"name": "a", "level": "low", "tags": [], "size": 1e999}',
         "PP505 /size: 1e999 is too large for a number at 50"),
        ('{"name": "a", "level": "low", "tags": ["a", ...]}', "PP506 /tags: part of the value was left out at 38"),
        (f'{{"name": {"[" * 200}{"]" * 200}}}', "PP507 (reply): the value is nested more than 100 levels deep at 0"),
        (b"\xff\xfe\xff", "PP509 (reply): the reply is not text: truncated data at 0"),
        ('{"name": "\\ud800", "level": "low"}', "PP509 /name: the text contains half of a surrogate pair at 9"),
        ('{"level": "low"}', "PP510 /name: 'name' is missing at 0"),
        ('{"name": "A", "level": "low"}', "PP514 /name: 'A' does not match the pattern ^[a-z]+$ at 9"),
        ('{"name": "a", "level": "low", "x": 1}', "PP516 /x: unknown key 'x' at 35"),
        ('{"name": "a", "level": "low", "size": 1}',
         "PP519 (reply): 'tags' is required with 'size' at 0"),
    ],
)  # fmt: skip
def test_a_violation_has_a_code_a_path_a_message_and_an_offset(raw: str | bytes, expected: str) -> None:
    assert violations_of(raw) == [expected]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("", "PP501 (reply): the reply is empty at 0"),
        (json.dumps(GOOD) * 2, "PP502 (reply): the reply contains more than one object at 0"),
        (f"```json\n{json.dumps(GOOD)}\n```", "PP508 (reply): the reply contains text around the object at 0"),
        ('{"name": "a", "level": "low",}', "PP509 (reply): the reply is not strict JSON at 0"),
    ],
)
def test_strict_mode_names_the_repair_that_a_reply_needs(raw: str, expected: str) -> None:
    assert violations_of(raw, strict=True) == [expected]


def test_a_refused_repair_is_reported_with_its_offset() -> None:
    assert violations_of('{"name": \'a\', "level": "low"}', refuse=["quotes"]) == [
        "PP508 /name: the repair 'quotes' is not allowed at 9"
    ]


def test_a_reply_beyond_the_limits_is_not_read() -> None:
    assert violations_of("x" * 4_000_001) == ["PP507 (reply): the reply is longer than 4000000 characters at 0"]
    assert violations_of("[" + "1," * 50_001 + "1]") == [
        "PP507 (reply): the reply contains more than 50000 values at 0"
    ]


def test_a_verdict_is_true_if_the_reply_is_accepted() -> None:
    for raw in (json.dumps(GOOD), "{}", "no", f"so: {json.dumps(GOOD)}"):
        verdict = PACK.check(raw)
        assert bool(verdict) is verdict.ok


def test_the_summary_groups_repairs_by_kind_with_the_highest_risk() -> None:
    verdict = PACK.check("So: {'name': 'a', 'level': 'low', 'tags': ['b', 'c'")
    assert [str(found) for found in verdict.summary] == [
        "prose (risk none)",
        "quotes (7 times, risk none)",
        "missing-end (2 times, risk high)",
    ]
    assert [(found.kind, found.count, found.risk) for found in verdict.summary][1] == ("quotes", 7, "none")
    merged = replace(verdict, repairs=tuple(replace(one, kind="quotes") for one in verdict.repairs))
    assert [str(found) for found in merged.summary] == ["quotes (10 times, risk high)"]
    assert PACK.check(json.dumps(GOOD)).summary == ()
