"""`promptpack test`, in this process: selection, formats, exit codes and what a run remembers."""

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import Result

from promptpack.cli.commands.test import command
from promptpack.problem import PromptpackError
from tests.click_runner import make_runner

BODY = """\
locale: en
inputs: {A: {type: string}}
messages: [{role: user, content: "You plan a small task for {{ A }}."}]
tests:
  - {name: passes, context: {A: Ann}, expect: {contains: [Ann]}}
  - {name: "fails\\e[31m", context: {A: Ann}, expect: {contains: [You plan the small tasks], excludes: [Ann]}}
"""


@pytest.fixture
def run(write_pack: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROMPTPACK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    write_pack(body=BODY)
    return lambda *arguments: make_runner().invoke(command, arguments)


def test_only_failures_are_shown_with_the_nearest_text(run: Callable[..., Result]) -> None:
    done = run()
    assert (done.exit_code, done.stderr) == (1, "1 passed, 1 failed\n")
    assert done.stdout == (
        "FAILED demo@1.0.0 en fails\\u001b[31m\n"
        "  packs/demo/1.0.0.yaml:9:66: the prompt does not contain 'You plan the small tasks'\n"
        "    You plan [-the-]{+a+} small [-tasks-]{+task+}\n"
        "  packs/demo/1.0.0.yaml:9:104: the prompt contains 'Ann'\n"
        "    found: You plan a small task for Ann.\n"
    )
    assert run("-q").stdout == (
        "packs/demo/1.0.0.yaml:9:66: demo@1.0.0 en fails\\u001b[31m: the prompt does not contain 'You plan the small tasks'\n"
        "packs/demo/1.0.0.yaml:9:104: demo@1.0.0 en fails\\u001b[31m: the prompt contains 'Ann'\n"
    )
    passed = run("-k", "passes")
    assert (passed.exit_code, passed.stdout, passed.stderr) == (0, "", "1 passed, 0 failed, 1 deselected\n")


def test_last_failed_runs_what_failed_and_is_not_stored_with_the_packs(
    run: Callable[..., Result], write_pack: Callable[..., Path], tmp_path: Path
) -> None:
    first = run("--last-failed", "-q")
    assert first.stderr == "no test failed in the last run: running all tests\n1 passed, 1 failed\n"
    assert run("--last-failed").stderr == "0 passed, 1 failed, 1 deselected\n"
    assert run("-k", "passes").exit_code == 0
    assert run("--last-failed").stderr == "0 passed, 1 failed, 1 deselected\n"
    write_pack(body=BODY.replace("excludes: [Ann]", "excludes: []").replace("plan the small tasks", "plan a"))
    assert run("--last-failed").stderr == "1 passed, 0 failed, 1 deselected\n"
    assert run("--last-failed").stderr.startswith("no test failed in the last run")
    assert [path.name for path in (tmp_path / "packs").rglob("*")] == ["demo", "1.0.0.yaml"]


def test_a_broken_pack_is_reported_in_every_format(run: Callable[..., Result], write_pack: Callable[..., Path]) -> None:
    write_pack(name="broken", body="messages: 5\n")
    done = run("-k", "passes")
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (
        1,
        "1 passed, 0 failed, 1 deselected, 1 file(s) could not be loaded",
    )
    assert "packs/broken/1.0.0.yaml:4:1: PP204" in done.stderr
    data = json.loads(run("--format", "json").stdout)
    assert data["summary"] == {"passed": 1, "failed": 1, "not_run": 0, "deselected": 0, "unreadable": 1}
    assert [problem["code"] for problem in data["problems"]] == ["PP204"]
    suites = ET.fromstring(run("--format", "junit").stdout)  # noqa: S314 -- our own
    assert {**suites.attrib} == {"name": "promptpack test", "tests": "3", "failures": "1", "errors": "1"}
    assert [one.attrib["message"] for one in suites.iter("failure")] == [
        "the prompt does not contain 'You plan the small tasks' (and 1 more)"
    ]
    assert "file=packs/broken/1.0.0.yaml,line=4" in run("--format", "github").stdout
    assert run("demo").stderr == "1 passed, 1 failed\n"
    assert run("packs/demo/1.0.0.yaml").stderr == "1 passed, 1 failed\n"
    assert run("packs").exit_code == 1


def test_github_shows_each_failure_at_its_line(run: Callable[..., Result]) -> None:
    first, second = run("--format", "github").stdout.splitlines()
    assert first == (
        "::error file=packs/demo/1.0.0.yaml,line=9,col=66,endColumn=89,title=demo@1.0.0 en fails\\u001b[31m::"
        "the prompt does not contain 'You plan the small tasks'%0AYou plan [-the-]{+a+} small [-tasks-]{+task+}"
    )
    assert second.startswith("::error file=packs/demo/1.0.0.yaml,line=9,col=104,")


def test_the_first_failure_stops_the_run(run: Callable[..., Result], write_pack: Callable[..., Path]) -> None:
    write_pack(body=BODY.replace("[Ann]}}\n", "[Bob]}}\n", 1))
    assert run("-x").stderr == "0 passed, 1 failed, 1 not run\n"


def test_stale_snapshots_are_removed_only_on_request(
    run: Callable[..., Result], write_pack: Callable[..., Path], tmp_path: Path
) -> None:
    write_pack(
        body=BODY.replace("contains: [Ann]", "snapshot: true")
        .replace("excludes: [Ann]", "")
        .replace("the small tasks", "a")
    )
    stale = tmp_path / "packs/demo/snapshots/1.0.0.old.txt"
    assert run("--update").exit_code == 0
    stale.write_text("x")
    expected = "1 stale snapshot(s), no test uses these; --update --prune removes them:\n  packs/demo/snapshots/1.0.0.old.txt\n"
    assert run().stderr == f"{expected}2 passed, 0 failed\n"
    assert run("--update").stderr.startswith(expected)
    assert stale.exists()
    assert run("--prune").exit_code == 2
    assert run("--update", "--prune").stderr.startswith("1 stale snapshot(s), removed:\n")
    assert not stale.exists()
    assert (tmp_path / "packs/demo/snapshots/1.0.0.passes.txt").exists()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("-k", "nothing"), "PP917 no test matches 'nothing'"),
        (("-k", "("), "PP916 invalid expression '(' for -k: a word is missing"),
        (("gone",), "PP701 "),
        (("packs/gone",), "PP704 no file or folder 'packs/gone'"),
    ],
)
def test_a_wrong_selection_is_never_a_success(
    run: Callable[..., Result], arguments: tuple[str, ...], expected: str
) -> None:
    done = run(*arguments)
    assert isinstance(done.exception, PromptpackError)
    assert str(done.exception).startswith(expected)
    assert run("-n", "many").exit_code == 2
