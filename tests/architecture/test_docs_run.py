"""Every example in the docs is run: Python blocks, and the `promptpack` lines of console blocks."""

import contextlib
import io
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import run

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[tuple[str, str]]:
    return [(found[1], found[2]) for found in BLOCK.finditer(page.read_text(encoding="utf-8"))]


WITH_PYTHON = [page for page in PAGES if any(kind == "python" for kind, _ in blocks(page))]


@pytest.mark.parametrize("page", WITH_PYTHON, ids=lambda path: path.name)
def test_python_examples_run_and_print_the_text_on_the_page(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "packs").symlink_to(ROOT / "packs")
    scope: dict[str, Any] = {"__name__": "__docs__"}
    found = blocks(page)
    for index, (kind, code) in enumerate(found):
        if kind != "python":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(page), "exec"), scope)  # noqa: S102 -- our own pages
        if printed.getvalue() and index + 1 < len(found) and found[index + 1][0] == "text":
            assert printed.getvalue() == found[index + 1][1]


def test_the_tutorial_shows_the_real_output(tmp_path: Path) -> None:
    page = ROOT / "docs" / "tutorial" / "first-pack.md"
    pack = tmp_path / "packs" / "tidy" / "0.1.0-dev.yaml"
    for kind, text in blocks(page):
        if kind == "text":
            (tmp_path / "reply.txt").write_text(text, encoding="utf-8")
        if kind != "console":
            continue
        misspelled = "QUESTOIN" in text
        if misspelled:
            pack.write_text(pack.read_text("utf-8").replace("{{ QUESTION |", "{{ QUESTOIN |"), encoding="utf-8")
        for command, expected in sessions(text):
            program, *words = shlex.split(command)
            assert program == "promptpack"
            done = run(tmp_path, *words)
            assert fits(done.stdout, expected), done.stdout + done.stderr
            # Of all commands in the tutorial, only lint fails, and only after the mistake.
            assert done.returncode == (1 if misspelled else 0), command
        if misspelled:
            pack.write_text(pack.read_text("utf-8").replace("{{ QUESTOIN |", "{{ QUESTION |"), encoding="utf-8")


def fits(printed: str, expected: str) -> bool:
    """Compare an output with the text on a page, in which a line of three dots matches any lines."""
    shown = map(re.escape, re.split(r"^\.\.\.\n", expected, flags=re.MULTILINE))
    return re.fullmatch(r"(?:.*\n)*?".join(shown), printed) is not None


def sessions(text: str) -> list[tuple[str, str]]:
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    return [(part.split("\n", 1)[0], part.split("\n", 1)[1]) for part in parts]
