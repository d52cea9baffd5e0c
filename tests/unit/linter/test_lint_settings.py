from pathlib import Path

import pytest

from promptpack.linter.catalogue import RULES
from promptpack.linter.lint_settings import LintSettings, find_settings
from promptpack.problem import UsageError


def codes(settings: LintSettings) -> list[str]:
    return [rule.CODE for rule in settings._rules]


def test_all_rules_are_checked_by_default() -> None:
    assert LintSettings()._rules == RULES
    assert codes(LintSettings(select=("PL001",))) == ["PL001"]
    assert codes(LintSettings(select=("unused-input", "PL002"))) == ["PL001", "PL002"]
    assert codes(LintSettings(select=("PL00",), ignore=("PL001",)))[0] == "PL002"


def test_a_caller_replaces_the_selection_and_ignores_more() -> None:
    narrowed = LintSettings(select=("PL001",), ignore=("PL002",)).narrowed(["PL"], ["PL001"])
    assert "PL001" not in codes(narrowed)
    assert "PL002" not in codes(narrowed)
    assert "PL020" in codes(narrowed)


def test_the_most_specific_selector_decides_the_severity() -> None:
    unused, undescribed = RULES[:2]
    settings = LintSettings(severity={"PL": "note", "PL001": "error", "input-without-description": "warning"})
    assert settings._severity_of(unused) == "error"
    assert settings._severity_of(undescribed) == "warning"
    assert settings._severity_of(RULES[-1]) == "note"
    assert LintSettings()._severity_of(unused) == "warning"


def test_an_unknown_rule_is_reported_with_a_suggestion() -> None:
    with pytest.raises(UsageError) as caught:
        LintSettings(select=("PL001", "unusd-input"), severity={"QQ": "note"})
    assert [str(problem) for problem in caught.value.problems] == [
        "PP914 unknown rule 'unusd-input'\n  hint: did you mean 'unused-input'?",
        "PP914 unknown rule 'QQ'\n  hint: see 'promptpack rules'",
    ]


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_the_nearest_file_with_settings_applies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "pyproject.toml", '[tool.promptpack.lint]\nignore = ["PL001"]\n')
    write(tmp_path / "a" / "pyproject.toml", "[tool.other]\n")
    write(tmp_path / "a" / "packs" / "x.yaml", "")
    assert find_settings("a/packs").ignore == ("PL001",)
    assert find_settings("a/packs").path == "pyproject.toml"
    write(tmp_path / "a" / "promptpack.toml", '[lint]\nselect = ["PL002"]\n')
    assert find_settings("a/packs").select == ("PL002",)


def test_rules_can_be_ignored_by_file_pattern(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "promptpack.toml", '[lint.per-file-ignores]\n"packs/old/*" = ["PL001"]\n')
    monkeypatch.chdir(tmp_path)
    settings = find_settings(".")
    assert settings.ignored_in("packs/old/1.0.0.yaml") == {"PL001"}
    assert settings.ignored_in("packs/new/1.0.0.yaml") == set()
    monkeypatch.chdir(tmp_path.parent)
    assert settings.path == "promptpack.toml"
    assert find_settings(str(tmp_path)).ignored_in(str(tmp_path / "packs/old/1.0.0.yaml")) == {"PL001"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[lint\n", "promptpack.toml: PP911 cannot be parsed as TOML: Expected ']' at the end of a table declaration (at line 1, column 6)"),
        ("[lnit]\n", "promptpack.toml:1:2: PP912 unknown lint setting 'lnit'\n  hint: did you mean 'lint'?"),
        ("lint = 1\n", "promptpack.toml:1:1: PP913 lint setting 'lint' must be a table"),
        ("# x\n[lint]\nselct = []\n", "promptpack.toml:3:1: PP912 unknown lint setting 'selct'\n  hint: did you mean 'select'?"),
        ("[lint]\nselect = 'PL001'\n", "promptpack.toml:2:1: PP913 lint setting 'select' must be a list of rule codes or names"),
        ("[lint]\nignore = [1]\n", "promptpack.toml:2:1: PP913 lint setting 'ignore' must be a list of rule codes or names"),
        ("[lint.severity]\nPL001 = 'fatal'\n", "promptpack.toml:1:7: PP913 lint setting 'severity' must be a table that maps rules to error, warning, note"),
        ("[lint.severity]\nPL001 = []\n", "promptpack.toml:1:7: PP913 lint setting 'severity' must be a table that maps rules to error, warning, note"),
        ("[lint]\nper-file-ignores = []\n", "promptpack.toml:2:1: PP913 lint setting 'per-file-ignores' must be a table that maps file patterns to lists of rules"),
        ("[lint]\nignore = ['PL0', 'PL999']\n", "promptpack.toml:2:19: PP914 unknown rule 'PL999'\n  hint: see 'promptpack rules'"),
    ],
)  # fmt: skip
def test_invalid_settings_are_reported_with_their_location(
    text: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "promptpack.toml", text)
    with pytest.raises(UsageError) as caught:
        find_settings(".")
    assert [str(problem) for problem in caught.value.problems] == [expected]
