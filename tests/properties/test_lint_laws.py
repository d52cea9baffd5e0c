"""Lint accepts any file: it reports problems, runs no template and opens no connection."""

import socket
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from promptpack.linter import lint_text
from promptpack.linter.lint_paths import lint
from promptpack.linter.lint_report import LintReport
from promptpack.linter.lint_settings import LintSettings
from promptpack.template.model import Expression, Template

ROOT = Path(__file__).parents[2]
PLANNER = (ROOT / "packs" / "planner" / "1.0.0.en.yaml").read_text(encoding="utf-8")
LINES = PLANNER.split("\n")
TAGS = st.sampled_from(
    ["{{", "}}", "{%", "%}", "{% if x %}", "{% include 'errors' %}", "{{ USER_GOAL }}", "{#", "|", "&a", "*a"]
)


def lint_as_planner(text: str, tmp_path: Path) -> LintReport:
    return lint_text(str(tmp_path / "planner" / "1.0.0.en.yaml"), text, LintSettings())


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text())
def test_any_text_gets_a_report(text: str, tmp_path: Path) -> None:
    assert lint_as_planner(text, tmp_path).problems


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(line=st.integers(0, len(LINES) - 1), piece=TAGS | st.text(max_size=5), cut=st.integers(0, 40))
def test_every_problem_of_a_damaged_pack_has_a_location(line: int, piece: str, cut: int, tmp_path: Path) -> None:
    damaged = [*LINES[:line], LINES[line][:cut] + piece + LINES[line][cut:], *LINES[line + 1 :]]
    report = lint_as_planner("\n".join(damaged), tmp_path)
    assert all(problem.location is not None for problem in report.problems)


def test_lint_runs_no_template_and_opens_no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("lint must only read")

    monkeypatch.setattr(Template, "render", refuse)
    monkeypatch.setattr(Expression, "evaluate", refuse)
    monkeypatch.setattr(socket, "socket", refuse)
    assert lint([str(ROOT / "packs")], LintSettings(), cache=False).problems == ()
    assert lint([str(ROOT / "tests" / "linter" / "pl003-untrusted-in-system" / "bad.yaml")], cache=False).failed


def test_every_hostile_pack_gets_a_report() -> None:
    folder = ROOT / "tests" / "conformance" / "hostile" / "vectors" / "packs"
    report = lint([str(folder)], LintSettings(), cache=False)
    assert len(report.files) == len(list(folder.glob("*.yaml")))
    reported = {problem.location.path for problem in report.problems if problem.location}
    assert len(reported) > len(report.files) / 2
