"""Every command reads other sources, and none writes to them."""

import zipfile
from pathlib import Path

import pytest

from promptpack import Library, PackError, UsageError
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
    assert "PP784 cannot be written: it is in a read-only source\n" in done.stderr
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


def write_zip(path: Path, word: str) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("packs/other/1.0.0.yaml", PACK.replace("demo", "other").replace('"hi"', f'"{word}"'))


@pytest.fixture
def locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose lock has an archive."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "packs" / "demo").mkdir(parents=True)
    (tmp_path / "packs" / "demo" / "1.0.0.yaml").write_text(PACK)
    write_zip(tmp_path / "other.zip", "old")
    assert run(tmp_path, "lock", "packs", "other.zip").returncode == 0
    return tmp_path


def test_a_lock_records_the_sources_of_a_library(locked: Path) -> None:
    assert "sources:\n  other.zip: sha256:" in (locked / "packs" / "packs.lock").read_text()
    assert run(locked, "lock", "--check", "packs", "./other.zip").returncode == 0
    library = Library.open("packs", "other.zip", frozen=True)
    assert library.get("other").render().messages[0].text == "old"
    before = (locked / "packs" / "packs.lock").read_text()
    assert run(locked, "lock", "packs").returncode == 0  # without the archive, its digest stays
    assert (locked / "packs" / "packs.lock").read_text() == before


def test_a_frozen_library_refuses_a_source_that_is_not_locked(locked: Path) -> None:
    write_zip(locked / "third.zip", "new")
    with pytest.raises(PackError) as raised:
        Library.open("packs", "third.zip", frozen=True)
    assert str(raised.value) == (
        "third.zip: PP786 third.zip is not locked: no packs.lock of the library has its digest\n"
        "  hint: run: promptpack lock FOLDER third.zip, where FOLDER is opened with it"
    )
    assert "PP786" in run(locked, "lock", "--check", "packs", "third.zip").stdout


def test_an_archive_does_not_vouch_for_itself(locked: Path) -> None:
    (locked / "copy").mkdir()
    with zipfile.ZipFile(locked / "other.zip") as archive:
        archive.extractall(locked / "copy")
    run(locked, "lock", "copy/packs")
    with zipfile.ZipFile(locked / "own.zip", "w") as archive:
        for file in ("packs/other/1.0.0.yaml", "packs/packs.lock"):
            archive.write(locked / "copy" / file, file)
    with pytest.raises(PackError, match=r"PP786 own\.zip is not locked"):
        Library.open("own.zip", frozen=True)


def test_a_source_that_differs_from_the_lock_is_refused(locked: Path) -> None:
    library = Library.open("packs", "other.zip")
    write_zip(locked / "other.zip", "new")
    with pytest.raises(
        UsageError, match=r"other\.zip: PP782 the content has the digest [0-9a-f]{64}, and [0-9a-f]{64} in"
    ):
        Library.open("packs", "other.zip")
    report = library.reload()
    assert [problem.code for problem in report.problems] == ["PP782"]
    assert report.library.get("other").render().messages[0].text == "old"
    done = run(locked, "lock", "packs", "other.zip")
    assert done.returncode == 2
    assert "if the change is intended, run: promptpack lock FOLDER other.zip --update other.zip\n" in done.stderr
    assert run(locked, "lock", "packs", "other.zip", "--update", "other.zip").returncode == 0
    assert Library.open("packs", "other.zip", frozen=True).get("other").render().messages[0].text == "new"


def test_a_source_can_be_removed_from_a_lock(locked: Path) -> None:
    assert run(locked, "lock", "packs", "--update", "other.zip").returncode == 0
    assert "sources: {}\n" in (locked / "packs" / "packs.lock").read_text()
    done = run(locked, "lock", "other.zip")
    assert (done.returncode, "PP784 cannot be written: it is in a read-only source" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    "source", ["https://user:secret@host/a.zip?key=secret", "zip://x::https://u:secret@host/a.zip"]
)
def test_no_command_shows_credentials(here: Path, source: str) -> None:
    for words in (
        ["new", "other", "-p", source],
        ["list", "-p", source],
        ["lint", source],
        ["lock", source],
        ["studio", source],
        ["diff", "demo", "-p", source],
    ):
        done = run(here, *words)
        assert done.returncode == 2
        assert "secret" not in done.stdout + done.stderr
    assert [path.name for path in here.iterdir()] == ["packs.zip"]
