"""`promptpack bump`, `promptpack release` and `promptpack render --diff`."""

import json
import shutil
from pathlib import Path

import pytest

from tests.e2e.conftest import run
from tests.e2e.killing import list_states_after_kills
from tests.unit.versions.repositories import MESSAGES, commit, state, write_pack, write_version


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository with a release in two languages."""
    root = tmp_path / "one"
    root.mkdir()
    write_version(root, "1.0.0")
    commit(root)
    return root


def test_an_edit_becomes_a_draft_and_then_a_release(folder: Path) -> None:
    write_pack(folder, "1.0.0", body=MESSAGES.replace("kind", "brief"))
    done = run(folder, "bump", "demo", "auto", "--pre", "dev")
    assert (done.returncode, done.stdout) == (0, "demo@1.0.1-dev\n")
    lines = done.stderr.splitlines()
    assert lines[0].startswith("packs/demo/1.0.0.yaml:")
    assert lines[0].endswith("(patch)")
    assert lines[1:] == [
        "wrote packs/demo/snapshots/1.0.1-dev.more-hi.txt",
        "wrote packs/demo/snapshots/1.0.1-dev.fr.more-hi.txt",
        "wrote packs/demo/1.0.1-dev.yaml",
        "wrote packs/demo/1.0.1-dev.fr.yaml",
        "wrote packs/demo/1.0.1-dev.tests.yaml",
        "restored packs/demo/1.0.0.yaml",
    ]
    assert (
        "large enough for its changes since demo@1.0.0; nothing was written\n"
        in run(folder, "bump", "demo", "auto").stderr
    )
    refused = run(folder, "release", "demo")
    assert refused.returncode == 1
    assert "PP939 test 'more hi': the prompt differs from its snapshot" in refused.stderr
    assert refused.stderr.endswith(
        "PP939 demo@1.0.1-dev is not ready: 0 problem(s), 1 failed expectation(s) of its tests\n"
        "  hint: nothing was written; fix what 'promptpack lint' and 'promptpack test demo@1.0.1-dev' report\n"
    )
    run(folder, "test", "demo@1.0.1-dev", "--update")
    done = run(folder, "release", "demo")
    assert (done.returncode, done.stdout) == (0, "demo@1.0.1\n")
    assert done.stderr.splitlines() == [
        "wrote packs/demo/snapshots/1.0.1.more-hi.txt",
        "wrote packs/demo/snapshots/1.0.1.fr.more-hi.txt",
        "wrote packs/demo/1.0.1.yaml",
        "wrote packs/demo/1.0.1.fr.yaml",
        "wrote packs/demo/1.0.1.tests.yaml",
        "wrote packs/packs.lock",
        "deleted packs/demo/1.0.1-dev.tests.yaml",
        "deleted packs/demo/snapshots/1.0.1-dev.fr.more-hi.txt",
        "deleted packs/demo/snapshots/1.0.1-dev.more-hi.txt",
        "deleted packs/demo/1.0.1-dev.fr.yaml",
        "deleted packs/demo/1.0.1-dev.yaml",
    ]
    assert run(folder, "lock", "--check").returncode == run(folder, "lint", "packs").returncode == 0
    assert run(folder, "test").returncode == 0


def test_a_draft_with_problems_is_not_released(folder: Path) -> None:
    write_pack(folder, "1.1.0-dev", body=MESSAGES + "inputs: {WHO: {type: string, default: you}}\n")
    write_pack(folder, "1.1.0-dev", "fr")
    before = state(folder)
    done = run(folder, "release", "demo")
    assert done.returncode == 1
    assert "packs/demo/1.1.0-dev.yaml:8:10: PL001 input 'WHO' is not used" in done.stderr
    assert "PP939 demo@1.1.0-dev is not ready: " in done.stderr
    assert state(folder) == before


def test_references_to_a_released_draft_are_reported(folder: Path) -> None:
    write_version(folder, "1.0.1-dev")
    (folder / "packs/labels.yaml").write_text("labels: {demo: {staging: 1.0.1-dev}}\n")
    done = run(folder, "release", "demo")
    assert (done.returncode, done.stdout) == (1, "demo@1.0.1\n")
    assert done.stderr.endswith(
        "packs/labels.yaml:1:26: PP940 demo@1.0.1-dev is not removed, because this still refers to it\n"
        "  hint: name 1.0.1 there, then run: promptpack release demo@1.0.1-dev\n"
    )
    run(folder, "label", "demo", "staging", "1.0.1")
    done = run(folder, "release", "demo")
    assert (done.returncode, (folder / "packs/demo/1.0.1-dev.yaml").exists()) == (0, False)


def test_nothing_is_written_if_one_file_cannot_be_written(folder: Path) -> None:
    snapshots = folder / "packs/demo/snapshots"
    shutil.rmtree(snapshots)
    write_pack(folder, "1.0.0", body=MESSAGES.replace("kind", "brief"))
    snapshots.write_text("a file that is in the way of the saved snapshot")
    before = state(folder)
    done = run(folder, "bump", "demo", "auto")
    assert done.returncode == 2
    assert "packs/demo/snapshots/1.0.0.more-hi.txt: PP126 cannot be written: " in done.stderr
    assert state(folder) == before


def test_render_compares_with_the_saved_prompt_by_words(folder: Path) -> None:
    body = MESSAGES.replace("kind", "brief") + "  - {role: user, content: Thanks.}\n"
    write_pack(folder, "1.0.0", body=body)
    assert run(folder, "render", "demo", "--diff").stdout == (
        "--- demo@1.0.0 git:HEAD:packs/demo/1.0.0.yaml\n"
        "+++ demo@1.0.0 packs/demo/1.0.0.yaml\n"
        "user: changed\nBe [-kind-]{+brief+} and say hi.\n"
        "user: added\n{+Thanks.+}\n"
    )
    write_pack(
        folder, "1.1.0", body="messages: [{role: system, content: 'New {{ WHO }}.'}]\ninputs: {WHO: {type: string}}\n"
    )
    run(folder, "label", "demo", "old", "1.0.0")
    found = run(folder, "render", "demo", "--diff", "old", "--set", "WHO=x", "--format", "json").stdout
    rows = json.loads(found)
    assert rows["old"] == {"pack": "demo@1.0.0", "locale": "en", "path": "packs/demo/1.0.0.yaml"}
    assert [(row["role"], row["state"], row["old"], row["new"]) for row in rows["messages"]] == [
        ("system", "added", None, 0), ("user", "removed", 0, None), ("user", "removed", 1, None),
    ]  # fmt: skip
    assert rows["messages"][0]["pieces"] == [{"kind": "added", "text": "New x."}]
    done = run(folder, "render", "demo", "--diff", "--set", "WHO=x")
    assert (done.returncode, done.stderr) == (
        2,
        "PP941 packs/demo/1.1.0.yaml is not in HEAD, so there is nothing to compare with\n"
        "  hint: name a version or a label: --diff 1.0.0\n",
    )


def test_render_needs_a_repository_to_compare_with_the_saved_prompt(tmp_path: Path) -> None:
    write_pack(tmp_path, "1.0.0")
    done = run(tmp_path, "render", "demo", "--diff")
    assert (done.returncode, "PP771" in done.stderr) == (2, True)
    assert "user: unchanged" in run(tmp_path, "render", "demo", "--diff", "1.0.0").stdout


@pytest.mark.parametrize("words", [("bump", "demo", "auto"), ("release", "demo")])
def test_a_killed_command_is_completed_by_running_it_again(folder: Path, words: tuple[str, ...]) -> None:
    if words[0] == "release":
        write_version(folder, "1.0.1-dev")
    else:
        write_pack(folder, "1.0.0", body=MESSAGES.replace("kind", "brief"))
        write_pack(folder, "1.0.0", "fr", MESSAGES.replace("kind", "bref"))
    before = state(folder)
    *killed, wanted = list_states_after_kills(folder, list(words), state)
    assert len(killed) > len(wanted.keys() - before.keys())  # each new file takes at least one change
    for found in killed:
        assert all(text in (before.get(path), wanted.get(path)) for path, text in found.items())
        assert before.keys() & wanted.keys() <= found.keys()
