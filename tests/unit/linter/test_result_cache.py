from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from promptpack.library import Library
from promptpack.linter.lint_paths import lint

PACK = """\
promptpack: 1
name: {name}
version: 1.0.0
extends: {parent}
messages:
  - {{role: user, content: "Say {name}."}}
"""
BASE = "promptpack: 1\nname: {name}\nversion: 1.0.0\nabstract: true\npartials: {{end: Done.}}\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PROMPTPACK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    packs = {name: PACK.format(name=name, parent="base") for name in ("one", "two")}
    packs |= {"three": PACK.format(name="three", parent="root"), "four": PACK.format(name="four", parent="root")}
    packs |= {name: BASE.format(name=name) for name in ("base", "root")}
    for name, text in packs.items():
        file = tmp_path / "packs" / name / "1.0.0.yaml"
        file.parent.mkdir(parents=True)
        file.write_text(text)
    lint(["packs"])
    return tmp_path / "packs"


@pytest.fixture
def linted(root: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """Lint, and return the names of the packs that were linted again."""
    names: list[str] = []
    sketch = Library._compile_sections

    def spy(self: Library, entry: Any, folder: Any = None) -> Any:
        names.append(entry.name)
        return sketch(self, entry, folder)

    def run() -> list[str]:
        names.clear()
        assert lint([root.name]).problems == ()
        return sorted(set(names))

    monkeypatch.setattr(Library, "_compile_sections", spy)
    return run


def append(file: Path, text: str) -> None:
    file.write_text(file.read_text() + text)


def test_without_a_change_no_pack_is_linted_again(linted: Callable[[], list[str]]) -> None:
    assert linted() == []


def test_only_the_changed_pack_is_linted_again(root: Path, linted: Callable[[], list[str]]) -> None:
    append(root / "three" / "1.0.0.yaml", "# changed\n")
    assert linted() == ["three"]
    assert linted() == []


def test_packs_that_extend_a_changed_pack_are_linted_again(root: Path, linted: Callable[[], list[str]]) -> None:
    append(root / "base" / "1.0.0.yaml", "# changed\n")
    assert linted() == ["base", "one", "two"]


def test_only_a_new_pack_is_linted(root: Path, linted: Callable[[], list[str]]) -> None:
    (root / "five").mkdir()
    (root / "five" / "1.0.0.yaml").write_text(PACK.format(name="five", parent="root"))
    assert linted() == ["five"]


def test_after_a_change_in_a_shared_partial_every_pack_is_linted_again(
    root: Path, linted: Callable[[], list[str]]
) -> None:
    (root / "_partials").mkdir()
    (root / "_partials" / "start.j2").write_text("Begin.")
    assert linted() == ["base", "four", "one", "root", "three", "two"]


def test_results_of_a_single_linted_file_are_cached_for_the_folder(root: Path, linted: Callable[[], list[str]]) -> None:
    append(root / "three" / "1.0.0.yaml", "# changed\n")
    lint(["packs/three/1.0.0.yaml"])
    assert linted() == []


def test_a_broken_pack_is_reported_again_until_it_is_fixed(root: Path, linted: Callable[[], list[str]]) -> None:
    broken = root / "four" / "1.0.0.yaml"
    valid = broken.read_text()
    broken.write_text(valid.replace("Say four", "Say {{ UNDECLARED }}"))
    for name in ("one", "two"):
        append(root / name / "1.0.0.yaml", "# changed\n")
        assert [problem.code for problem in lint(["packs"]).problems] == ["PP301"]
    broken.write_text(valid)
    assert linted() == ["four"]
