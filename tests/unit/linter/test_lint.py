from pathlib import Path

import pytest

from promptpack.linter import lint_text
from promptpack.linter.fixes import apply_fixes
from promptpack.linter.lint_paths import lint
from promptpack.linter.lint_settings import LintSettings
from promptpack.problem import UsageError

PACK = """\
promptpack: 1
name: greeter
version: 1.0.0
inputs:
  NAME: {type: string, description: Who is greeted.}
messages:
  - {role: user, content: "Greet {{ NAME }}."}
"""


@pytest.fixture
def packs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "packs" / "greeter").mkdir(parents=True)
    (tmp_path / "packs" / "greeter" / "1.0.0.yaml").write_text(PACK, encoding="utf-8")
    return tmp_path / "packs"


def problems_in(path: str, text: str) -> list[str]:
    return [str(problem) for problem in lint_text(path, text, LintSettings()).problems]


def test_unsaved_text_is_linted_in_place_of_the_file(packs: Path) -> None:
    path = "packs/greeter/1.0.0.yaml"
    assert problems_in(path, PACK) == []
    assert problems_in(path, PACK.replace("{{ NAME", "{{ NAEM"))[-1].startswith("packs/greeter/1.0.0.yaml:7:37: PP301 ")
    assert lint(["packs"]).problems == ()
    assert problems_in(str(packs / "greeter" / "1.0.0.yaml"), PACK + "x: 1\n")[0].startswith(
        f"{packs}/greeter/1.0.0.yaml:8:1: PP202 unknown key 'x'"
    )


def test_unsaved_text_of_a_new_file_is_linted_together_with_the_library(packs: Path) -> None:
    assert problems_in("packs/greeter/1.1.0.yaml", PACK.replace("1.0.0", "1.1.0")) == []
    (found,) = problems_in("packs/greeter/1.1.0.yaml", PACK)
    assert "PP705 greeter@1.0.0 is also in packs/greeter/1.0.0.yaml" in found
    assert not (packs / "greeter" / "1.1.0.yaml").exists()


def test_a_folder_of_one_pack_is_linted_together_with_the_library(packs: Path) -> None:
    (packs / "polite").mkdir()
    child = 'promptpack: 1\nname: polite\nversion: 1.0.0\nextends: greeter@^1\nmessages: [{role: assistant, content: "Please."}]\n'
    (packs / "polite" / "1.0.0.yaml").write_text(child, encoding="utf-8")
    report = lint(["packs/polite"], LintSettings())
    assert (report.files, report.problems) == (("packs/polite/1.0.0.yaml",), ())
    assert lint(["packs/polite/1.0.0.yaml", "packs"], LintSettings()).files == (
        "packs/greeter/1.0.0.yaml",
        "packs/polite/1.0.0.yaml",
    )


def test_one_path_needs_no_list(packs: Path) -> None:
    expected = lint([str(packs)], LintSettings())
    assert lint(str(packs), LintSettings()) == lint(packs, LintSettings()) == expected  # type: ignore[arg-type]


def test_a_changed_partial_lints_the_packs_that_may_use_it(packs: Path) -> None:
    (packs / "_partials").mkdir()
    (packs / "_partials" / "tone.j2").write_text("Be {{ NICE }}.\n", encoding="utf-8")
    path = packs / "greeter" / "1.0.0.yaml"
    path.write_text(PACK.replace("Greet", "{% include 'tone' %} Greet"), encoding="utf-8")
    (problem,) = lint(["packs/_partials/tone.j2"], LintSettings()).problems
    assert str(problem).startswith("packs/_partials/tone.j2:1:7: PP301 template uses undeclared input 'NICE'")


def test_a_changed_schema_lints_the_packs_that_may_refer_to_it(packs: Path) -> None:
    path = packs / "greeter" / "1.0.0.yaml"
    path.write_text(PACK.replace("{type: string, ", "{$ref: name.json, "), encoding="utf-8")
    (packs / "greeter" / "name.json").write_text('{"type": "string", "minimum": 1}', encoding="utf-8")
    (problem,) = lint(["packs/greeter/name.json"], LintSettings()).problems
    assert str(problem).startswith("packs/greeter/name.json:1:20: PL018 'minimum' has no effect with type string")


def test_a_file_that_is_not_a_pack_is_rejected(packs: Path) -> None:
    (packs / "notes.txt").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match=r"PP706 'packs/notes.txt' is not a pack file\n  hint: packs are .yaml files"):
        lint(["packs/notes.txt"])


@pytest.mark.usefixtures("packs")
def test_rules_are_checked_even_if_a_pack_has_other_problems() -> None:
    text = PACK.replace("description: Who is greeted.", "minLength: 1").replace("Greet", "{{ WHAT_ELSE }}")
    assert [line.split()[1] for line in problems_in("packs/greeter/1.0.0.yaml", text)] == ["PL002", "PP301"]


@pytest.mark.usefixtures("packs")
@pytest.mark.parametrize(
    "deep", ["[" * 300 + "]" * 300, "+".join(["1"] * 300), "1" + "|abs" * 300, "not " * 300 + "1", "NAME" + ".y" * 300]
)
def test_a_template_that_nests_too_deeply_is_reported_and_not_checked(deep: str) -> None:
    (found,) = problems_in("packs/greeter/1.0.0.yaml", PACK.replace("Greet", "{{ " + deep + " }}"))
    assert found.startswith("packs/greeter/1.0.0.yaml:7:")
    assert " PP309 template is nested " in found


@pytest.mark.usefixtures("packs")
def test_one_mistake_is_reported_once() -> None:
    path = "packs/greeter/1.0.0.yaml"
    misspelled, unparsable = PACK.replace("{{ NAME", "{{ NAEM"), PACK.replace("{{ NAME }}", "{{ NAME | }}")
    assert [line.split()[1] for line in problems_in(path, misspelled)] == ["PP301"]
    assert [line.split()[1] for line in problems_in(path, unparsable)] == ["PP302"]
    broken_partial = PACK + "partials: {tone: '{{ NAME | }}'}\n"
    assert [
        line.split()[1] for line in problems_in(path, broken_partial.replace("{{ NAME }}.", "{% include 'tone' %}"))
    ] == ["PP302"]


def test_an_ignore_in_a_shared_partial_is_unused_when_no_pack_needs_it(packs: Path) -> None:
    (packs / "_partials").mkdir()
    partial = packs / "_partials" / "tone.j2"
    partial.write_text(
        "{# promptpack: ignore=PL003 intended #}\r\n{{ NAME }} {# promptpack: ignore=PL004 #}!\n", newline=""
    )
    pack = PACK.replace("Greet", "{% include 'tone' %} Greet").replace("description", "trust: untrusted, description")
    (packs / "greeter" / "1.0.0.yaml").write_text(pack, encoding="utf-8")
    first, second = lint(["packs"], LintSettings(), cache=False).problems
    assert str(first) == (
        "packs/_partials/tone.j2:1:23: PL020 unused ignore: there is no PL003 problem on the next line\n  hint: remove it"
    )
    assert str(second).startswith(
        "packs/_partials/tone.j2:2:34: PL020 unused ignore: there is no PL004 problem on this line"
    )
    loud = pack.replace("role: user", "role: system").replace("Greet {{ NAME }}", "Greet")
    (packs / "greeter" / "1.0.0.yaml").write_text(loud, encoding="utf-8")
    report = lint(["packs"], LintSettings(), cache=False)
    assert [problem.location for problem in report.problems] == [second.location]
    assert apply_fixes(report) == 1
    assert partial.read_bytes() == b"{# promptpack: ignore=PL003 intended #}\r\n{{ NAME }} !\n"
    assert lint(["packs"], LintSettings(), cache=False).problems == ()


def test_problems_of_a_flow_can_be_ignored(packs: Path) -> None:
    flow = packs / "flow.yaml"
    step = "flow: 1\nsteps:\n  greeter: {pack: greeter@^2, inputs: {NAME: given}}"
    flow.write_text(step, encoding="utf-8")
    assert [problem.code for problem in lint(["packs"], LintSettings()).problems] == ["PP712"]
    flow.write_text(f"{step}  # promptpack: ignore=PP712 it comes with the next release\n", encoding="utf-8")
    assert lint(["packs"], LintSettings()).problems == ()
    flow.write_text(f"{step.replace('@^2', '@^1')}  # promptpack: ignore=PP712, PP711\n", encoding="utf-8")
    assert [str(problem) for problem in lint(["packs"], LintSettings()).problems] == [
        "packs/flow.yaml:3:76: PL020 unused ignore: there is no PP712 problem on this line\n  hint: remove it",
        "packs/flow.yaml:3:83: PL020 'PP711' is not a lint rule\n"
        "  hint: errors of the pack itself cannot be ignored; fix the pack",
    ]


INVALID = """\
promptpack: 1
name: greeter
version: 1.0.0
colour: red
inputs:
  NAME: {type: strin, description: Who is greeted.}
  TONE: {type: string, minLenght: 3, trust: untrusted}
messages:
  - {role: sytem, content: "{{ NAME }}"}
  - {role: system, content: "{{ TONE }} {{ UNKNOWN }}", colour: 1}
  - {content: "{{ LOST }}"}
  - role: user
    content: "{{ NAME | nofilter }}"
reply: {actions: {GREET: {params: {type: strng}}}}
tests:
  - {nam: first, context: {NAME: Ann}}
  - {name: second, context: {WHO: Ann}, expect: {contains: [Ann]}}
"""


@pytest.mark.usefixtures("packs")
def test_an_invalid_pack_gets_the_problems_of_every_stage_in_one_run() -> None:
    assert [line.split("\n")[0].removeprefix("packs/greeter/1.0.0.yaml:") for line in problems_in("packs/greeter/1.0.0.yaml", INVALID)] == [
        "4:1: PP202 unknown key 'colour'",
        "6:16: PP205 'strin' is not one of 'string', 'number', 'integer', 'boolean', 'object', 'array', 'null' (in /inputs/NAME/type)",
        "7:24: PP202 unknown key 'minLenght' (in /inputs/TONE)",
        "9:12: PP205 'sytem' is not one of 'system', 'developer', 'user', 'assistant', 'tool' (in /messages/0/role)",
        "10:44: PP301 template uses undeclared input 'UNKNOWN'",
        "10:57: PP202 unknown key 'colour' (in /messages/1)",
        "11:5: PP203 'role' is missing (in /messages/2)",
        "13:25: PP303 unknown filter 'nofilter'",
        "14:42: PP205 'strng' is not one of 'string', 'number', 'integer', 'boolean', 'object', 'array', 'null' (in /reply/actions/GREET/params/type)",
        "16:6: PP202 unknown key 'nam' (in /tests/0)",
        "17:30: PP208 the pack has no input 'WHO'",
    ]  # fmt: skip


@pytest.mark.usefixtures("packs")
@pytest.mark.parametrize("key", ["inputs", "messages", "tests"])
def test_problems_under_a_misspelled_key_are_reported_too(key: str) -> None:
    right, wrong = problems_in("packs/greeter/1.0.0.yaml", INVALID), INVALID.replace(f"{key}:", f"{key[:-1]}:")
    (line,) = (number for number, text in enumerate(wrong.split("\n"), 1) if text == f"{key[:-1]}:")
    misspelled = f"packs/greeter/1.0.0.yaml:{line}:1: PP202 unknown key {key[:-1]!r}\n  hint: did you mean {key!r}?"
    assert sorted(problems_in("packs/greeter/1.0.0.yaml", wrong)) == sorted([*right, misspelled])


@pytest.mark.usefixtures("packs")
@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("inputs:", "input:", "PP202"),
        ("inputs:\n  NAME: {type: string, description: Who is greeted.}", "inputs: [NAME]", "PP204"),
        ("version: 1.0.0", "version: 1.0.0\nextends: 5", "PP204"),
        ("version: 1.0.0", "version: 1.0.0\nsyntax: mustache", "PP205"),
    ],
)
def test_names_lost_with_an_invalid_section_are_not_reported_as_undeclared(old: str, new: str, code: str) -> None:
    assert {line.split()[1] for line in problems_in("packs/greeter/1.0.0.yaml", PACK.replace(old, new))} == {code}


def test_two_packs_of_the_same_name_are_still_checked(packs: Path) -> None:
    (packs / "twin.yaml").write_text(PACK.replace("{{ NAME", "{{ NAEM"), encoding="utf-8")
    assert [str(problem).split()[1] for problem in lint(["packs"], LintSettings()).problems] == [
        "PP705",
        "PP705",
        "PP301",
    ]
