from collections.abc import Callable
from pathlib import Path

import pytest

from promptpack import Library

BODY = """\
inputs: {A: {type: string}}
messages: [{id: ask, role: user, content: "{{ A }}"}]
tests:
"""


@pytest.mark.parametrize(
    ("expect", "expected"),
    [
        ("{matches: ['a(']}", "7:51: PP216 pattern 'a(' is not a valid regular expression: missing ), unterminated subpattern at position 1\n  hint: write a regular expression that Python's 're' accepts"),
        (r"{matches: ['(?=(?:a?a?)*$)b']}", "7:51: PP215 pattern '(?=(?:a?a?)*$)b' can take forever to match\n  hint: remove back-references, and look-arounds next to nested repetitions"),
        ("{messages: {ask: {matches: ['a(']}}}", "7:68: PP216 "),
        ("{messages: {aks: {role: user}}}", "7:52: PP253 no message has the id 'aks'\n  hint: did you mean 'ask'?"),
        ("{messages: {zzz: {role: user}}}", "7:52: PP253 no message has the id 'zzz'\n  hint: the ids are ask, or use a position such as 0 or -1"),
        ("{expr: A ==}", "7:49: PP302"),
        ("{expr: [B == 1]}", "7:48: PP301 template uses undeclared input 'B'"),
        ("{expr: 'A.__class__'}", "7:50: PP308"),
    ],
)  # fmt: skip
def test_a_mistake_is_found_when_the_pack_is_loaded(
    write_pack: Callable[..., Path], open_packs: Callable[[], Library], expect: str, expected: str
) -> None:
    write_pack(body=BODY + f"  - {{name: t, context: {{A: x}}, expect: {expect}}}\n")
    (found,) = open_packs().problems
    assert str(found).removeprefix("packs/demo/1.0.0.yaml:").startswith(expected)


def test_the_patterns_of_all_tests_are_limited(
    write_pack: Callable[..., Path], open_packs: Callable[[], Library]
) -> None:
    patterns = ", ".join(f"x{number}{'y' * 900}" for number in range(60))
    write_pack(body=BODY + f"  - {{name: t, context: {{A: x}}, expect: {{matches: [{patterns}]}}}}\n")
    assert {problem.code for problem in open_packs().problems} == {"PP217"}
