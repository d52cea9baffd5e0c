"""Fixing a file removes the reported text and not a byte more, in any layout; no quick fix breaks a file."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from promptpack import document
from promptpack.document.edits import apply_edits
from promptpack.editor import Workspace
from promptpack.linter.fixes import apply_fixes
from promptpack.linter.lint_paths import lint
from promptpack.linter.lint_settings import LintSettings
from promptpack.problem import PackError

# Text that is fixed (each with the result), and text that must not change.
FIXABLE = [
    ("  A: {type: string, minimum: 1, description: a}\n", "  A: {type: string, description: a}\n"),
    ("  A: {minimum: 1, type: string, description: a}  # why\n", "  A: {type: string, description: a}  # why\n"),
    ("  A: {description: a, type: string, minItems: 2}\n", "  A: {description: a, type: string}\n"),
    ("  A: {type: string,\n    minItems: 2,\n    description: a}\n", "  A: {type: string,\n    description: a}\n"),
    ("  A:\n    type: string\n    minItems: 2\n    description: a\n", "  A:\n    type: string\n    description: a\n"),
    ("  A:\n    # one\n    minItems: 2\n    # two\n    type: string\n    description: a\n", "  A:\n    # one\n    # two\n    type: string\n    description: a\n"),
    ("  A: {type: string, description: a}  # promptpack: ignore=PL002\n", "  A: {type: string, description: a}\n"),
    ("  # promptpack: ignore=PL001\n  A: {type: string, description: a}\n", "  A: {type: string, description: a}\n"),
    ("  A: {type: string, description: 'a  # b'}\t# promptpack: ignore=PL002, PL004\n", "  A: {type: string, description: 'a  # b'}\n"),
]  # fmt: skip
UNCHANGED = [
    "  B: {type: string,\n      minItems: 2,  # a comment inside\n      description: b}\n",
    "  B: {type: string, minItems: &two 2, description: b, x-two: *two}\n",
    "  B: &b\n    type: string\n    description: b # tab\there\n",
    "  B: {type: string, description: \"b\\t\\u00e9 你好\"}   \n",
    "  B: {type: string, minItems:\n    2, description: b}\n",
]  # fmt: skip
TAILS = [
    "messages:\n  - role: user\n    content: |\n      {{ A }}  \n\n      {{ B }}\n",
    "messages: [{role: user, content: '{{ A }}{{ B }}'}] # the end",
    "messages:\n- role: user\n  content: >-\n    {{ A }}\n    {# promptpack: ignore=PL003 #} {{ B }}\n\n\n",
]
Layout = Callable[[str], bytes]
LAYOUTS: dict[str, Layout] = {
    "unchanged": lambda text: text.encode(),
    "with CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "with a byte order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "with both": lambda text: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(),
}


def fix_all(file: Path) -> None:
    """Fix as the command does: one fix may reveal the next problem."""
    while (report := lint([str(file)], LintSettings(), cache=False)).safe_fixes:
        assert apply_fixes(report) == 1


@pytest.mark.parametrize("layout", LAYOUTS)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    fixable=st.sampled_from(FIXABLE),
    unchanged=st.sampled_from(UNCHANGED),
    tail=st.sampled_from(TAILS),
    first=st.booleans(),
)
def test_fixing_removes_the_reported_text_and_nothing_else(
    layout: str, fixable: tuple[str, str], unchanged: str, tail: str, first: bool, tmp_path: Path
) -> None:
    def written(piece: str) -> bytes:
        inputs = piece + unchanged if first else unchanged + piece
        return LAYOUTS[layout](f"# top\npromptpack: 1\nname: p\nversion: 1.0.0\ninputs:\n{inputs}{tail}")

    file = tmp_path / "p.yaml"
    file.write_bytes(written(fixable[0]))
    fix_all(file)
    assert file.read_bytes() == written(fixable[1])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    comment=st.text(st.characters(exclude_categories=("C", "Z"), exclude_characters="\ufeff"), max_size=20),
    blank=st.sampled_from(["", "\n", "  \n", "  # tab\there\n", "    # deep\n"]),
    ending=st.sampled_from(["", "\n", "\n\n", "\n# last"]),
)
def test_any_text_around_a_fix_is_preserved(comment: str, blank: str, ending: str, tmp_path: Path) -> None:
    def written(piece: str) -> str:
        return (
            f"promptpack: 1\nname: p\nversion: 1.0.0\ninputs: # {comment}\n{blank}"
            f"  A: {{type: string, {piece}description: a}} # {comment}\nmessages: [{{role: user, content: '{{{{ A }}}}'}}]{ending}"
        )

    file = tmp_path / "p.yaml"
    file.write_text(written("minItems: 3, "), encoding="utf-8", newline="")
    before = yaml.safe_load(file.read_text(encoding="utf-8"))
    report = lint([str(file)], LintSettings(select=("PL018",)), cache=False)
    assert apply_fixes(report) == 1
    assert file.read_text(encoding="utf-8") == written("")
    del before["inputs"]["A"]["minItems"]
    assert yaml.safe_load(file.read_text(encoding="utf-8")) == before


PACK = """\
promptpack: 1
name: p
version: 1.0.0
inputs:
  A: {type: string, description: the first}
  B:
    type: string
    enum: [red, "green"]
    description: |
      the second

  C: {
    type: string
  }
messages:
  - {role: system, content: "Be {{ A }}. {% if B %}b{% endif %}"}
  - role: user
    when: B == 'red'
    content: |
      {% if A == "x" %}
      {{ A | upper }} {{ C }}
      {% endif %}

tests:
  - name: one
    context: {A: x, B: red, C: c}
    expect: {contains: [X]}
"""
ADDED = ["", "X", "s", "{", "}}", "%}", "'", '"', "=", "\n", " ", ": ", "- ", "yes", "&a ", "# "]


def is_readable(text: str) -> bool:
    try:
        document.parse(text)
    except PackError:
        return False
    return True


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(0, len(PACK)), removed=st.integers(0, 12), added=st.sampled_from(ADDED))
def test_no_quick_fix_makes_a_readable_file_unreadable(at: int, removed: int, added: str, tmp_path: Path) -> None:
    text = PACK[:at] + added + PACK[at + removed :]
    for _, fix in Workspace().find_fixes(str(tmp_path / "p.yaml"), text, range(1, 100)):
        fixed = apply_edits(text, fix.edits)
        assert fixed != text
        assert is_readable(fixed) or not is_readable(text), fix
