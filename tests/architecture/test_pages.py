"""The README links to every page, every link has a target, and decisions are numbered."""

import re
from pathlib import Path

import pytest

from promptpack.cli.main import COMMANDS
from promptpack.linter import LintSettings, lint

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [*sorted(ROOT.glob("*.md")), ROOT / "packs" / "README.md", *sorted(DOCS.rglob("*.md"))]
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def links(page: Path) -> set[Path]:
    return {(page.parent / found).resolve() for found in LINK.findall(page.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_has_a_target(page: Path) -> None:
    assert [target for target in links(page) if not target.exists()] == []


def test_the_readme_links_to_every_page() -> None:
    pages = {page for page in DOCS.rglob("*.md") if page.parent.name != "decisions"}
    assert pages - links(ROOT / "README.md") == set()


def test_decisions_are_numbered_without_gaps() -> None:
    files = sorted((DOCS / "decisions").glob("*.md"))
    assert [file.name[:4] for file in files] == [f"{number:04}" for number in range(1, len(files) + 1)]
    assert [file.read_text(encoding="utf-8")[2:6] for file in files] == [file.name[:4] for file in files]


def test_every_command_is_in_the_reference() -> None:
    page = (DOCS / "reference" / "command-line.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `promptpack ([a-z]+)", page, re.MULTILINE)) == set(COMMANDS)


def test_every_test_named_in_security_exists() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:architecture|conformance|fuzz|properties|unit)/[\w/]+(?:\.py)?)`", text)
    assert len(named) > 10
    assert [name for name in named if not (ROOT / "tests" / name).exists()] == []


def test_the_readme_shows_a_misspelled_input_as_lint_reports_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "README.md").read_text("utf-8")
    (pack,) = re.findall(r"```yaml\n(promptpack: 1\n.*?)```", page, re.DOTALL)
    (expected,) = re.findall(r"```text\n(packs/greeter.*?)\n```", page, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "packs" / "greeter" / "1.0.0.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(pack.replace("{{ NAME", "{{ NMAE"), "utf-8")
    assert str(lint(["packs"], LintSettings()).problems[0]) == expected
