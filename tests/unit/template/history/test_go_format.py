from functools import reduce

import pytest

from promptpack.template.history.go_format import format_float, format_value


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0.0, "0"),
        (-0.0, "-0"),
        (1.0, "1"),
        (-2.5, "-2.5"),
        (100000.0, "100000"),
        (999999.9, "999999.9"),
        (1e6, "1e+06"),
        (1234567.0, "1.234567e+06"),
        (1e21, "1e+21"),
        (1e100, "1e+100"),
        (0.1, "0.1"),
        (0.0001, "0.0001"),
        (0.00012345, "0.00012345"),
        (0.00001, "1e-05"),
        (1.5e-7, "1.5e-07"),
        (5e-324, "5e-324"),
        (120.5, "120.5"),
        (300.0, "300"),
        (0.30000000000000004, "0.30000000000000004"),
        (float("inf"), "+Inf"),
        (float("-inf"), "-Inf"),
        (float("nan"), "NaN"),
    ],
)
def test_a_float_prints_as_go_prints_it(number: float, expected: str) -> None:
    assert format_float(number) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "<nil>"),
        (True, "true"),
        (False, "false"),
        ("s p", "s p"),
        (1000000, "1000000"),
        ([], "[]"),
        ({}, "map[]"),
        ([1.0, "a", None, []], "[1 a <nil> []]"),
        ({"b": 1.0, "a": {"c": [1.0]}}, "map[a:map[c:[1]] b:1]"),
        ({"10": 1.0, "9": 2.0, "中": "", "Z": True}, "map[10:1 9:2 Z:true 中:]"),
    ],
)
def test_a_value_prints_as_go_prints_it(value: object, expected: str) -> None:
    assert format_value(value) == expected


def test_deep_nesting_does_not_overflow() -> None:
    nested = reduce(lambda inner, _: [inner], range(9_000), list[object]())
    assert format_value(nested) == "[" * 9_001 + "]" * 9_001
