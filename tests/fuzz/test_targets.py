"""The fuzzing targets pass on all seeds and on the inputs that fuzzing has found."""

import pytest

from tests.fuzz.targets import TARGETS, seeds


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_passes_on_its_seeds(target: str) -> None:
    given = list(seeds(target))
    assert given
    for seed in given:
        TARGETS[target](seed)


@pytest.mark.parametrize(
    ("target", "found"),
    [
        # digits of another script in a number
        ("expression", "0.0~0.0\u06600.0".encode()),
        ("template", "j{{ 0.0\u0660 }}".encode()),
        # text that is not a member, directly after an opening brace and `...`
        ("reply", b'{"action": "x", "params": {...\x00\x00removal\'s sign-off.", \n{'),
        # half of a surrogate pair in a key that a correction names
        ("reply", b'{"\\ud800nswer":"closed'),
        # an object inside text that cannot be read
        ("reply", b'{"a": {"b": [\n string ({"answer":"hi"}) "x"]}, "risk": {\n None"level": "low"\n}, "c": 1\n}'),
    ],
)
def test_a_target_passes_on_inputs_that_fuzzing_found(target: str, found: bytes) -> None:
    TARGETS[target](found)
