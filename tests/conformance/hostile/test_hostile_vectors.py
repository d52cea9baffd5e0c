"""Every hostile vector has an accepted outcome, in a separate process with limited memory and time."""

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
    """Run a case, and assert what holds for all cases: no crash, no leak, within the limits."""
    result = arena.run(kind, case)
    assert result["ended"] == "answered", result
    assert not any(outcome.startswith("exception:") for outcome in result["outcomes"]), result
    limits = {"rss_mb": 128, "wall_ms": 1000, **case.get("limits", {})}
    assert result["grown"] <= limits["rss_mb"], result["grown"]
    for forbidden in [CANARY, *case.get("forbid", ())]:
        assert forbidden not in result["log"]
        assert forbidden not in result["text"]
    return result


def is_accepted(result: dict[str, Any], accept: list[str]) -> bool:
    """Return whether all outcomes are accepted; one is enough if the value was read before the pack was refused."""
    accepted = [outcome in accept for outcome in result["outcomes"]]
    return any(accepted) if result.get("lenient") else bool(accepted) and all(accepted)


@pytest.mark.parametrize("case", PACKS, ids=name_of)
def test_a_hostile_pack_has_an_accepted_outcome(arena: Arena, case: dict[str, Any]) -> None:
    result = run(arena, case["kind"], case)
    if case["id"] in DEVIATIONS:
        assert result["outcomes"] == ["render-ok"]
        return
    assert is_accepted(result, case["accept"]), result["outcomes"]
    assert result.get("equal", True), result["text"]
    if result["outcomes"] == ["schema-ok-fast"]:
        assert result["seconds"] < FAST_SECONDS


@pytest.mark.parametrize("case", TEMPLATES, ids=name_of)
def test_a_hostile_template_has_an_accepted_outcome(arena: Arena, case: dict[str, Any]) -> None:
    result = run(arena, "text", case)
    if case["id"] in DEVIATIONS:
        assert result["outcomes"] == ["render-ok"]
        return
    assert is_accepted(result, case["accept"]), result["outcomes"]
    assert result.get("equal", True), result["text"]


@pytest.mark.parametrize("case", CONTEXTS, ids=name_of)
def test_a_hostile_value_stays_data(arena: Arena, case: dict[str, Any]) -> None:
    result = run(arena, "context", case)
    for wanted in case["must"]:
        if wanted.startswith("reject:"):
            kind = wanted.removeprefix("reject:")
            assert result["outcomes"] in ([f"context-error:context.{kind}"], [f"context-error:{kind}"]), result
        elif wanted == "not_logged":
            assert case["value"] not in result["log"]
        elif wanted not in ("no_eval", "no_crash", "bounded"):  # asserted by `run`
            assert wanted in result.get("facts", ()), (wanted, result)


@pytest.mark.parametrize("case", REPLIES, ids=name_of)
def test_a_hostile_reply_has_an_accepted_outcome(arena: Arena, case: dict[str, Any]) -> None:
    result = run(arena, "reply", case)
    assert is_accepted(result, case["accept"]), result
    assert result["equal"]
    assert result["violations"] <= 100


def test_no_vector_is_missing() -> None:
    assert [len(found) for found in (PACKS, TEMPLATES, CONTEXTS, REPLIES)] == [88, 52, 30, 39]


def test_every_deviation_names_an_existing_case() -> None:
    assert set(DEVIATIONS) <= {case["id"] for case in PACKS}


@pytest.mark.parametrize("case", cases.fan_outs(), ids=name_of)
def test_partials_that_multiply_cost_no_more_than_their_text(arena: Arena, case: dict[str, Any]) -> None:
    result = run(arena, "fan-out", case)
    accept = [f"{case['entry']}-ok", *(["render-error:limit.steps"] if case["reached"] else [])]
    assert is_accepted(result, accept), result


@pytest.mark.parametrize("case", cases.works(), ids=name_of)
def test_a_pack_that_multiplies_work_is_analysed_within_the_limits(arena: Arena, case: dict[str, Any]) -> None:
    result = run(arena, "work", case)
    accept = case.get("accept", {}).get(case["entry"], [f"{case['entry']}-ok"])
    assert is_accepted(result, accept), result


@pytest.mark.parametrize("case", cases.schemas(), ids=name_of)
def test_a_schema_that_multiplies_work_stops_at_the_limits(arena: Arena, case: dict[str, Any]) -> None:
    result = run(arena, "schema-limit", case)
    refused = [name for name in case["accept"] if name.startswith("schema.")]
    expected = {"lint": ["lint-error" if refused else "lint-ok"], "reply": ["reply-ok"]}
    accept = expected.get(case["entry"], [f"get-error:{name}" for name in refused] or ["check-ok"])
    assert is_accepted(result, accept), result
    assert result.get("violations", 0) <= 200
