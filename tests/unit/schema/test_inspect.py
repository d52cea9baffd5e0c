from collections.abc import Callable

import pytest

PACK = "messages:\n  - {{role: user, content: hi}}\ninputs:\n  A: {{type: string, pattern: '{}'}}\n"


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("(a*)*(?!b)", "PP215 pattern '(a*)*(?!b)' could take for ever on a text"),
        ("(a", "PP216 pattern '(a' cannot be read: missing ), unterminated subpattern at position 0"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_told(told: Callable[[str], str], pattern: str, expected: str) -> None:
    assert expected in told(PACK.format(pattern))
