"""Every rule: what it finds in `bad`, word for word, and that `good` is clean for all rules."""

from pathlib import Path

import click
import pytest

from promptpack.cli.reports import text
from promptpack.linter import RULES, Rule, Settings, lint
from promptpack.linter.page import all_pages, body, summary

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def folder_of(rule: Rule) -> Path:
    return HERE / f"{rule.CODE.lower()}-{rule.NAME}"


def named(rule: Rule) -> str:
    return rule.NAME


def lint_fixture(rule: Rule, kind: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Lint `bad` or `good`, which is a file, or a folder of packs where a rule compares packs."""
    monkeypatch.chdir(folder_of(rule))
    path = kind if Path(kind).is_dir() else f"{kind}.yaml"
    return click.unstyle(text.write(lint([path], Settings()))) + "\n"


@pytest.mark.parametrize("rule", RULES, ids=named)
def test_a_rule_finds_exactly_this(rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = (folder_of(rule) / "bad.txt").read_text(encoding="utf-8")
    assert rule.CODE in expected
    assert lint_fixture(rule, "bad", monkeypatch) == expected


@pytest.mark.parametrize("rule", RULES, ids=named)
def test_a_good_pack_is_clean_for_every_rule(rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    assert lint_fixture(rule, "good", monkeypatch) == "\n"


def test_every_folder_belongs_to_a_rule() -> None:
    assert {path for path in HERE.iterdir() if path.is_dir() and path.name.startswith("pl")} == set(
        map(folder_of, RULES)
    )


def test_codes_and_names_are_unique_and_in_order() -> None:
    codes = [rule.CODE for rule in RULES]
    assert codes == sorted(set(codes))
    assert len({rule.NAME for rule in RULES}) == len(RULES)


@pytest.mark.parametrize("rule", RULES, ids=named)
def test_a_rule_is_in_the_file_of_its_name_and_explains_itself(rule: Rule) -> None:
    assert (ROOT / "promptpack" / "linter" / "rules" / f"{rule.NAME.replace('-', '_')}.py").is_file()
    assert summary(rule).endswith(".")
    assert "Bad: " in body(rule)
    assert "Good: " in body(rule)


def test_the_page_of_all_rules_is_generated_from_them() -> None:
    page = (ROOT / "docs" / "reference" / "rules.md").read_text(encoding="utf-8")
    assert page == all_pages(RULES), "write it anew: promptpack rules --format markdown > docs/reference/rules.md"
