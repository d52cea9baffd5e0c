"""`promptpack test --mutate`."""

import json
from pathlib import Path

import pytest

from tests.e2e.conftest import run

PACK = """\
promptpack: 1
name: demo
version: 1.0.0
messages:
  - {role: user, content: Say hello. Say bye.}
tests:
  - {name: greets, context: {}, expect: {contains: [hello]}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "packs" / "demo" / "1.0.0.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(PACK)
    return tmp_path


def test_survivors_are_listed_with_a_score(folder: Path) -> None:
    done = run(folder, "test", "--mutate", "--packs", "packs")
    assert (done.returncode, done.stdout) == (
        0, "packs/demo/1.0.0.yaml:5:38: PP950 no test fails if the sentence 'Say bye.' is dropped\n",
    )  # fmt: skip
    assert done.stderr.splitlines() == [
        "1 passed, 0 failed",
        "demo@1.0.0: 1 of 2 changes detected (50 %)",
        "all packs: 1 of 2 changes detected (50 %)",
        "hint: add an expectation that fails after the change, such as 'snapshot: true'",
    ]
    assert run(folder, "test", "--mutate", "--mutate-fail-under", "51", "--packs", "packs").returncode == 1


def test_survivors_as_data_and_for_github(folder: Path) -> None:
    found = json.loads(run(folder, "test", "--mutate", "--format", "json", "--packs", "packs").stdout)
    assert (found["detected"], found["total"], found["refused"]) == (1, 2, 0)
    assert [one["code"] for one in found["packs"][0]["survived"]] == ["PP950"]
    line = run(folder, "test", "--mutate", "--format", "github", "--packs", "packs").stdout
    assert line.startswith("::warning file=packs/demo/1.0.0.yaml,line=5,col=38,")


def test_tests_that_fail_come_first(folder: Path) -> None:
    path = folder / "packs" / "demo" / "1.0.0.yaml"
    path.write_text(PACK.replace("[hello]", "[hi]"))
    done = run(folder, "test", "--mutate", "--packs", "packs")
    assert done.returncode == 1
    assert done.stderr.endswith("fix the tests first; --mutate needs tests that pass\n")
    assert run(folder, "test", "--mutate", "-k", "x", "--packs", "packs").returncode == 2
