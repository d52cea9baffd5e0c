"""Every command reads other sources, and none writes to them."""

import zipfile
from pathlib import Path

import pytest

from tests.e2e.conftest import run

PACK = """promptpack: 1
name: demo
version: 1.0.0
locale: en
description: A demo.
messages:
  - {role: user, content: "hi"}
tests:
  - {name: hello, context: {}, expect: {contains: [hi], snapshot: true}}
"""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    with zipfile.ZipFile(tmp_path / "packs.zip", "w") as archive:
        archive.writestr("packs/demo/1.0.0.yaml", PACK)
        archive.writestr("packs/demo/snapshots/1.0.0.hello.txt", "[user]\nhi\n")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "output"),
    [
        (["list", "-p", "packs.zip"], "demo  1.0.0  en  packs.zip/packs/demo/1.0.0.yaml\n"),
        (["render", "demo", "-p", "packs.zip"], "hi"),
        (["show", "demo", "-p", "packs.zip"], "demo"),
        (["test", "-p", "packs.zip", "--format", "json"], '"name": "hello"'),
        (["lint", "packs.zip"], ""),
    ],
)
def test_commands_read_an_archive(here: Path, words: list[str], output: str) -> None:
    done = run(here, *words)
    assert done.returncode == 0, done.stderr
    assert output in done.stdout
    assert [path.name for path in here.iterdir()] == ["packs.zip"]


def test_lint_finds_the_problems_of_an_archive_and_sees_that_it_changes(here: Path) -> None:
    cache = {"PROMPTPACK_CACHE": str(here / "cache"), "XDG_STATE_HOME": str(here / "state")}
    for _ in range(2):
        assert run(here, "lint", "packs.zip", **cache).returncode == 0
    with zipfile.ZipFile(here / "packs.zip", "w") as archive:
        archive.writestr("packs/demo/1.0.0.yaml", PACK.replace('hi"}', '{{ X }}"}'))
    done = run(here, "lint", "packs.zip", **cache)
    assert done.returncode == 1
    assert "packs.zip/packs/demo/1.0.0.yaml:7:31: PP301 template uses undeclared input 'X'" in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ["test", "-p", "packs.zip", "--update"],
        ["try", "demo", "-p", "packs.zip", "--save", "new"],
        ["new", "other", "-p", "packs.zip"],
        ["new", "other", "-p", "git:HEAD:packs"],
    ],
)
def test_commands_do_not_write_to_a_source(here: Path, words: list[str]) -> None:
    done = run(here, *words)
    assert done.returncode == 2
    assert "PP784 cannot be written: it is in a source that is only read\n" in done.stderr
    assert "  hint: copy the packs into a folder, and use that\n" in done.stderr
    assert [path.name for path in here.iterdir()] == ["packs.zip"]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nothing", "PP704 no folder 'nothing'\n  hint: pass a folder that contains packs\n"),
        ("git:v1", "PP770 'git:v1' names no folder\n  hint: write git:REVISION:FOLDER, such as git:v1:packs\n"),
        ("git:v1:packs", "PP771 'packs' is not in a git repository: "),
        ("other.zip", "other.zip: PP120 cannot be read: No such file or directory\n"),
    ],
)
def test_a_source_that_is_not_there(here: Path, source: str, message: str) -> None:
    done = run(here, "list", "-p", source)
    assert done.returncode in (1, 2)
    assert message in done.stderr
    assert not done.stdout
