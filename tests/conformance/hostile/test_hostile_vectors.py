"""Nothing hostile gets through: every vector in a process of its own, with its memory and time limited."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.conformance.hostile import cases
from tests.conformance.hostile.arena import Arena
from tests.conformance.hostile.cases import CANARY
from tests.conformance.hostile.classes import DEVIATIONS

PACKS, TEMPLATES, CONTEXTS, REPLIES = cases.packs(), cases.templates(), cases.contexts(), cases.replies()
FAST_SECONDS = 0.5


def name_of(case: dict[str, Any]) -> str:
    return str(case["id"])


@pytest.fixture(scope="module")
def arena() -> Iterator[Arena]:
    opened = Arena()
    yield opened
    opened.close()


def run(arena: Arena, kind: str, case: dict[str, Any]) -> dict[str, Any]:
    """Run a case, and hold it to what is never allowed."""
    told = arena.run(kind, case)
    assert told["ended"] == "answered", told
    assert not any(outcome.startswith("exception:") for outcome in told["outcomes"]), told
    limits = {"rss_mb": 128, "wall_ms": 1000, **case.get("limits", {})}
    assert told["grown"] <= limits["rss_mb"], told["grown"]
    for forbidden in [CANARY, *case.get("forbid", ())]:
        assert forbidden not in told["log"]
        assert forbidden not in told["text"]
    return told


def is_accepted(told: dict[str, Any], accept: list[str]) -> bool:
    """One of several outcomes is enough where a value was read before the pack was refused; else all must be right."""
    fits = [outcome in accept for outcome in told["outcomes"]]
    return any(fits) if told.get("lenient") else bool(fits) and all(fits)


@pytest.mark.parametrize("case", PACKS, ids=name_of)
def test_a_hostile_pack_ends_as_it_must(arena: Arena, case: dict[str, Any]) -> None:
    told = run(arena, case["kind"], case)
    if case["id"] in DEVIATIONS:
        assert told["outcomes"] == ["render-ok"]
        return
    assert is_accepted(told, case["accept"]), told["outcomes"]
    assert told.get("equal", True), told["text"]
    if told["outcomes"] == ["schema-ok-fast"]:
        assert told["seconds"] < FAST_SECONDS


@pytest.mark.parametrize("case", TEMPLATES, ids=name_of)
def test_a_hostile_template_ends_as_it_must(arena: Arena, case: dict[str, Any]) -> None:
    told = run(arena, "text", case)
    if case["id"] in DEVIATIONS:
        assert told["outcomes"] == ["render-ok"]
        return
    assert is_accepted(told, case["accept"]), told["outcomes"]
    assert told.get("equal", True), told["text"]


@pytest.mark.parametrize("case", CONTEXTS, ids=name_of)
def test_a_hostile_value_stays_a_value(arena: Arena, case: dict[str, Any]) -> None:
    told = run(arena, "context", case)
    for wanted in case["must"]:
        if wanted.startswith("reject:"):
            kind = wanted.removeprefix("reject:")
            assert told["outcomes"] in ([f"context-error:context.{kind}"], [f"context-error:{kind}"]), told
        elif wanted == "not_logged":
            assert case["value"] not in told["log"]
        elif wanted not in ("no_eval", "no_crash", "bounded"):  # held by `run`: forbidden texts, its end, its limits
            assert wanted in told.get("facts", ()), (wanted, told)


@pytest.mark.parametrize("case", REPLIES, ids=name_of)
def test_a_hostile_reply_is_read_or_refused_as_it_must(arena: Arena, case: dict[str, Any]) -> None:
    told = run(arena, "reply", case)
    assert is_accepted(told, case["accept"]), told
    assert told["equal"]
    assert told["violations"] <= 100


def test_all_vectors_are_there() -> None:
    assert [len(found) for found in (PACKS, TEMPLATES, CONTEXTS, REPLIES)] == [88, 52, 30, 39]


def test_a_deviation_names_a_case_that_there_is() -> None:
    assert set(DEVIATIONS) <= {case["id"] for case in PACKS}


@pytest.mark.parametrize("case", cases.fan_outs(), ids=name_of)
def test_partials_that_multiply_cost_no_more_than_their_text(arena: Arena, case: dict[str, Any]) -> None:
    told = run(arena, "fan-out", case)
    accept = [f"{case['entry']}-ok", *(["render-error:limit.steps"] if case["reached"] else [])]
    assert is_accepted(told, accept), told
