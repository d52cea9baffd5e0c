"""The exact text of every report format, and SARIF against its schema."""

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import click
import pytest
from jsonschema import Draft202012Validator, FormatChecker

from promptpack.cli.reports import github, junit, plain_json, plain_text, sarif
from promptpack.document.edits import Edit
from promptpack.linter.lint_paths import lint
from promptpack.linter.lint_report import Fix, LintReport
from promptpack.linter.lint_settings import LintSettings
from promptpack.problem import Location, Problem, Severity

SCHEMA = json.loads((Path(__file__).parent / "sarif-2.1.0.json").read_text(encoding="utf-8"))
FORMATS = FormatChecker()


def problem(
    line: int = 1, column: int = 1, path: str = "a.yaml", message: str = "is wrong", severity: Severity = "error"
) -> Problem:
    return Problem("PL001", message, Location(path, line, column), "do this", severity)


def excerpt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, line: int, column: int) -> list[str]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_bytes(content)
    return click.unstyle(plain_text.write(LintReport(problems=(problem(line, column),)))).split("\n")


def test_text_shows_the_line_with_a_caret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert excerpt(tmp_path, monkeypatch, b"\xef\xbb\xbfa: 1\r\nb: 2\r\n", 2, 4) == [
        "a.yaml:2:4: PL001 is wrong",
        "  2 | b: 2",
        "    |    ^",
        "  hint: do this",
    ]


def test_the_caret_is_below_its_character_after_wide_characters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert excerpt(tmp_path, monkeypatch, "\t你好 {{ X }}".encode(), 1, 8)[1:3] == [
        "  1 |  你好 {{ X }}",
        "    |          ^",
    ]


def test_control_and_invisible_characters_of_a_line_are_escaped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = excerpt(tmp_path, monkeypatch, b"a: \x1b[31mred\xe2\x80\xaeabc\xe2\x80\x8b\xff!", 1, 6)
    assert lines[1:3] == ["  1 | a: \\u001b[31mred\\u202eabc\\u200b\ufffd!", "    |           ^"]


def test_a_long_line_is_shortened_around_the_caret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown, caret = excerpt(tmp_path, monkeypatch, b"x" * 500 + b"!" + b"y" * 500, 1, 501)[1:3]
    assert shown == "  1 | …" + "x" * 60 + "!" + "y" * 39
    assert shown[caret.index("^")] == "!"


@pytest.mark.parametrize("place", [Location("gone.yaml", 1, 1), Location("a.yaml", 9, 1), Location("a.yaml"), None])
def test_text_without_an_existing_line_is_only_the_message(
    place: Location | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text("a: 1\n", encoding="utf-8")
    found = Problem("PL001", "is wrong", place)
    assert click.unstyle(plain_text.write(LintReport(problems=(found,)))) == str(found)


def test_json_has_every_field_of_a_problem() -> None:
    found = replace(problem(), location=Location("a.yaml", 3, 4, 3, 7))
    assert json.loads(plain_json.write(LintReport(problems=(found,), fixes={found: (Fix("remove it", (Edit(0, 1),), is_safe=True),)}))) == [
        {
            "code": "PL001", "severity": "error", "message": "is wrong", "hint": "do this",
            "path": "a.yaml", "line": 3, "column": 4, "end_line": 3, "end_column": 7, "fixable": True,
        }
    ]  # fmt: skip


def test_github_escapes_characters_that_end_its_commands() -> None:
    found = problem(0, 0, "a,b:c.yaml", "100%\nsure", "note")
    assert github.write(LintReport(problems=(found,))) == (
        "::notice file=a%2Cb%3Ac.yaml,line=1,col=1,title=PL001::100%25%0Asure (do this)"
    )


REPORTS = {
    "empty": LintReport(),
    "clean": LintReport(("a.yaml",)),
    "every severity": LintReport(("a.yaml",), (problem(1, 2), problem(2, 3, severity="warning"), problem(3, severity="note"))),
    "strange places": LintReport(problems=(problem(0, 0, "ä b/c#.yaml"), problem(path="/srv/x.yaml"), Problem("PP914", "no place"))),
    "control characters": LintReport(problems=(problem(message="\x1b[31m\ud800\u2028<&\"'"),)),
}  # fmt: skip


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_sarif_meets_its_schema(report: LintReport) -> None:
    written = json.loads(sarif.write(report))
    assert [error.message for error in Draft202012Validator(SCHEMA).iter_errors(written)] == []
    assert len(written["runs"][0]["results"]) == len(report.problems)


def test_the_end_of_a_location_is_shown_if_it_is_known() -> None:
    report = LintReport(problems=(replace(problem(), location=Location("a.yaml", 3, 4, 3, 7)),))
    (result,) = json.loads(sarif.write(report))["runs"][0]["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 3, "startColumn": 4, "endLine": 3, "endColumn": 7}
    assert "line=3,col=4,endColumn=6," in github.write(report)


def test_sarif_has_the_location_and_explains_the_rule() -> None:
    run = json.loads(sarif.write(LintReport(problems=(problem(3, 4, "ä b.yaml"),))))["runs"][0]
    assert run["results"][0] == {
        "ruleId": "PL001", "ruleIndex": 0, "level": "error", "message": {"text": "is wrong; do this"},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": "%C3%A4%20b.yaml"}, "region": {"startLine": 3, "startColumn": 4}}}],
    }  # fmt: skip
    (rule,) = run["tool"]["driver"]["rules"]
    assert (rule["id"], rule["name"]) == ("PL001", "unused-input")
    assert run["columnKind"] == "unicodeCodePoints"


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_junit_is_well_formed_and_counts(report: LintReport) -> None:
    root = ET.fromstring(junit.write(report))  # noqa: S314 -- written here
    cases = root.findall(".//testcase")
    assert int(root.attrib["tests"]) == len(cases)
    failing = sum(found.severity != "note" for found in report.problems)
    assert int(root.attrib["failures"]) == len(root.findall(".//failure")) == failing
    assert sum(int(suite.attrib["failures"]) for suite in root) == failing


def test_junit_names_the_location_and_the_problem() -> None:
    root = ET.fromstring(junit.write(LintReport(("a.yaml", "b.yaml"), (problem(3, 4),))))  # noqa: S314
    assert [(case.attrib["classname"], case.attrib["name"]) for case in root.iter("testcase")] == [
        ("a.yaml", "3:4 PL001 is wrong"),
        ("b.yaml", "lint"),
    ]
    (failure,) = root.iter("failure")
    assert failure.text == "a.yaml:3:4: PL001 is wrong\n  hint: do this"


HOSTILE_FOLDER = "a\n::error::b ]]> \x1b[31m %0A ,c"
HOSTILE_PACK = """\
promptpack: 1
name: p
version: 1.0.0
"::error file=a::\\n::error::boo\\r\\n]]><x a='\\"'>\\u202e\\u0001%0A": 1
messages:
  - {role: user, content: "\\u202e::error::c"}
tests:
  - {name: "t\\n::error::z ]]> \\u202e \\u001b[31m", context: {}}
"""
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LintReport:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "packs" / HOSTILE_FOLDER
    folder.mkdir(parents=True)
    (folder / "1.0.0.yaml").write_text(HOSTILE_PACK, encoding="utf-8")
    report = lint(["packs"], LintSettings(), cache=False)
    assert [problem.code for problem in report.problems] == ["PP202", "PL005", "PL010", "PL005"]
    return report


def test_hostile_names_stay_on_one_line_of_text(hostile: LintReport) -> None:
    written = click.unstyle(plain_text.write(hostile))
    assert not CONTROL.search(written)
    assert not [line for line in written.split("\n") if line.strip().startswith("::")]


def test_hostile_names_are_not_github_commands(hostile: LintReport) -> None:
    lines = github.write(hostile).split("\n")
    assert not CONTROL.search("".join(lines))
    assert [line.split(" ")[0] for line in lines] == ["::error", "::warning", "::warning", "::warning"]
    assert all(line.split("::")[1].count(",") == 4 for line in lines)


def test_hostile_names_survive_json(hostile: LintReport) -> None:
    written = plain_json.write(hostile)
    assert not CONTROL.search(written)
    assert {found["path"] for found in json.loads(written)} == {f"packs/{HOSTILE_FOLDER}/1.0.0.yaml"}


def test_hostile_names_match_the_sarif_schema(hostile: LintReport) -> None:
    written = sarif.write(hostile)
    assert not CONTROL.search(written)
    checked = json.loads(written)
    assert list(Draft202012Validator(SCHEMA, format_checker=FORMATS).iter_errors(checked)) == []
    (address,) = {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for result in checked["runs"][0]["results"]
    }
    assert unquote(address) == f"packs/{HOSTILE_FOLDER}/1.0.0.yaml"


def test_hostile_names_are_text_in_junit(hostile: LintReport) -> None:
    written = junit.write(hostile)
    assert not CONTROL.search(written)
    root = ET.fromstring(written)  # noqa: S314 -- written here
    assert {element.tag for element in root.iter()} == {"testsuites", "testsuite", "testcase", "failure"}
    assert len(root.findall(".//testcase")) == len(hostile.problems)


def test_junit_keeps_a_file_name_on_one_line() -> None:
    written = junit.write(LintReport(problems=(problem(path="a\n<x>\r\x85\u2028.yaml", message="b\nc"),), files=()))
    assert not re.search("[\r\x85\u2028]", written)
    [suite] = ET.fromstring(written)  # noqa: S314 -- written by us
    [case] = suite
    [failure] = case
    shown = "a\\n<x>\\u000d\\u0085\\u2028.yaml"
    assert [suite.get("name"), case.get("classname"), case.get("name")] == [shown, shown, "1:1 PL001 b\\nc"]
    assert failure.text == f"{shown}:1:1: PL001 b\\nc\n  hint: do this"


def test_a_file_that_became_a_link_is_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.txt").write_text("the key\n", encoding="utf-8")
    (tmp_path / "a.yaml").symlink_to("secret.txt")
    (tmp_path / "demo").symlink_to(".")
    for path in ("a.yaml", "demo/1.0.0.yaml"):
        (tmp_path / "1.0.0.yaml").write_text("the key\n", encoding="utf-8")
        assert "the key" not in plain_text.write(LintReport(problems=(problem(path=path),)))
