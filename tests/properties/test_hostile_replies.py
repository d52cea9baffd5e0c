"""Hostile replies are refused with work that grows no faster than they do."""

import json
import sys
from pathlib import Path
from types import FrameType

import pytest

from promptpack import Pack
from promptpack.pack import Contract, Version
from tests.properties.hostile_texts import KINDS, hostile, scrambled

SCHEMA = json.loads(Path(__file__, "../../conformance/replies/contract.json").resolve().read_text("utf-8"))["router"]
PACK = Pack("router", Version(1, 0, 0), "contract.json", "", contract=Contract("router", SCHEMA))


def steps(text: str) -> int:
    """Count the calls that a verdict takes, those into compiled code included."""
    count = 0

    def tick(_: FrameType, event: str, __: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(tick)
    try:
        PACK.check(text)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("kind", KINDS)
def test_four_times_the_text_takes_at_most_five_times_the_steps(kind: str) -> None:
    assert steps(hostile(kind, 8_000)) <= 5 * steps(hostile(kind, 2_000)) + 1_000


@pytest.mark.parametrize("kind", KINDS)
def test_a_hostile_reply_is_refused(kind: str) -> None:
    verdict = PACK.check(hostile(kind, 10_000))
    assert not verdict.ok
    assert verdict.violations


def test_all_kinds_in_turn_are_refused() -> None:
    assert not PACK.check(scrambled(50_000)).ok
