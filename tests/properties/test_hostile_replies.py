"""Hostile replies are refused in linear time."""

import json
from collections.abc import Callable
from cProfile import Profile
from pathlib import Path

import pytest

from promptpack import Pack
from promptpack.pack.contract import Contract
from promptpack.pack.version import Version
from tests.properties.hostile_texts import KINDS, hostile, scrambled

SCHEMA = json.loads(Path(__file__, "../../conformance/replies/contract.json").resolve().read_text("utf-8"))["router"]
PACK = Pack("router", Version(1, 0, 0), "contract.json", contract=Contract("router", SCHEMA))


def read(text: str) -> None:
    PACK.check(text)


def receive(text: str) -> None:
    stream = PACK.stream()
    for start in range(0, len(text), 16):
        stream.feed(text[start : start + 16])


def count_calls(work: Callable[[str], None], text: str) -> int:
    """Count the function calls for a text, including calls of compiled functions."""
    with Profile() as profile:
        work(text)
    return sum(entry.callcount for entry in profile.getstats())


@pytest.mark.parametrize("work", [read, receive])
@pytest.mark.parametrize("kind", KINDS)
def test_four_times_the_text_needs_at_most_five_times_the_calls(kind: str, work: Callable[[str], None]) -> None:
    work(hostile(kind, 500))  # imports and patterns of the first use do not count
    assert count_calls(work, hostile(kind, 4_000)) <= 5 * count_calls(work, hostile(kind, 1_000)) + 500


@pytest.mark.parametrize("kind", KINDS)
def test_a_hostile_reply_is_refused(kind: str) -> None:
    verdict = PACK.check(hostile(kind, 10_000))
    assert not verdict.ok
    assert verdict.violations


def test_all_kinds_in_turn_are_refused() -> None:
    assert not PACK.check(scrambled(50_000)).ok
