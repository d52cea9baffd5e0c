"""Every quick fix: its title, the text after it, and that the problem is gone."""

from pathlib import Path

import pytest

from promptpack.document.edits import apply_edits
from promptpack.editor import Workspace
from promptpack.linter.lint_paths import lint, lint_text
from promptpack.linter.lint_report import Fix, LintReport
from promptpack.linter.lint_settings import LintSettings
from promptpack.linter.quick_fixes import find_fixes
from promptpack.problem import Location, Problem

PACK = """\
promptpack: 1
name: greeter
version: 1.0.0
description: Greets people.
inputs:
  NAME: {type: string, description: Who is greeted}
  MOOD:
    type: string
    enum: [happy, sad]
    description: |
      The mood.

      In one word.
messages:
  - role: system
    when: MOOD == 'happy'
    content: Be kind.
  - role: user
    content: |
      {% if MOOD == "sad" %}
      Cheer up {{ NAME | upper }}.
      {% endif %}

tests:
  - name: greets
    context: {NAME: Ada, MOOD: sad}
    expect: {contains: [ADA]}
"""


def report_of(text: str, tmp_path: Path) -> LintReport:
    return lint_text(str(tmp_path / "greeter" / "1.0.0.yaml"), text, LintSettings())


def fixes_of(text: str, tmp_path: Path) -> dict[str, tuple[Problem, Fix]]:
    found = Workspace().find_fixes(str(tmp_path / "greeter" / "1.0.0.yaml"), text, range(1, 100))
    return {fix.title: (problem, fix) for problem, fix in found}


def fixed(text: str, title: str, tmp_path: Path) -> str:
    """Return the text after the fix with a title; its problem must be gone."""
    problem, fix = fixes_of(text, tmp_path)[title]
    assert not fix.is_safe
    after = apply_edits(text, fix.edits)
    assert (problem.code, problem.message) not in [
        (one.code, one.message) for one in report_of(after, tmp_path).problems
    ]
    return after


def test_the_pack_is_clean(tmp_path: Path) -> None:
    assert report_of(PACK, tmp_path) == LintReport((str(tmp_path / "greeter" / "1.0.0.yaml"),))


@pytest.mark.parametrize(
    ("right", "wrong", "title"),
    [
        ("{{ NAME", "{{ NAEM", "replace 'NAEM' with 'NAME'"),
        ("| upper", "| uper", "replace 'uper' with 'upper'"),
        ("messages:", "mesages:", "replace 'mesages' with 'messages'"),
        ("description: Who", "descripton: Who", "replace 'descripton' with 'description'"),
        ("'happy'", "'hapy'", "replace 'hapy' with 'happy'"),
        ('"sad"', '"sda"', "replace 'sda' with 'sad'"),
        ("MOOD == 'happy'", "MOOD = 'happy'", "replace '=' with '=='"),
        ('MOOD == "sad" and NAME', 'MOOD == "sad" && NAME', "replace '&&' with 'and'"),
        ("{% endif %}", "{% endfor %}", "replace 'endfor' with 'endif'"),
        ("{{ NAME | upper }}", "{{ NAME | upper %}", "replace '%}' with '}}'"),
        ("{{ NAME | upper }}", "{{ NAME | upper }", "replace '}' with '}}'"),
        ("Be kind to {{ NAME }}.", "Be kind to {NAME}.", "replace '{NAME}' with '{{ NAME }}'"),
        ("MOOD == 'happy'", "MOOD == happy", "quote happy"),
        ("{% endif %}", "", "close it with '{% endif %}'"),
        ("{{ NAME | upper }}", "{{ NAME | upper", "close it with '}}'"),
        ("{{ NAME | upper }}", "{{ (NAME | upper }}", "close it with ')'"),
        ('description: "Greets: people."', "description: Greets: people.", "write 'description: \"Greets: people.\"'"),
        ('description: "Greets #1."', "description: Greets #1.", "put the whole value in quotes"),
        ('description: "Greets."', "description: “Greets.”", "use straight quotes"),
        ('NAME: "yes", ', "NAME: yes, ", "quote yes"),
    ],
)
def test_a_quick_fix_corrects_the_word(right: str, wrong: str, title: str, tmp_path: Path) -> None:
    pack = PACK
    for plain, special in (
        ("Be kind.", "Be kind to {{ NAME }}."),
        ('MOOD == "sad"', 'MOOD == "sad" and NAME'),
        ("NAME: Ada, ", 'NAME: "yes", '),
    ):
        pack = pack.replace(plain, special) if right == special else pack
    if "Greets" in right:
        pack = pack.replace("description: Greets people.", right)
    assert right in pack
    after = fixed(pack.replace(right, wrong, 1), title, tmp_path)
    assert after.split() == pack.replace("(NAME | upper)", "NAME").split() or "(NAME | upper)" in after


def test_an_undeclared_input_is_declared(tmp_path: Path) -> None:
    text = PACK.replace("{{ NAME", "{{ TOPIC }} {{ NAME")
    after = fixed(text, "declare the input 'TOPIC'", tmp_path)
    assert "inputs:\n  TOPIC: {type: string}\n  NAME: {" in after


def test_an_input_is_declared_in_braces_and_without_inputs(tmp_path: Path) -> None:
    head = "promptpack: 1\nname: greeter\nversion: 1.0.0\n"
    messages = "messages:\n  - {role: user, content: 'Hi {{ A }}{{ TOPIC }}'}\n"
    text = f"{head}inputs: {{A: {{type: string}}}}\n{messages}"
    assert "inputs: {TOPIC: {type: string}, A: {" in fixed(text, "declare the input 'TOPIC'", tmp_path)
    after = fixed(head + messages, "declare the input 'TOPIC'", tmp_path)
    assert after == f"{head}inputs:\n  TOPIC: {{type: string}}\n{messages}"


def test_an_unused_input_is_removed_with_its_values_in_tests(tmp_path: Path) -> None:
    text = PACK.replace("    when: MOOD == 'happy'\n", "").replace('MOOD == "sad"', "NAME")
    after = fixed(text, "remove the input 'MOOD'", tmp_path)
    assert "inputs:\n  NAME: {type: string, description: Who is greeted}\nmessages:" in after
    assert "context: {NAME: Ada}" in after


def test_a_block_tag_inside_a_line_is_closed_in_that_line(tmp_path: Path) -> None:
    text = PACK.replace("Be kind.", "Be kind{% if NAME %} to {{ NAME }}")
    after = fixed(text, "close it with '{% endif %}'", tmp_path)
    assert "    content: Be kind{% if NAME %} to {{ NAME }}{% endif %}\n" in after


@pytest.mark.parametrize("indent", ["  ", "    "])
def test_a_key_that_a_locale_lacks_is_copied(indent: str, tmp_path: Path) -> None:
    folder = tmp_path / "greeter"
    folder.mkdir()
    path = folder / "1.0.0.en.yaml"
    mood = PACK[PACK.index("  MOOD:") : PACK.index("messages:")]
    default = (
        PACK.replace("    when: MOOD == 'happy'\n", "").replace('MOOD == "sad"', "NAME").replace(", MOOD: sad", "")
    )
    (folder / "1.0.0.yaml").write_text(default, encoding="utf-8")
    variant = (
        default.replace(mood, "")
        .replace("  NAME: {t", f"{indent}NAME: {{t")
        .replace("name: g", "locale: en\nname: g", 1)
    )
    path.write_text(variant, encoding="utf-8")
    report = lint([str(folder)], LintSettings(), select=["PL012"], cache=False)
    (fix,) = (fix for fixes in report.fixes.values() for fix in fixes if fix.title.startswith("copy the input 'MOOD'"))
    path.write_text(apply_edits(variant, fix.edits), encoding="utf-8")
    assert lint([str(folder)], LintSettings(), select=["PL012"], cache=False).problems == ()


def test_quick_fixes_are_not_applied_by_fix(tmp_path: Path) -> None:
    text = PACK.replace("{{ NAME", "{{ NAEM")
    assert "replace 'NAEM' with 'NAME'" in fixes_of(text, tmp_path)
    assert report_of(text, tmp_path).safe_fixes == {}


@pytest.mark.parametrize(("comment", "count"), [("", 100), ("#" * 1_000_000, 1)])
def test_only_the_first_problems_of_a_long_file_have_fixes(comment: str, count: int) -> None:
    problems = [Problem("PP115", "x", Location("x", line, 1)) for line in range(1, 101)]
    assert len(list(find_fixes(problems, "yes\n" * 100 + comment, None))) == count
