from collections.abc import Callable

import pytest

PACK = "messages:\n  - {{role: user, content: hi}}\ninputs:\n  A: {{type: string, pattern: '{}'}}\n"


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("(a*)*(?!b)", "PP215 pattern '(a*)*(?!b)' can take forever to match"),
        (
            "(a",
            "PP216 pattern '(a' is not a valid regular expression: missing ), unterminated subpattern at position 0",
        ),
    ],
)
def test_an_unsafe_or_invalid_pattern_is_reported(
    problems_of: Callable[[str], str], pattern: str, expected: str
) -> None:
    assert expected in problems_of(PACK.format(pattern))
