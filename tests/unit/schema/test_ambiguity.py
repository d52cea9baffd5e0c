import pytest

from promptpack.schema.patterns import read_pattern


@pytest.mark.parametrize(
    "pattern",
    [
        r"^(a+)+$", r"(a*)*b", r"((a*)*)*c", r"(a|a)*$", r"(a|aa)+$", r"(a?b?)*$", r"(a*b*)*c", r"(a|b|ab)*c",
        r"^(\w+\s?)+$", r"^(.*,)*x$", r"^\s*(\S+\s*)*$", r"(x+x+)+y", r"^(\d+,?)*$", r"^(\w|\d)+$", r"([ab]|[bc])*x",
        r"(?#one|two)(a|[a|b])*$", r"[[a|b](a|a)*$", r"^(([a-z])+.)+[A-Z]([a-z])+$",
    ],
)  # fmt: skip
def test_a_repetition_that_matches_in_two_ways_is_ambiguous(pattern: str) -> None:
    assert read_pattern(pattern).find_growth([100_000]) == "exponential"


@pytest.mark.parametrize(
    "pattern",
    [
        r"^$", r"^\w+(\s\w+)*$", r"^[a-z0-9]+(-[a-z0-9]+)*$", r"^([^,]*,)*$", r"(foo|fob)*", r"(a?){30}a{30}",
        r"^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$", r"^(\d+(,|$))*", r"^(a|[b|c])*$", r"^[]|]+=[^]|]+$",
        r"^[\w.+-]+@[\w-]+(\.[\w-]+)+$", r"^(https?://)?([\w.-]+)(/[\w./-]*)?$", r"\b(\w+\b )*",
    ],
)  # fmt: skip
def test_common_patterns_are_linear(pattern: str) -> None:
    assert read_pattern(pattern).find_growth([100_000]) == "linear"


@pytest.mark.parametrize(
    "pattern",
    [r"^a*a*$", r"^\s*\w*\s*$", r"^\d+\d+$", r"^.*foo.*$", r"^[^@]+@[^@]+\.[^@]+$", r"^\w+\s?\w+$", r".*.*=.*"],
)
def test_two_repetitions_that_can_share_a_text_are_polynomial(pattern: str) -> None:
    assert read_pattern(pattern).find_growth([100_000]) == "polynomial"


@pytest.mark.parametrize("pattern", ["x{1,200}(a|b){200}", r"(?=a)b", "(?:" + "a?" * 50 + ")*"])
def test_the_growth_of_a_pattern_that_takes_long_to_analyse_is_unknown(pattern: str) -> None:
    assert read_pattern(pattern).find_growth([10_000]) == "unknown"
