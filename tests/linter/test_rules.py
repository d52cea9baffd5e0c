"""Every rule: its exact report for `bad`, and no problem of any rule in `good`."""

from pathlib import Path

import click
import pytest

from promptpack.cli.reports import plain_text
from promptpack.linter.catalogue import RULES
from promptpack.linter.lint_paths import lint
from promptpack.linter.lint_settings import LintSettings
from promptpack.linter.rule import LintRule
from promptpack.linter.rule_pages import body, summary, write_rules_page

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def folder_of(rule: LintRule) -> Path:
    return HERE / f"{rule.CODE.lower()}-{rule.NAME}"


def name_of(rule: LintRule) -> str:
    return rule.NAME


def cases(kind: str) -> list[Path]:
    """Return the fixtures of a kind: files, or folders of packs if a rule compares packs or reads other files."""
    return sorted(path for path in HERE.glob(f"pl*/{kind}*") if path.suffix != ".txt")


def case_name(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def lint_fixture(path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(path.parent)
    return click.unstyle(plain_text.write(lint([path.name], LintSettings()))) + "\n"


@pytest.mark.parametrize("path", cases("bad"), ids=case_name)
def test_a_rule_reports_exactly_this(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = path.with_name(f"{path.stem}.txt").read_text(encoding="utf-8")
    assert path.parent.name.split("-")[0].upper() in expected
    assert lint_fixture(path, monkeypatch) == expected


@pytest.mark.parametrize("path", cases("bad"), ids=case_name)
def test_a_located_problem_covers_a_word(path: Path) -> None:
    places = [problem.location for problem in lint([str(path)], LintSettings()).problems if problem.location]
    assert all((place.line, place.column) < place.end for place in places if place.line)


@pytest.mark.parametrize("path", cases("good"), ids=case_name)
def test_a_good_pack_has_no_problem_of_any_rule(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert lint_fixture(path, monkeypatch) == "\n"


@pytest.mark.parametrize("rule", RULES, ids=name_of)
def test_every_rule_has_a_bad_and_a_good_fixture(rule: LintRule) -> None:
    for kind in ("bad", "good"):
        assert any(path.parent == folder_of(rule) for path in cases(kind))


def test_every_folder_belongs_to_a_rule() -> None:
    assert {path for path in HERE.iterdir() if path.is_dir() and path.name.startswith("pl")} == set(
        map(folder_of, RULES)
    )


def test_codes_and_names_are_unique_and_in_order() -> None:
    codes = [rule.CODE for rule in RULES]
    assert codes == sorted(set(codes))
    assert len({rule.NAME for rule in RULES}) == len(RULES)


@pytest.mark.parametrize("rule", RULES, ids=name_of)
def test_a_rule_is_in_the_file_of_its_name_and_is_documented(rule: LintRule) -> None:
    assert (ROOT / "promptpack" / "linter" / "rules" / f"{rule.NAME.replace('-', '_')}.py").is_file()
    assert summary(rule).endswith(".")
    assert "Bad: " in body(rule)
    assert "Good: " in body(rule)


def test_the_page_of_all_rules_is_generated_from_them() -> None:
    page = (ROOT / "docs" / "reference" / "rules.md").read_text(encoding="utf-8")
    assert page == write_rules_page(RULES), (
        "regenerate it: promptpack rules --format markdown > docs/reference/rules.md"
    )
