"""The targets that are fuzzed hold on everything that fuzzing starts from, and on what it has found."""

import pytest

from tests.fuzz.targets import TARGETS, seeds


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_holds_on_its_seeds(target: str) -> None:
    given = list(seeds(target))
    assert given
    for seed in given:
        TARGETS[target](seed)
