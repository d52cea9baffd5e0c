"""The hooks, run by the real pre-commit in a new git repository, with valid and broken packs."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

MANIFEST = Path(__file__).parents[2] / ".pre-commit-hooks.yaml"
BIN = Path(sys.executable).parent
GOOD = """\
promptpack: 1
name: greeter
version: 1.0.0
inputs:
  NAME: {type: string, description: Who is greeted.}
messages:
  - {role: user, content: "Greet {{ NAME }}."}
tests:
  - {name: greets, context: {NAME: Ann}, expect: {contains: [Ann]}}
"""


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith(("GIT_", "PRE_COMMIT"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PATH", f"{BIN}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    (tmp_path / "gitconfig").write_text("[user]\nname = A\nemail = a@example.org\n[init]\ndefaultBranch = main\n")
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    shutil.copy(MANIFEST, hooks)
    git(hooks, "init", "-q")
    commit(hooks, "hooks")
    work = tmp_path / "work"
    (work / "packs" / "greeter").mkdir(parents=True)
    git(work, "init", "-q")
    wanted = [{"id": f"promptpack-{name}-system"} for name in ("lint", "test", "diff")]
    config = {"repos": [{"repo": str(hooks), "rev": git(hooks, "rev-parse", "HEAD").strip(), "hooks": wanted}]}
    (work / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    subprocess.run([BIN / "pre-commit", "install"], cwd=work, check=True, capture_output=True)
    return work


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout


def commit(folder: Path, message: str) -> subprocess.CompletedProcess[str]:
    git(folder, "add", "-A")
    return subprocess.run(["git", "commit", "-m", message], cwd=folder, check=False, capture_output=True, text=True)


def test_the_hooks_accept_valid_packs_and_reject_broken_ones(repository: Path) -> None:
    pack = repository / "packs" / "greeter" / "1.0.0.yaml"
    pack.write_text(GOOD, encoding="utf-8")
    done = commit(repository, "a good pack")
    assert (done.returncode, done.stderr.count("Passed")) == (0, 3), done.stderr

    pack.write_text(GOOD.replace("{{ NAME }}", "{{ NAEM }}"), encoding="utf-8")
    done = commit(repository, "a misspelled input")
    assert done.returncode == 1
    assert "packs/greeter/1.0.0.yaml:7:37: PP301 template uses undeclared input 'NAEM'" in done.stderr

    pack.write_text(GOOD.replace("[Ann]", "[Zoe]"), encoding="utf-8")
    done = commit(repository, "a test that fails")
    assert done.returncode == 1
    assert "does not contain 'Zoe'" in done.stderr

    pack.write_text(GOOD, encoding="utf-8")
    (repository / "packs" / "_partials").mkdir()
    (repository / "packs" / "_partials" / "tone.j2").write_text("Be {{ KIND }.\n", encoding="utf-8")
    done = commit(repository, "a broken partial")
    assert done.returncode == 1
    assert "packs/_partials/tone.j2:1:" in done.stderr

    (repository / "packs" / "_partials" / "tone.j2").write_text("Be kind.\n", encoding="utf-8")
    (repository / "notes.yaml").write_text("no: pack\n", encoding="utf-8")
    assert commit(repository, "files that are not packs").returncode == 0

    new = GOOD.replace("1.0.0", "1.0.1").replace(
        "  NAME:", "  PLACE: {type: string, default: '', description: Where}\n  NAME:"
    )
    (repository / "packs" / "greeter" / "1.0.1.yaml").write_text(
        new.replace("NAME }}.", "NAME }}{{ PLACE }}."), "utf-8"
    )
    done = commit(repository, "a version that is too small")
    assert done.returncode == 1
    assert "packs/greeter/1.0.1.yaml:3:10: PP765 version 1.0.1 is too small" in done.stderr


PARENT = """\
promptpack: 1
name: base
version: 1.0.0
inputs:
  TICKET: {$ref: ../shared/ticket.json, description: The ticket.}
messages:
  - {id: task, role: user, content: "{% include 'tone' %} {{ TICKET.title }}"}
"""
CHILD = """\
promptpack: 1
name: child
version: 1.0.0
extends: base@^1
messages:
  - {id: task, role: user, content: "Title: {{ TICKET.title }}"}
"""
FLOW = """\
flow: 1
steps:
  first:
    pack: child
    inputs: {TICKET: given}
    next: end
"""
TICKET = '{"type": "object", "additionalProperties": false, "required": ["title"], "properties": {"title": {"type": "string"}}}'


@pytest.mark.parametrize(
    ("file", "change", "problem"),
    [
        ("_partials/tone.j2", None, "PP305"),
        ("base/1.0.0.yaml", None, "PP231"),
        ("shared/ticket.json", None, "PP213"),
        ("child/1.0.0.yaml", None, "PP712"),
        ("child/1.0.0.yaml", ("name: child", "name: kid"), "PP712"),
        ("base/1.0.0.yaml", ("  TICKET:", "  CASE:"), "PP301"),
        ("shared/ticket.json", ("title", "subject"), "PL201"),
    ],
    ids=["delete a partial", "delete a parent", "delete a schema", "delete a pack", "rename a pack", "parent", "schema"],
)  # fmt: skip
def test_a_change_that_breaks_another_file_cannot_be_committed(
    repository: Path, file: str, change: tuple[str, str] | None, problem: str
) -> None:
    texts = {
        "base/1.0.0.yaml": PARENT,
        "shared/ticket.json": TICKET,
        "child/1.0.0.yaml": CHILD,
        "_partials/tone.j2": "Be kind.",
        "flow.yaml": FLOW,
    }
    for name, text in texts.items():
        path = repository / "packs" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    done = commit(repository, "good packs")
    assert done.returncode == 0, done.stderr
    path = repository / "packs" / file
    if change is None:
        path.unlink()
    else:
        path.write_text(texts[file].replace(*change), encoding="utf-8")
    done = commit(repository, "a change")
    assert done.returncode == 1
    assert problem in done.stderr


def test_the_manifest_is_valid_and_every_hook_has_a_system_form() -> None:
    subprocess.run([BIN / "pre-commit", "validate-manifest", MANIFEST], check=True, capture_output=True)
    hooks = {hook["id"]: hook for hook in yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))}
    names = ("promptpack-lint", "promptpack-lock", "promptpack-diff", "promptpack-test")
    assert set(hooks) == {*names, *(f"{name}-system" for name in names)}
    for name in names:
        own, system = (
            {key: value for key, value in hooks[one].items() if key not in ("id", "language", "description")}
            for one in (name, f"{name}-system")
        )
        assert own == system
        assert (hooks[name]["language"], hooks[f"{name}-system"]["language"]) == ("python", "system")
