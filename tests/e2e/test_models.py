"""Model overlays on the command line."""

import json
from pathlib import Path

import pytest

from tests.e2e.conftest import run

PACK = """\
promptpack: 1
name: greeter
version: 1.0.0
messages:
  - {role: system, content: You greet people.}
  - {role: user, content: Hello!}
models:
  gpt-5*:
    roles: {system: developer}
    suffix: /no_think
    parameters: {reasoning_effort: low, top_p: 0.5}
    strict: false
  gpt-4o: {}
tests:
  - {name: for gpt-5, model: gpt-5-mini, expect: {roles: [developer, user], contains: [/no_think]}}
  - {name: for others, expect: {roles: [system, user], excludes: [/no_think]}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "packs" / "greeter").mkdir(parents=True)
    (tmp_path / "packs" / "greeter" / "1.0.0.yaml").write_text(PACK, encoding="utf-8")
    return tmp_path


def test_show_lists_the_overlays(folder: Path) -> None:
    shown = run(folder, "show", "greeter").stdout
    assert (
        """\
models:
  gpt-5*: system -> developer, suffix, reasoning_effort="low", top_p=0.5, strict=false
  gpt-4o: no changes
"""
        in shown
    )
    assert json.loads(run(folder, "show", "greeter", "--format", "json").stdout)["models"][1] == {
        "glob": "gpt-4o",
        "from": "",
    }


def test_render_applies_the_overlay_of_a_model(folder: Path) -> None:
    assert run(folder, "render", "greeter", "--model", "gpt-5").stdout == (
        "[developer]\nYou greet people.\n/no_think\n\n[user]\nHello!\n"
    )
    assert run(folder, "render", "greeter", "--model", "gpt-4o").stdout == run(folder, "render", "greeter").stdout


def test_tests_name_the_model(folder: Path) -> None:
    done = run(folder, "test")
    assert (done.returncode, done.stderr) == (0, "2 passed, 0 failed\n")
    file = folder / "packs" / "greeter" / "1.0.0.yaml"
    file.write_text(PACK.replace("gpt-5-mini", "o3"), encoding="utf-8")
    assert run(folder, "test").returncode == 1


def test_try_applies_the_overlay_of_its_model(folder: Path) -> None:
    (folder / "replies.yaml").write_text("greeter: Hi!", encoding="utf-8")
    done = run(folder, "try", "greeter", "--model", "gpt-5", "--replies", "replies.yaml", "--full")
    assert (done.returncode, "/no_think" in done.stdout) == (0, True)
