from pathlib import Path

import pytest

from promptpack import files
from promptpack.linter.lint_paths import lint
from promptpack.linter.lint_report import LintReport
from promptpack.linter.lint_settings import LintSettings

PACK = """\
promptpack: 1
name: demo
version: 1.0.0
inputs:
  GOAL: {type: string}
  SPARE: {type: string}
messages:
  - {role: user, content: "{{ GOAL }}{% include 'end' %}"}
"""


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("PROMPTPACK_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "packs" / "demo").mkdir(parents=True)
    (tmp_path / "packs" / "_partials").mkdir()
    (tmp_path / "packs" / "demo" / "1.0.0.yaml").write_text(PACK)
    (tmp_path / "packs" / "_partials" / "end.j2").write_text(".")
    return tmp_path / "packs"


def entries(root: Path) -> set[str]:
    return {file.name for file in (root.parent / "cache" / "promptpack").iterdir()}


def twice(settings: LintSettings | None = None) -> LintReport:
    """Lint twice, the second time from the cache, and check that the reports are the same, including fixes."""
    first, again = (lint(["packs"], settings) for _ in range(2))
    assert first == again == lint(["packs"], settings, cache=False)
    return first


def test_a_report_from_the_cache_is_the_same(root: Path) -> None:
    report = twice()
    assert "SPARE" in str(report.problems)
    before = entries(root)
    twice()
    assert entries(root) == before


@pytest.mark.parametrize(
    ("file", "text", "code"),
    [
        ("demo/1.0.0.yaml", PACK.replace("GOAL }}", "GAOL }}"), "PP301"),
        ("_partials/end.j2", "{{ UNDECLARED }}", "PP301"),
        ("demo/copy.yaml", PACK, "PP705"),
    ],
)
def test_a_change_in_any_file_is_noticed(root: Path, file: str, text: str, code: str) -> None:
    assert code not in {problem.code for problem in twice().problems}
    (root / file).write_text(text)
    assert code in {problem.code for problem in twice().problems}


def test_a_changed_schema_in_a_hidden_folder_is_noticed(root: Path) -> None:
    schema = root / ".schemas" / "goal.json"
    schema.parent.mkdir()
    schema.write_text('{"type": "string"}')
    (root / "demo" / "1.0.0.yaml").write_text(PACK.replace("{type: string}", "{$ref: ../.schemas/goal.json}", 1))
    assert "PP205" not in {problem.code for problem in twice().problems}
    for text, code in (
        ('{"type": "strin"}', "PP205"),
        (None, "PP213"),
        ('{"type": "integer", "minLength": 1}', "PL018"),
    ):
        schema.unlink(missing_ok=True)
        if text is not None:
            schema.write_text(text)
        assert code in {problem.code for problem in twice().problems}


def test_a_changed_schema_next_to_the_packs_is_noticed(root: Path) -> None:
    reference = "../schemas/params/task-plan.schema.json"
    content = files.shipped("schemas").read("params/task-plan.schema.json")
    (root / "demo" / "1.0.0.yaml").write_text(PACK.replace("{type: string}", f"{{$ref: ../{reference}}}", 1))
    copy = root / reference
    copy.parent.mkdir(parents=True)
    for text, is_broken in ((content, False), (b'{"type": "txt"}', True), (content, False)):
        copy.write_bytes(text)
        assert ("PP205" in {problem.code for problem in twice().problems}) is is_broken
    copy.unlink()
    assert not [problem for problem in twice().problems if problem.severity == "error"]
    copy.write_text('{"type": "txt"}')
    assert "PP205" in {problem.code for problem in twice().problems}


def test_a_deleted_file_is_noticed(root: Path) -> None:
    twice()
    (root / "_partials" / "end.j2").unlink()
    assert "PP305" in {problem.code for problem in twice().problems}


def test_a_report_depends_on_the_settings(root: Path) -> None:
    codes = {problem.code for problem in twice().problems}
    assert codes
    assert not twice(LintSettings(ignore=tuple(codes))).problems
    (root.parent / "promptpack.toml").write_text(f"[lint]\nignore = {sorted(codes)}\n")
    assert not twice().problems


def test_one_file_of_a_folder_has_a_separate_report(root: Path) -> None:
    (root / "demo" / "1.1.0.yaml").write_text(PACK.replace("1.0.0", "1.1.0"))
    assert len(lint(["packs"]).files) == 2
    assert len(lint(["packs/demo/1.1.0.yaml"]).files) == 1
    assert len(lint(["packs/demo/1.1.0.yaml"]).files) == 1
