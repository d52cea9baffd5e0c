"""`promptpack lock`, frozen libraries, pinned parents, and signatures."""

import pickle
import shutil
import subprocess
from pathlib import Path

import pytest

from promptpack import Library, PackError, UsageError, lint
from promptpack.library.lock import Lock, LockedFile, read_lock, write_lock
from promptpack.pack import digest
from tests.e2e.conftest import run
from tests.e2e.killing import assert_killed_anywhere_is_whole

PARENT = "promptpack: 1\nname: base\nversion: {}\nabstract: true\npartials: {{words: {}}}\n"
ZERO = f"sha256:{0:064}"
ROOT = Path(__file__).parents[2]
CHILD = """\
promptpack: 1
name: demo
version: {}
locale: en
description: Says hi.
extends: base@^1
inputs:
  WHO: {{$ref: who.json, default: you}}
messages:
  - {{role: user, content: '{{% include "words" %}} {{% include "shared" %}} {{{{ WHO }}}}'}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A parent, a child with a partial and a schema file, and a draft of the child."""
    packs = tmp_path / "packs"
    for name in ("base", "demo", "_partials"):
        (packs / name).mkdir(parents=True)
    (packs / "base" / "1.0.0.yaml").write_text(PARENT.format("1.0.0", "old"))
    (packs / "demo" / "1.0.0.yaml").write_text(CHILD.format("1.0.0"))
    (packs / "demo" / "1.1.0-dev.yaml").write_text(CHILD.format("1.1.0-dev"))
    (packs / "demo" / "who.json").write_text('{"type": "string", "maxLength": 9}')
    (packs / "_partials" / "shared.j2").write_text("shared\n")
    return tmp_path


def text(folder: Path, request: str = "demo@1.0.0") -> str:
    return Library.open(str(folder / "packs")).get(request).render().messages[0].text


def lock(folder: Path, *words: str) -> tuple[int, str, str]:
    done = run(folder, "lock", *words)
    return done.returncode, done.stdout, done.stderr


def test_a_lock_is_sorted_and_written_once(folder: Path) -> None:
    assert lock(folder) == (0, "", "wrote packs/packs.lock\n")
    path = folder / "packs" / "packs.lock"
    first = path.read_text()
    lines = [line for line in first.splitlines() if "sha256" not in line]
    assert lines[1:] == [
        "lock: 1", "rendering: 1", "packs:", "  base@1.0.0:", "    default:", "  demo@1.0.0:", "    en:",
        "      parents:", "      files:", "labels: {}", "sources: {}", "...",
    ]  # fmt: skip
    assert lock(folder) == (0, "", "")
    assert lock(folder, "--check") == (0, "", "")
    assert path.read_text() == first


def test_a_locked_child_keeps_its_parent_and_a_draft_follows_the_newest(folder: Path) -> None:
    lock(folder)
    (folder / "packs" / "base" / "1.1.0.yaml").write_text(PARENT.format("1.1.0", "new"))
    assert text(folder) == "old shared you"
    assert text(folder, "demo@1.1.0-dev") == "new shared you"
    assert "PP754 base@1.1.0 is not locked\n" in lock(folder, "--check")[1]
    assert lock(folder)[0] == 0
    assert lock(folder, "--check") == (0, "", "")
    assert text(folder) == "old shared you"
    pickled = pickle.dumps(Library.open(str(folder / "packs")))
    assert pickle.loads(pickled).get("demo@1.0.0").render().messages[0].text == "old shared you"  # noqa: S301 -- ours
    (folder / "packs" / "packs.lock").unlink()
    assert text(folder) == "new shared you"


def test_a_missing_locked_parent_is_named(folder: Path) -> None:
    lock(folder)
    (folder / "packs" / "base" / "1.0.0.yaml").rename(folder / "packs" / "base" / "1.1.0.yaml")
    path = folder / "packs" / "base" / "1.1.0.yaml"
    path.write_text(path.read_text().replace("1.0.0", "1.1.0"))
    hint = "packs.lock has this version; restore it, or run: promptpack lock --update demo@1.0.0"
    assert f"PP231 no version of 'base' matches 'base@1.0.0'\n  hint: {hint}\n" in lock(folder, "--check")[1]
    assert lock(folder, "--update", "demo@1.0.0", "--update", "base@1.0.0")[0] == 0
    assert lock(folder, "--check") == (0, "", "")


def test_a_reload_follows_the_lock(folder: Path) -> None:
    library = Library.open(str(folder / "packs"))
    lock(folder)
    (folder / "packs" / "base" / "1.1.0.yaml").write_text(PARENT.format("1.1.0", "new"))
    library = library.reload().library
    assert library.get("demo@1.0.0").render().messages[0].text == "old shared you"
    (folder / "packs" / "packs.lock").write_text("<<<<<<< ours\n")
    report = library.reload()
    assert [problem.code for problem in report.problems] == ["PP752"]
    assert report.library.get("demo@1.0.0").render().messages[0].text == "old shared you"


@pytest.mark.parametrize(
    ("file", "old", "new", "reason"),
    [
        ("demo/1.0.0.yaml", "role: user", "role: system", "its content changed"),
        ("demo/1.0.0.yaml", "base@^1", "base@1.0.0", "its file changed: a comment, a description or a test"),
        ("demo/1.0.0.yaml", "Says hi.", "Says hello.", "its file changed: a comment, a description or a test"),
        ("demo/1.0.0.yaml", "messages:", "messages:  # why", "its file changed: a comment, a description or a test"),
        (
            "demo/1.0.0.yaml",
            "messages:",
            "tests: [{name: a}]\nmessages:",
            "its file changed: a comment, a description or a test",
        ),
        ("base/1.0.0.yaml", "old", "older", "its parent base@1.0.0 changed"),
        ("_partials/shared.j2", "shared", "public", "a partial that it includes changed, or packs.lock did"),
        ("demo/who.json", "9", "8", "the schema file demo/who.json changed"),
        ("demo/who.json", '"type"', '"description": "a name", "type"', "the schema file demo/who.json changed"),
    ],
)
def test_every_change_of_a_release_is_explained(folder: Path, file: str, old: str, new: str, reason: str) -> None:
    lock(folder)
    path = folder / "packs" / file
    path.write_text(path.read_text().replace(old, new))
    code, found, _ = lock(folder, "--check")
    assert code == 1
    expected = f"packs/demo/1.0.0.yaml:3:10: PP753 demo@1.0.0 (en) is a locked release, but {reason}\n"
    level = "patch" if reason.startswith("its file") else "auto"
    move = f"to move the change to a new version, run: promptpack bump demo@1.0.0 {level} -p packs"
    keep = move if file == "demo/1.0.0.yaml" else "undo the change"
    hint = f"  hint: {keep}; to change the release itself, run: promptpack lock packs --update demo@1.0.0\n"
    assert expected in found
    assert hint in found
    assert expected in run(folder, "lint", "packs", "--select", "PL001").stdout
    with pytest.raises(PackError, match=r"PP753 demo@1\.0\.0"):
        Library.open(str(folder / "packs"), frozen=True)
    before = (folder / "packs" / "packs.lock").read_text()
    code, _, errors = lock(folder)
    assert (code, "PP933" in errors, (folder / "packs" / "packs.lock").read_text()) == (1, True, before)
    assert lock(folder, "--update", "demo@1.0.0", "--update", "base")[0] == 0
    assert lock(folder, "--check") == (0, "", "")


def test_copied_packs_and_schemas_keep_their_lock_until_a_schema_changes(tmp_path: Path) -> None:
    for name in ("packs", "schemas"):
        shutil.copytree(ROOT / name, tmp_path / name)
    before = (tmp_path / "packs" / "packs.lock").read_text()
    assert lock(tmp_path, "--check") == (0, "", "")
    assert Library.open(str(tmp_path / "packs"), frozen=True).get("planner")
    assert (lock(tmp_path), (tmp_path / "packs" / "packs.lock").read_text()) == ((0, "", ""), before)
    path = tmp_path / "schemas" / "params" / "task-plan.schema.json"
    path.write_text(path.read_text() + "\n")
    code, found, _ = lock(tmp_path, "--check")
    reason = "PP753 planner@1.0.0 (en) is a locked release, but the schema file ../schemas/params/task-plan.schema.json changed"
    assert (code, reason in found) == (1, True)


def test_a_missing_release_is_a_difference(folder: Path) -> None:
    lock(folder)
    (folder / "packs" / "demo" / "1.0.0.yaml").unlink()
    code, found, _ = lock(folder, "--check")
    assert code == 1
    assert "packs/packs.lock:10:5: PP755 demo@1.0.0 (en) is locked, but missing\n" in found
    assert lock(folder)[0] == 1
    assert lock(folder, "--update", "demo@1.0.0")[0] == 0
    assert lock(folder, "--check")[0] == 0


def test_a_frozen_library_refuses_drafts_and_changes(folder: Path) -> None:
    with pytest.raises(PackError, match=r"PP758 there is no .*packs\.lock"):
        Library.open(str(folder / "packs"), frozen=True)
    lock(folder)
    library = Library.open(str(folder / "packs"), frozen=True)
    assert library.get("demo").label == "demo@1.0.0"
    with pytest.raises(UsageError, match=r"PP754 demo@1\.1\.0-dev is a draft, and the library is frozen"):
        library.get("demo@1.1.0-dev")
    path = folder / "packs" / "demo" / "1.0.0.yaml"
    path.write_text(path.read_text().replace("role: user", "role: system"))
    report = library.reload()
    assert report.library is library
    assert [problem.code for problem in report.problems] == ["PP753"]


def test_the_lock_records_what_labels_name(folder: Path) -> None:
    (folder / "packs" / "labels.yaml").write_text("labels: {demo: {production: 1.0.0, trial: {1.0.0: 1}}}\n")
    found = run(folder, "lint", "packs", "--select", "PL001").stdout
    assert "PP749" not in found
    (folder / "packs" / "packs.lock").write_text("lock: 1\nrendering: 1\npacks: {}\nlabels: {}\nsources: {}\n...\n")
    assert "PP749 label 'production' names demo@1.0.0, which is not locked" in run(folder, "lint", "packs").stdout
    lock(folder)
    assert "    production: 1.0.0\n    trial:\n      1.0.0: 1\n" in (folder / "packs" / "packs.lock").read_text()
    (folder / "packs" / "labels.yaml").write_text("labels: {demo: {trial: {1.0.0: 1}}}\n")
    _, found, _ = lock(folder, "--check")
    assert "PP757 label demo@production names nothing, and 1.0.0 when it was locked\n" in found


@pytest.mark.parametrize(
    ("labels", "problem"),
    [
        ("{a: b, b: a}", "packs/labels.yaml:1:20: PP743 labels of 'demo' form a cycle: a -> b -> a\n"),
        ("{a: 9.0.0}", "packs/labels.yaml:1:20: PP744 label 'a' names demo@9.0.0, which does not exist\n"),
        ("[", "packs/labels.yaml:1:"),
    ],
)
def test_wrong_labels_are_not_locked(folder: Path, labels: str, problem: str) -> None:
    (folder / "packs" / "labels.yaml").write_text(f"labels: {{demo: {labels}}}\n")
    code, _, errors = lock(folder)
    assert (code, problem in errors, (folder / "packs" / "packs.lock").exists()) == (1, True, False)


def test_other_rendering_rules_are_a_difference(folder: Path) -> None:
    lock(folder)
    path = folder / "packs" / "packs.lock"
    path.write_text(path.read_text().replace("rendering: 1", "rendering: 7"))
    code, found, _ = lock(folder, "--check")
    rules = digest.RENDERING_RULES
    assert code == 1
    assert f"PP756 the packs were locked with rendering rules 7, but this version uses {rules}\n" in found
    assert lock(folder)[0] == 1
    assert lock(folder, "--rendering")[0] == 0
    assert lock(folder, "--check")[0] == 0


def test_a_broken_release_is_not_locked(folder: Path) -> None:
    path = folder / "packs" / "demo" / "1.0.0.yaml"
    path.write_text(path.read_text() + "nope: 1\n")
    code, _, errors = lock(folder)
    assert (code, (folder / "packs" / "packs.lock").exists()) == (1, False)
    assert "PP932 a broken release cannot be locked\n  hint: fix it first; nothing was written\n" in errors


def test_a_check_reports_broken_packs(folder: Path) -> None:
    lock(folder)
    path = folder / "packs" / "demo" / "1.0.0.yaml"
    path.write_text(path.read_text() + "nope: 1\n")
    code, found, _ = lock(folder, "--check")
    assert (code, "packs/demo/1.0.0.yaml:11:1: PP202 unknown key 'nope'" in found) == (1, True)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("lock: 1\n<<<<<<< ours\n", "packs/packs.lock:2:1: PP752 the lock file has a merge conflict\n"),
        ("lock: 1\n  <<<<<<< ours\n", "packs/packs.lock:2:1: PP752 the lock file has a merge conflict\n"),
        ("lock: 1\n||||||| base\n", "packs/packs.lock:2:1: PP752 the lock file has a merge conflict\n"),
        (f"lock: 1\nrendering: 1\npacks: {{demo@01.0.0: {{en: {{digest: {ZERO}, content: {ZERO}}}}}}}\nlabels: {{}}\nsources: {{}}\n...\n", "packs/packs.lock:3:9: PP751 'demo@01.0.0' is not a release such as planner@1.0.0\n"),
        ("lock: 1\nlock: 1\n", "packs/packs.lock:2:1: PP112 key 'lock' appears twice"),
        ("lock: 1\nrendering: 1\npacks: {}\nlabels: {}\nsources: {}\n", "packs/packs.lock:5:1: PP751 the file is cut off: it does not end with '...'\n"),
        ("lock: 2\nrendering: 1\npacks: {}\n", "packs/packs.lock:1:7: PP751"),
        ("lock: 1\nrendering: 1\npacks: {demo@1.0.0: {en: {digest: x, content: y}}}\n", "PP751"),
        ("- 1\n", "PP751"),
        ("a: " * 100, "packs/packs.lock:1:"),
        ("a: &a [*a]\n", "packs/packs.lock:1:"),
        ("x" * 1_000_001, "PP102"),
        ("\x00", "packs/packs.lock"),
    ],
)  # fmt: skip
def test_a_bad_lock_file_is_a_located_problem(folder: Path, content: str, problem: str) -> None:
    path = folder / "packs" / "packs.lock"
    path.write_text(content)
    for words in (("lock", "--check"), ("lock",), ("lint", "packs")):
        done = run(folder, *words)
        assert done.returncode == 1
        assert problem in done.stdout + done.stderr
    assert path.read_text() == content
    with pytest.raises(PackError):
        Library.open(str(folder / "packs"), frozen=True)


def test_a_linked_lock_file_is_refused(folder: Path) -> None:
    lock(folder)
    path = folder / "packs" / "packs.lock"
    path.rename(folder / "elsewhere")
    path.symlink_to(folder / "elsewhere")
    with pytest.raises(PackError, match=r"PP122 'packs.lock' is a symbolic link"):
        Library.open(str(folder / "packs"), frozen=True)
    assert lock(folder, "--check")[0] == 1
    (folder / "elsewhere").unlink()
    assert "PP122" in run(folder, "lint", "packs").stdout


def test_two_branches_that_lock_different_packs_merge(folder: Path) -> None:
    def git(*words: str) -> int:
        base = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        return subprocess.run([*base, *words], cwd=folder, capture_output=True, check=False).returncode

    lock(folder)
    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-qm", "start")
    git("checkout", "-qb", "other")
    (folder / "packs" / "base" / "1.1.0.yaml").write_text(PARENT.format("1.1.0", "new"))
    lock(folder)
    git("add", "-A")
    git("commit", "-qm", "base")
    git("checkout", "-q", "main")
    (folder / "packs" / "demo" / "1.2.0.yaml").write_text(CHILD.format("1.2.0"))
    lock(folder)
    git("add", "-A")
    git("commit", "-qm", "demo")
    assert git("merge", "-q", "other") == 0
    assert lock(folder, "--check") == (0, "", "")


def test_a_killed_command_leaves_the_old_or_the_new_lock(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, pack = folder / "packs" / "packs.lock", folder / "packs" / "demo" / "1.0.0.yaml"
    lock(folder)
    pack.write_text(pack.read_text().replace("role: user", "role: system"))
    monkeypatch.chdir(folder)
    assert_killed_anywhere_is_whole(path, ["lock", "packs", "--update", "demo@1.0.0"])


def test_a_lock_that_is_cut_off_is_refused_at_every_line(folder: Path) -> None:
    (folder / "packs" / "labels.yaml").write_text("labels: {demo: {production: 1.0.0}}\n")
    lock(folder)
    whole = (folder / "packs" / "packs.lock").read_bytes()
    for end in range(len(whole) - len("...\n")):
        with pytest.raises(PackError):
            read_lock(whole[:end], "packs.lock")
    assert read_lock(whole, "packs.lock").labels == {"demo": {"production": "1.0.0"}}


def test_a_lock_has_room_for_thousands_of_releases() -> None:
    row = LockedFile(ZERO, ZERO)
    packs = {(f"some-long-name-of-a-pack@{number}.0.0", "zh-CN"): row for number in range(4_000)}
    text = write_lock(Lock(packs, {}))
    assert len(text) < 1_000_000
    assert read_lock(text.encode(), "packs.lock").packs == packs


def test_a_parent_in_another_folder_is_locked(folder: Path) -> None:
    (folder / "packs" / "base").rename(folder / "base-moved")
    (folder / "bases").mkdir()
    (folder / "base-moved").rename(folder / "bases" / "base")
    assert lock(folder, "packs", "bases") == (0, "", "wrote packs/packs.lock\nwrote bases/packs.lock\n")
    assert lock(folder, "--check", "packs", "bases") == (0, "", "")
    (folder / "bases" / "base" / "1.1.0.yaml").write_text(PARENT.format("1.1.0", "new"))
    library = Library.open(str(folder / "packs"), str(folder / "bases"))
    assert library.get("demo@1.0.0").render().messages[0].text == "old shared you"


def test_a_frozen_library_stays_frozen_in_another_process(folder: Path) -> None:
    lock(folder)
    library = pickle.loads(pickle.dumps(Library.open(str(folder / "packs"), frozen=True)))  # noqa: S301 -- ours
    with pytest.raises(UsageError, match=r"PP754 demo@1\.1\.0-dev is a draft, and the library is frozen"):
        library.get("demo@1.1.0-dev")


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="needs ssh-keygen")
def test_a_lock_is_signed_and_verified(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("key", "stranger"):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(words, check=True)
    (folder / "signers").write_text("team@example.org " + (folder / "key.pub").read_text())
    lock(folder)
    assert "PP934 packs/packs.lock has no signature packs/packs.lock.sig\n" in lock(folder, "--verify", "signers")[2]
    assert lock(folder, "--sign", "key") == (0, "", "wrote packs/packs.lock.sig\n")
    assert lock(folder, "--verify", "signers") == (0, "packs/packs.lock is signed by team@example.org\n", "")
    # A variable that is empty by mistake does not allow everyone.
    assert lock(folder, "--verify", "signers", "--identity", "")[0] == 1
    code, _, errors = lock(folder, "--verify", "signers", "--identity", "boss@example.org")
    assert (code, "PP934 the signature does not match 'boss@example.org'" in errors) == (1, True)
    path = folder / "packs" / "packs.lock"
    signed = path.read_text()
    path.write_text(signed.replace("rendering: 1", "rendering: 1 "))
    assert "PP934 the signature does not match 'team@example.org'" in lock(folder, "--verify", "signers")[2]
    path.write_text(signed)
    (folder / "packs" / "demo" / "1.2.0.yaml").write_text(CHILD.format("1.2.0"))
    assert "packs/packs.lock.sig no longer matches; sign it again" in lock(folder)[2]
    assert lock(folder, "--sign", "stranger")[0] == 0
    assert "PP934 packs/packs.lock was not signed by an allowed signer" in lock(folder, "--verify", "signers")[2]
    monkeypatch.setenv("PATH", str(folder))
    assert "PP934 there is no command 'ssh-keygen'\n" in lock(folder, "--sign", "key")[2]


def test_an_update_of_an_unknown_pack_is_refused(folder: Path) -> None:
    lock(folder)
    assert "PP701 no pack named 'dem'" in lock(folder, "--update", "dem")[2]
    assert "PP933 'demo@1.1.0-dev' is not locked yet\n" in lock(folder, "--update", "demo@1.1.0-dev")[2]


def test_a_lint_from_the_cache_compares_releases_with_the_lock(folder: Path) -> None:
    lock(folder)
    assert find_changed(folder) == []
    path = folder / "packs" / "demo" / "1.0.0.yaml"
    text = path.read_text()
    path.write_text(text.replace("role: user", "role: system"))
    assert find_changed(folder) == find_changed(folder) == ["PP753"]
    path.write_text(text)
    partial = folder / "packs" / "_partials" / "shared.j2"
    partial.write_text("changed\n")
    assert find_changed(folder) == find_changed(folder) == ["PP753"]
    partial.write_text("shared\n")
    schema = folder / "packs" / "demo" / "who.json"
    schema.write_text('{"type": "string"}')
    assert find_changed(folder) == find_changed(folder) == ["PP753"]
    schema.write_text('{"type": "string", "maxLength": 9}')
    assert find_changed(folder) == []
    locked = folder / "packs" / "packs.lock"
    locked.write_text(locked.read_text().replace("rendering: 1", "rendering: 2"))
    assert find_changed(folder) == find_changed(folder) == ["PP756"]


def find_changed(folder: Path) -> list[str]:
    report = lint([str(folder / "packs")], select=["PL001"], cache=str(folder / "cache"))
    return [problem.code for problem in report.problems if problem.code.startswith("PP7")]
