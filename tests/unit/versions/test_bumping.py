"""New versions: copies, and edited releases that are moved."""

import shutil
from pathlib import Path

import pytest

from promptpack import Library, PackError, UsageError
from promptpack.versions.bumping import BumpLevel, VersionBump, plan_bump
from tests.unit.versions.repositories import MESSAGES, apply_some, commit, digests, state, write_pack, write_version


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a release in two languages."""
    folder = tmp_path / "one"
    folder.mkdir()
    monkeypatch.chdir(folder)
    write_version(folder, "1.0.0")
    commit(folder)
    return folder


def plan(request: str, level: BumpLevel, pre: str = "") -> VersionBump:
    return plan_bump(Library.open("packs"), request, level, pre)


def bump(request: str, level: BumpLevel, pre: str = "") -> str:
    """Carry out a bump, and return the new version."""
    found = plan(request, level, pre)
    found.plan.pending().apply()
    return found.target


def refused(request: str, level: BumpLevel, pre: str = "") -> str:
    before = state(Path())
    with pytest.raises((PackError, UsageError)) as caught:
        bump(request, level, pre)
    assert state(Path()) == before
    return str(caught.value)


@pytest.mark.parametrize(
    ("level", "pre", "version"),
    [("patch", "", "1.0.1"), ("minor", "", "1.1.0"), ("major", "rc.1", "2.0.0-rc.1"), ("patch", "dev", "1.0.1-dev")],
)
def test_a_copy_has_all_files_and_the_old_ones_stay(root: Path, level: BumpLevel, pre: str, version: str) -> None:
    before = state(root)
    assert bump("demo", level, pre) == f"demo@{version}"
    after = state(root)
    copied = {
        path.replace("1.0.0", version): text.replace(b"version: 1.0.0", f"version: {version}".encode())
        for path, text in before.items()
    }
    assert after == before | copied
    assert digests()


def test_bumping_again_changes_nothing_until_the_copy_is_edited(root: Path) -> None:
    assert bump("demo", "patch") == bump("demo", "patch") == "demo@1.0.1"
    assert bump("demo", "minor") == "demo@1.1.0"
    write_pack(root, "1.1.0", body=MESSAGES.replace("kind", "brief"))
    assert bump("demo", "patch") == bump("demo", "minor") == "demo@1.1.0"
    assert bump("demo@1.1.0", "patch") == "demo@1.1.1"
    commit(root)
    write_pack(root, "1.1.1", body=MESSAGES.replace("kind", "calm"))
    commit(root)
    assert bump("demo", "patch") == "demo@1.1.2"
    assert bump("demo@1.0.0", "major") == "demo@2.0.0"


def test_an_edited_release_is_moved_and_restored(root: Path) -> None:
    before = state(root)
    edited = write_pack(root, "1.0.0", body=MESSAGES.replace("kind", "brief")).read_text(encoding="utf-8")
    write_pack(root, "1.0.0", "de")
    (root / "packs/demo/1.0.0.fr.yaml").unlink()
    found = plan("demo", "auto")
    assert found.comparison is not None
    assert {change.code for change in found.comparison.changes} >= {"PV125", "PV126"}
    assert bump("demo", "auto") == "demo@2.0.0"
    after = state(root)
    assert {path: text for path, text in after.items() if "/1.0.0" in path} == before
    assert after["packs/demo/2.0.0.yaml"].decode() == edited.replace("version: 1.0.0", "version: 2.0.0")
    assert "packs/demo/2.0.0.de.yaml" in after
    assert "packs/demo/2.0.0.fr.yaml" not in after


def test_changed_words_need_a_patch(root: Path) -> None:
    write_pack(root, "1.0.0", body=MESSAGES.replace("kind", "brief"))
    assert bump("demo", "auto", "dev") == "demo@1.0.1-dev"
    assert bump("demo", "auto") == "demo@1.0.1-dev"


def test_a_level_that_is_too_small_is_refused(root: Path) -> None:
    (root / "packs/demo/1.0.0.fr.yaml").unlink()
    assert "PP938 demo@1.0.1 is too small for its changes since demo@1.0.0: major\n" in refused("demo", "patch")
    assert refused("demo", "minor").endswith("hint: nothing was written; run: promptpack bump demo auto")
    assert bump("demo", "major") == "demo@2.0.0"


def test_a_pack_without_a_readable_version_is_refused(root: Path) -> None:
    path = root / "packs/big/0.0.9.yaml"
    path.parent.mkdir()
    path.write_text("promptpack: 1\nname: big\nversion: 0.0." + "9" * 4_290 + "\n", encoding="utf-8")
    assert refused("big", "patch").startswith(
        "packs/big/0.0.9.yaml:3:10: PP116 JSON cannot represent the number 0.0.9999999999999999...\n"
    )


def test_nothing_to_bump_is_said(root: Path) -> None:
    assert refused("demo", "auto") == (
        "PP937 demo@1.0.0 has no change that needs a new version\n"
        "  hint: edit it first; or name the part to raise: promptpack bump demo patch|minor|major"
    )
    path = root / "packs/demo/1.0.0.yaml"
    path.write_text("# a comment\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    assert refused("demo", "auto") == (
        "PP937 the edit of demo@1.0.0 changes only comments, descriptions or tests, which need no new version\n"
        "  hint: to move it to a new version, run: promptpack bump demo patch"
    )
    assert bump("demo", "patch") == "demo@1.0.1"
    assert (root / "packs/demo/1.0.1.yaml").read_text(encoding="utf-8").startswith("# a comment\n")
    assert not path.read_text(encoding="utf-8").startswith("# a comment\n")


def test_a_change_of_a_shared_file_does_not_change_the_pack(root: Path) -> None:
    (root / "packs/_partials").mkdir()
    (root / "packs/_partials/tone.j2").write_text("kind")
    write_pack(root, "1.0.0", body="messages: [{role: user, content: '{% include \"tone\" %}'}]\n")
    commit(root)
    (root / "packs/_partials/tone.j2").write_text("brief")
    assert refused("demo", "auto").startswith("PP937 demo@1.0.0 has changed through a file that it uses")


def test_a_draft_is_compared_with_the_release_before_it(root: Path) -> None:
    write_pack(root, "1.0.1-dev", body=MESSAGES.replace("kind", "brief"))
    write_pack(root, "1.0.1-dev", "fr")
    found = plan("demo", "auto")
    assert (found.target, found.is_enough) == ("demo@1.0.1-dev", True)
    (root / "packs/demo/1.0.1-dev.fr.yaml").unlink()
    assert bump("demo", "auto") == "demo@2.0.0-dev"
    assert (root / "packs/demo/1.0.1-dev.yaml").exists()
    assert bump("demo@1.0.1-dev", "minor") == "demo@1.1.0-dev"
    assert bump("demo@1.0.1-dev", "patch") == "demo@1.0.1-dev"
    assert bump("demo@1.0.1-dev", "patch", "rc.1") == "demo@1.0.1-rc.1"


def test_without_git_and_without_a_release_before_it_every_number_is_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_pack(tmp_path, "1.0.0")
    assert plan("demo", "auto").is_enough
    assert bump("demo", "minor") == "demo@1.1.0"


def test_a_locked_release_without_git_cannot_be_restored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from promptpack.library.locking import renew_lock

    monkeypatch.chdir(tmp_path)
    write_pack(tmp_path, "1.0.0")
    library = Library.open("packs")
    (tmp_path / "packs/packs.lock").write_text(renew_lock(library, library.folders[0]))
    assert "no change that needs" in refused("demo", "auto")
    write_pack(tmp_path, "1.0.0", body=MESSAGES.replace("kind", "brief"))
    for level in ("auto", "patch"):
        assert refused("demo", level).startswith(
            "packs/demo/1.0.0.yaml:3:10: PP937 demo@1.0.0 is locked and was edited, but git has no saved version of it\n"
        )


def test_files_in_the_way_are_named(root: Path) -> None:
    write_pack(root, "1.0.1", body=MESSAGES.replace("kind", "brief"))
    assert refused("demo@1.0.0", "patch") == (
        "packs/demo/1.0.1.yaml: PP936 already exists with different content\n"
        "  hint: nothing was written; delete it if you do not need it, or name another version to start from"
    )
    (root / "packs/demo/1.0.1.yaml").unlink()
    (root / "packs/demo/snapshots/1.0.1.more-hi.txt").symlink_to("elsewhere.txt")
    assert "packs/demo/snapshots/1.0.1.more-hi.txt: PP936" in refused("demo@1.0.0", "patch")


def test_other_bad_requests(root: Path) -> None:
    assert refused("demo", "patch", "a b").startswith("PP937 'a b' cannot follow a version number\n")
    assert refused("dem", "patch").startswith("PP701 no pack named 'dem'")
    assert refused("planner", "patch").startswith("PP935 the shipped pack 'planner' cannot be changed\n")
    shutil.make_archive("packs", "zip", root, "packs")
    with pytest.raises(UsageError, match="PP784"):
        plan_bump(Library.open("packs.zip"), "demo", "patch")


def edit_both(root: Path) -> None:
    write_pack(root, "1.0.0", body=MESSAGES.replace("kind", "brief"))
    write_pack(root, "1.0.0", "fr", body=MESSAGES.replace("kind", "bref"))
    write_pack(root, "1.0.0", "de")


@pytest.mark.parametrize(("is_edited", "level"), [(False, "minor"), (True, "auto"), (True, "minor")])
def test_whatever_is_interrupted_each_pack_is_old_or_new_and_bumping_again_completes_it(
    root: Path, monkeypatch: pytest.MonkeyPatch, is_edited: bool, level: BumpLevel
) -> None:
    if is_edited:
        edit_both(root)
    first = plan("demo", level)
    count = len(first.plan.writes) + len(first.plan.removes)
    before = digests()
    states = [shutil.copytree(root, root.parent / f"after {number}") for number in range(count + 1)]
    bump("demo", level)
    after, wanted = digests(), state(root)
    for number, folder in enumerate(states):
        monkeypatch.chdir(folder)
        apply_some(plan("demo", level).plan, number)
        found = digests()
        assert all(digest in (before.get(key), after.get(key)) for key, digest in found.items())
        assert before.keys() - found.keys() <= before.keys() - after.keys()
        bump("demo", level)
        assert state(folder) == wanted
