"""Releases that differ from the ones in HEAD."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from promptpack.cli.changed_releases import find_changed_releases

WritePack = Callable[..., Path]
BODY = "partials: {own: x}\nmessages:\n  - {id: a, role: user, content: '{% include \"tone\" %}'}\n"


@pytest.fixture
def repository(tmp_path: Path, write_pack: WritePack, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a release, a draft and a pack that extends the release."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    write_pack(body=BODY)
    write_pack(version="1.1.0-dev", body=BODY)
    write_pack("child", body="extends: demo@1.0.0\n")
    partials = tmp_path / "packs" / "_partials"
    partials.mkdir()
    (partials / "tone.j2").write_text("Be kind.", encoding="utf-8")
    commit(tmp_path)
    return tmp_path


def commit(folder: Path) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for words in (["init", "-q"], ["add", "-A"], [*who, "commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=folder, check=True)


@pytest.mark.usefixtures("repository")
def test_an_unchanged_release_is_not_a_problem(write_pack: WritePack) -> None:
    assert find_changed_releases("packs") == []
    write_pack(body=f"# the same\n{BODY}")
    write_pack(version="1.1.0-dev", body=BODY.replace("user", "system"))
    write_pack(version="2.0.0")
    assert find_changed_releases("packs") == []


@pytest.mark.usefixtures("repository")
def test_a_changed_release_and_the_packs_that_extend_it_are_reported(write_pack: WritePack) -> None:
    write_pack(body=BODY.replace("role: user", "role: system"))
    assert [str(one) for one in find_changed_releases("packs")] == [
        "packs/child/1.0.0.yaml:3:10: PP728 child@1.0.0 is a release, but differs from the one in HEAD\n"
        "  hint: the change is in a file that it uses; to undo it, run: git checkout HEAD -- packs/demo/1.0.0.yaml",
        "packs/demo/1.0.0.yaml:3:10: PP728 demo@1.0.0 is a release, but differs from the one in HEAD\n"
        "  hint: to keep the change as a new version, run: promptpack bump demo@1.0.0 auto -p packs; "
        "to undo it, run: git checkout HEAD -- packs/demo/1.0.0.yaml",
    ]


def test_a_changed_partial_changes_the_releases_that_use_it(repository: Path) -> None:
    (repository / "packs" / "_partials" / "tone.j2").write_text("Be brief.", encoding="utf-8")
    found = find_changed_releases("packs")
    assert [str(one.location) for one in found] == ["packs/child/1.0.0.yaml:3:10", "packs/demo/1.0.0.yaml:3:10"]
    assert found[0].hint.endswith("run: git checkout HEAD -- packs/_partials/tone.j2")


def test_outside_a_repository_nothing_is_released(write_pack: WritePack, tmp_path: Path) -> None:
    write_pack()
    assert find_changed_releases(str(tmp_path / "packs")) == []


@pytest.mark.usefixtures("repository")
def test_a_hook_with_the_variables_of_git_sees_the_same(write_pack: WritePack, monkeypatch: pytest.MonkeyPatch) -> None:
    write_pack(body=BODY.replace("role: user", "role: system"))
    monkeypatch.setenv("GIT_DIR", ".git")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index")
    assert len(find_changed_releases("packs")) == 2
