"""A pack with a small contract, a private folder for journals, and plans with a scripted model."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from promptpack.cycle import CycleSettings, ManualClock, ScriptedProvider
from promptpack.cycle.provider import Request
from promptpack.cycle.providers.scripted import ScriptedReply
from promptpack.evaluation import EvaluatedPack, EvaluationPlan, read_cases
from promptpack.library import Library
from promptpack.pack.model import Pack
from promptpack.private_folder import PrivateFolder

PACK = """\
promptpack: 1
name: grader
version: {version}
agent: grader-agent
description: Grades a text.
locale: en
inputs:
  TEXT: {{type: string, minLength: 1, trust: untrusted, description: The text to grade.}}
  LIMIT: {{type: integer, default: 10, description: The highest grade.}}
  TOKEN: {{type: string, default: "", secret: true, description: A key.}}
messages:
  - role: user
    content: "v{version} {{{{ TEXT | fenced }}}} {{{{ LIMIT }}}} {{{{ TOKEN }}}}"
reply:
  contract: agent-output
  actions:
    GRADE:
      params: {{type: object, required: [grade], properties: {{grade: {{type: integer}}}}}}
      example:
        thought: t
        action: GRADE
        params: {{grade: 1}}
        expectedOutcome: o
        risk: {{level: low, description: d}}
        confidence: 80
tests:
  - name: a text
    context: {{TEXT: hello}}
    expect: {{contains: [hello]}}
"""
PLAIN = """\
promptpack: 1
name: plain
version: 1.0.0
agent: plain-agent
description: Answers with text.
locale: en
inputs:
  TEXT: {type: string, trust: untrusted, description: The text.}
messages:
  - role: user
    content: "{{ TEXT | fenced }}"
"""


def good(grade: int = 1, **changes: Any) -> dict[str, Any]:
    """Return a reply that meets the contract."""
    return {
        "thought": "fine",
        "action": "GRADE",
        "params": {"grade": grade},
        "expectedOutcome": "o",
        "risk": {"level": "low", "description": "d"},
        "confidence": 80,
        **changes,
    }


BAD = good(confidence=150)


@pytest.fixture
def packs(tmp_path: Path) -> Path:
    """A folder with two versions of a pack, and a pack without a contract."""
    folder = tmp_path / "packs"
    (folder / "grader").mkdir(parents=True)
    (folder / "plain").mkdir()
    for version in ("1.0.0", "1.1.0"):
        (folder / "grader" / f"{version}.yaml").write_text(PACK.format(version=version), "utf-8")
    (folder / "plain" / "1.0.0.yaml").write_text(PLAIN, "utf-8")
    return folder


@pytest.fixture
def library(packs: Path) -> Library:
    return Library.open(str(packs), cache=False)


@pytest.fixture
def grader(library: Library) -> Pack:
    return library.get("grader@1.0.0")


@pytest.fixture
def journals(tmp_path: Path) -> PrivateFolder:
    folder = PrivateFolder.open(str(tmp_path / "journals"))
    assert folder is not None
    return folder


Answering = Callable[[Request], ScriptedReply]


def subject_of(pack: Pack, answer: Answering, **settings: Any) -> EvaluatedPack:
    """Return a pack with a scripted model."""
    return EvaluatedPack(pack, ScriptedProvider(answer), CycleSettings("m", **{"rounds": 1, **settings}), "scripted")


def write_cases(folder: Path, count: int) -> str:
    """Write a file of cases whose texts are their numbers."""
    file = folder / "cases.jsonl"
    rows = ({"id": f"c{number}", "context": {"TEXT": f"text {number}."}} for number in range(count))
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(file)


def plan_of(folder: Path, count: int, *subjects: EvaluatedPack, **settings: Any) -> EvaluationPlan:
    """Return a plan over this many cases that never waits."""
    cases = read_cases(write_cases(folder, count), subjects[0].pack)
    return EvaluationPlan(subjects, cases, **{"clock": ManualClock(), "concurrency": 1, **settings})
