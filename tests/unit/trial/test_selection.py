import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptpack import UsageError
from promptpack.trial.selection import read_selection


@pytest.mark.parametrize(
    ("expression", "matches"),
    [
        ("PLAN", True),
        ("route", False),
        ("plan and small", True),
        ("plan and not small", False),
        ("route or small", True),
        ("not (route or small)", False),
        ("not not small", True),
        ("route or plan and small", True),
        ("'a small goal'", True),
        ('"and"', False),
        ("@1.0.0", True),
    ],
)
def test_words_and_operators_choose_tests(expression: str, matches: bool) -> None:
    assert read_selection(expression)("planner@1.0.0 en plans a small goal") is matches


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("and", "a word is missing"),
        ("a and", "a word is missing"),
        ("(a", "a ')' is missing"),
        ("a b", "'b' is not expected here"),
        ("a)", "')' is not expected here"),
        ("'a", "a quote is not closed"),
        ("not " * 300 + "a", "more than 200 words"),
    ],
)
def test_an_invalid_expression_is_a_problem(expression: str, reason: str) -> None:
    with pytest.raises(UsageError) as raised:
        read_selection(expression)
    assert str(raised.value) == (
        f"PP916 invalid expression {expression[:60]!r} for -k: {reason}\n"
        "  hint: write words with 'and', 'or', 'not' and parentheses; quote a word with spaces"
    )


@given(
    st.lists(st.sampled_from(["a", "b", "and", "or", "not", "(", ")"]), max_size=9),
    st.sampled_from(["a", "b", "ab", ""]),
)
def test_an_expression_means_the_same_as_in_python(words: list[str], name: str) -> None:
    text = " ".join(words)
    try:
        expected = bool(eval(text, {}, {"a": "a" in name, "b": "b" in name}))  # noqa: S307 -- of known words
    except (SyntaxError, TypeError):
        return  # Python calls `a ( b )` a call
    assert text.strip() == "" or "( )" in text or _matches(text, name) is expected


def _matches(text: str, name: str) -> bool | None:
    try:
        return read_selection(text)(name)
    except UsageError:
        return None if "( )" in text else False
