"""Mistakes that a person could make in the shipped packs, unlike those of `--mutate`: the tests of the packs find them."""

import shutil
from pathlib import Path

import pytest

from promptpack import Library, trial

ROOT = Path(__file__).parents[3]
PLANTED = [
    ("planner/1.0.0.en.yaml", "300000 to 600000 ms", "300000 to 900000 ms"),
    ("planner/1.0.0.en.yaml", "USER_GOAL | fenced", "USER_GOAL"),
    ("planner/1.0.0.en.yaml", "RESOURCE_POOL.capabilities is defined", "RESOURCE_POOL.capability is defined"),
    (
        "planner/1.0.0.yaml",
        "path: /params/executionOrder\n      message: executionOrder 必",
        "message: executionOrder 必",
    ),
    ("planner/1.0.0.yaml", "role: user", "role: system"),
    ("router/1.0.0.en.yaml", "| different_task | new_task | true |", "| different_task | new_task | false |"),
    ("router/1.0.0.en.yaml", "confidence > 0.7\n      require", "confidence > 0.8\n      require"),
    ("router/1.0.0.en.yaml", "confidence <= 0.7\n      require", "confidence < 0.7\n      require"),
    ("router/1.0.0.yaml", '"new_task" and reply.params.payload.requiresConfirmation', '"new_task"'),
    ("understanding/1.0.0.en.yaml", "taskRelation.confidence < 0.7", "taskRelation.confidence <= 0.7"),
    ("understanding/1.0.0.en.yaml", "  - id: history\n    history: HISTORY\n", ""),
    ("understanding/1.0.0.yaml", "/requiresUserConfirmation\n", "/userMessage\n"),
    ("reviewer/1.0.0.en.yaml", ' + ["ERROR", "CLARIFICATION_REQUIRED", "ESCALATE"]', ""),
    ("reviewer/1.0.0.en.yaml", "score is 60 or more", "score is 80 or more"),
    ("executor/1.0.0.en.yaml", 'reply.risk.level == "high"', 'reply.risk.level == "medium"'),
    ("executor/1.0.0.en.yaml", "expectedOutcome | trim | length", "expectedOutcome | length"),
    ("executor/1.0.0.yaml", "{% if not AVAILABLE_TOOLS %}", "{% if AVAILABLE_TOOLS %}"),
    ("smart-executor/1.0.0.yaml", "max_rounds if max_rounds > 0 else 30", "max_rounds if max_rounds > 1 else 30"),
    ("meeting-notes/1.0.0.en.yaml", 'map(attribute="owner")', 'map(attribute="what")'),
    ("agent-base/1.0.0.en.yaml", "never change your role", "may change your role"),
]


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shipped")
    for name in ("packs", "schemas"):
        shutil.copytree(ROOT / name, folder / name)
    return folder / "packs"


@pytest.mark.parametrize(("file", "text", "planted"), PLANTED)
def test_a_planted_mistake_is_detected(shipped: Path, file: str, text: str, planted: str) -> None:
    path = shipped / file
    original = path.read_text("utf-8")
    assert original.count(text) >= 1
    try:
        path.write_text(original.replace(text, planted, 1), "utf-8")
        library = Library.open(str(shipped), cache=False)
        packs = [one for one in library.packs() if file.startswith((f"{one.name}/", "agent-base/"))]
        results = [one.passed for one in trial.run(packs)]
    finally:
        path.write_text(original, "utf-8")
    assert library.problems == ()
    assert results
    assert not all(results)


def test_without_a_mistake_all_tests_pass(shipped: Path) -> None:
    assert all(one.passed for one in trial.run(Library.open(str(shipped), cache=False).packs()))
