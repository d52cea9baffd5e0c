"""Drafts that become releases."""

import shutil
from pathlib import Path

import pytest

from promptpack import Library, PackError, UsageError
from promptpack.library.locking import find_differences, renew_lock
from promptpack.versions.releasing import Release, plan_release
from tests.unit.versions.repositories import MESSAGES, apply_some, commit, digests, state, write_pack, write_version

LABELS = "labels:\n  demo:\n    staging: 1.0.1-dev\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a locked release and a draft, both in two languages."""
    folder = tmp_path / "one"
    folder.mkdir()
    monkeypatch.chdir(folder)
    write_version(folder, "1.0.0")
    library = Library.open("packs")
    (folder / "packs/packs.lock").write_text(renew_lock(library, library.folders[0]))
    write_version(folder, "1.0.1-dev")
    write_pack(folder, "1.0.1-dev", "fr", MESSAGES.replace("kind", "bref"))
    commit(folder)
    return folder


def plan(request: str = "demo") -> Release:
    return plan_release(Library.open("packs"), request)


def release(request: str = "demo") -> Release:
    found = plan(request)
    found.plan.pending().apply()
    return found


def refused(request: str = "demo") -> str:
    before = state(Path())
    with pytest.raises((PackError, UsageError)) as caught:
        release(request)
    assert state(Path()) == before
    return str(caught.value)


def test_the_files_are_renamed_and_the_release_is_locked(root: Path) -> None:
    before = state(root)
    assert release().label == "demo@1.0.1"
    after = state(root)
    drafts = {path: text for path, text in before.items() if "1.0.1-dev" in path}
    renamed = {
        path.replace("-dev", ""): text.replace(b"version: 1.0.1-dev", b"version: 1.0.1")
        for path, text in drafts.items()
    }
    lock = after.pop("packs/packs.lock")
    del before["packs/packs.lock"]
    assert after == {path: text for path, text in before.items() if path not in drafts} | renamed
    assert b"demo@1.0.1:" in lock
    library = Library.open("packs", frozen=True)
    assert list(find_differences(library, library.folders[0])) == []


def test_whatever_is_interrupted_each_pack_is_old_or_new_and_releasing_again_completes_it(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = plan().plan
    count = len(first.writes) + len(first.removes)
    before = digests()
    folders = [shutil.copytree(root, root.parent / f"after {number}") for number in range(count)]
    release()
    after, wanted = digests(), state(root)
    assert count == 11
    for number, folder in enumerate(folders):
        monkeypatch.chdir(folder)
        apply_some(plan().plan, number)
        found = digests()
        assert all(digest in (before.get(key), after.get(key)) for key, digest in found.items())
        present = set(found)
        # The draft is removed only when the release is complete and locked.
        assert before.keys() <= present or after.keys() <= present
        release()
        assert state(folder) == wanted


def test_a_version_that_is_too_small_is_refused(root: Path) -> None:
    (root / "packs/demo/1.0.1-dev.fr.yaml").unlink()
    assert refused().endswith(
        "PP938 demo@1.0.1-dev is too small for its changes since demo@1.0.0: major\n"
        "  hint: nothing was written; run: promptpack bump demo@1.0.1-dev auto"
    )


def test_a_draft_that_is_still_named_stays(root: Path) -> None:
    labels, child = (
        root / "packs/labels.yaml",
        write_pack(root, "1.0.0", body="extends: demo@1.0.1-dev\n", name="child"),
    )
    labels.write_text(LABELS)
    (root / "packs/packs.lock").unlink()
    found = release()
    assert sorted(str(problem.location) for problem in found.references) == [
        "packs/child/1.0.0.yaml:6:10", "packs/labels.yaml:3:14",
    ]  # fmt: skip
    assert digests().keys() >= {("demo@1.0.1-dev", "en"), ("demo@1.0.1", "en"), ("demo@1.0.1", "fr")}
    labels.write_text(LABELS.replace("-dev", ""))
    child.write_text(child.read_text().replace("1-dev", "1"))
    library = Library.open("packs")
    (root / "packs/packs.lock").write_text(renew_lock(library, library.folders[0], ["child"]))
    assert release().references == ()
    assert "packs/demo/1.0.1-dev.yaml" not in state(root)


def test_a_flow_that_names_the_draft_keeps_it(root: Path) -> None:
    (root / "packs/flow.yaml").write_text("flow: 1\nsteps:\n  first: {pack: demo@1.0.1-dev}\n")
    assert [problem.code for problem in release().references] == ["PP712"]


def test_another_release_with_the_same_version_is_refused(root: Path) -> None:
    write_pack(root, "1.0.1", body=MESSAGES.replace("kind", "other"))
    assert refused().startswith("packs/demo/1.0.1.yaml: PP936 already exists with different content\n")


def test_a_changed_locked_release_is_refused(root: Path) -> None:
    write_pack(root, "1.0.0", body=MESSAGES.replace("kind", "brief"))
    found = refused()
    assert "PP753 demo@1.0.0 (en) is a locked release, but its content changed\n" in found
    assert "PP933 2 locked release(s) differ\n" in found


def test_only_a_draft_can_be_released(root: Path) -> None:
    assert refused("demo@1.0.0") == (
        "PP937 no draft matches 'demo@1.0.0'\n"
        "  hint: create a draft: promptpack bump demo patch --pre dev; a release is locked by: promptpack lock"
    )
    release()
    assert "no draft matches 'demo'" in refused()
    write_pack(root, "1.0.2-dev")
    write_pack(root, "1.0.2-dev", "fr")
    assert release("demo@1.0.2-dev").label == "demo@1.0.2"
