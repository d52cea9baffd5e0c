"""Adding a test to a pack file."""

from pathlib import Path

import pytest

from promptpack import document
from promptpack.cli.saved_tests import add_test

ROOT = Path(__file__).resolve().parents[3]
TEST = {
    "name": "ein Test: 测试",
    "context": {"GOAL": "a\n  b \nc", "LIST": [1, True, None, "yes", "1.0"]},
    "reply": '```json\n{"a": "x\\ty"}\n```\n',
    "verdict": {"violations": [{"code": "PP510", "path": "/a"}]},
}


@pytest.mark.parametrize("path", sorted((ROOT / "packs").glob("*/*.yaml")), ids=lambda path: path.stem)
def test_a_test_is_added_and_every_other_line_stays(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    added = add_test(text, "x.yaml", TEST)
    assert added is not None
    before, after = text.splitlines(), iter(added.splitlines())
    assert all(line in after for line in before)
    assert document.parse(added, "x.yaml").data["tests"][-1] == TEST


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1", "a: 1\ntests:\n  - name: t\n"),
        ("tests:\n- name: s\n# end\nb: 2\n", "tests:\n- name: s\n- name: t\n# end\nb: 2\n"),
        ("tests: # all\n    - name: s", "tests: # all\n    - name: s\n    - name: t\n"),
        ("tests: [{name: s}]\n", None),
        ("{tests: [{name: s}]}\n", None),
    ],
)
def test_the_layout_of_the_file_stays(text: str, expected: str | None) -> None:
    assert add_test(text, "x.yaml", {"name": "t"}) == expected
