"""The public API is typed: pyright knows it all, and both type checkers find each misspelling in a user's program."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
NODE = Path(sys.executable).parent / "node"
PYRIGHT = Path(sys.prefix) / "editor" / "node_modules" / "pyright" / "index.js"
PROGRAM = """\
import asyncio
import json
from collections.abc import AsyncIterator

import promptpack
from promptpack import Agent, Library, Message, UsageError, Verdict
from promptpack.providers import CycleSettings, ScriptedProvider

REPLY = json.dumps({
    "thought": "t", "action": "TASK_PLAN", "expectedOutcome": "e", "confidence": 80,
    "params": {"executionOrder": ["a"], "tasks": [{
        "id": "a", "description": "d", "dependencies": [], "requiredCapabilities": [], "estimatedDuration": 300000,
    }]},
    "risk": {"level": "low", "description": "d"},
})

library = Library.open(cache=False)
pack = library.get("planner", locale="en")
prompt = pack.render(USER_GOAL="Write the report", RESOURCE_POOL={"capabilities": ["git"]})
verdict: Verdict = prompt.check(REPLY)


def ask(messages: tuple[Message, ...]) -> str:
    return REPLY if messages[-1].role == "user" else ""


async def pieces() -> AsyncIterator[str]:
    yield REPLY


async def read() -> None:
    async for part in prompt.astream(pieces()):
        if part.verdict is not None:
            print(part.verdict.ok)


print(Library.open(grace=5.0, cache=False) == library)
print(library.get("planner@^1", "en", fallback="default").label)
print(library.get("planner", locale="en") == pack)
print(library.reload().changed)
print(library.restore(prompt.to_dict()) == prompt)
print(prompt.check(REPLY, strict=True).ok)
print(prompt.check(REPLY, after=verdict).violations)
print(prompt.check(None).outcome)
print(verdict.outcome == "valid")
print(verdict.output.confidence)
print(verdict.output.risk.level == "low")
print([one.rule for one in verdict.violations])
print(Verdict.from_dict(verdict.to_dict()) == verdict)
print(prompt.correct(ask, rounds=3).ok)
print(sorted(prompt.to("openai")))
print("tools" in prompt.to("anthropic", strict=True))
stream = prompt.stream(strict=False)
print("/action" in stream.feed(REPLY).complete)
print(stream.close(finish_reason="stop").ok)
asyncio.run(read())

agent = Agent(pack, ScriptedProvider([REPLY, REPLY]), CycleSettings(model="scripted"))
print(CycleSettings(rounds=2).rounds)
print(agent.run_with_transcript(prompt).verdict.ok)
print(asyncio.run(agent.arun(USER_GOAL="Write the report")).ok)

flow = library.flow(locale="en")
run = flow.start({"USER_INPUT": "Write the report", "SYSTEM_STATE": {}})
step = run.next()
assert step is not None
print(step.name)
print(run.took(prompt.check(None), given={}).waits_for_user)
print(flow.resume(run.to_dict(), given={}).at)
try:
    library.get("planer")
except UsageError as error:
    print(error.problems[0].code)
print(promptpack.ContextError.__name__)
"""
OUTPUT = """\
True
planner@1.0.0
True
()
True
True
()
no_answer
True
80
True
[]
True
True
['messages', 'response_format']
False
True
True
True
2
True
True
understanding
False
understanding
PP701
ContextError
"""
MISSPELLINGS = (
    ('messages[-1].role == "user"', 'messages[-1].role == "usr"'),
    ("print(part.verdict.ok)", "print(part.verdict.okay)"),
    ("Library.open(grace=5.0, cache=False)", "Library.open(grase=5.0, cache=False)"),
    ('"en", fallback="default"', '"en", fallbak="default"'),
    ('print(library.get("planner", locale="en")', 'print(library.get("planner", local="en")'),
    ("library.reload().changed", "library.reload().chnaged"),
    ("library.restore(", "library.restor("),
    ("prompt.check(REPLY, strict=True)", "prompt.check(REPLY, strct=True)"),
    ("prompt.check(REPLY, after=verdict)", "prompt.check(REPLY, afer=verdict)"),
    ("print(prompt.check(None).outcome)", "print(prompt.chek(None).outcome)"),
    ('verdict.outcome == "valid"', 'verdict.outcome == "vaild"'),
    ("verdict.output.confidence", "verdict.output.confidense"),
    ('verdict.output.risk.level == "low"', 'verdict.output.risk.level == "lwo"'),
    ("one.rule for one", "one.rul for one"),
    ("Verdict.from_dict(", "Verdict.from_dit("),
    ("prompt.correct(ask, rounds=3)", "prompt.correct(ask, round=3)"),
    ('prompt.to("openai")', 'prompt.to("opena")'),
    ('prompt.to("anthropic", strict=True)', 'prompt.to("anthropic", strictly=True)'),
    ("stream.feed(REPLY)", "stream.fed(REPLY)"),
    ('stream.close(finish_reason="stop")', 'stream.close(finish_reasn="stop")'),
    ("CycleSettings(rounds=2)", "CycleSettings(round=2)"),
    ("agent.run_with_transcript(", "agent.run_with_transcrpt("),
    ("agent.arun(", "agent.arunn("),
    ("print(step.name)", "print(step.nane)"),
    ("run.took(prompt.check(None), given={})", "run.took(prompt.check(None), gven={})"),
    ("flow.resume(run.to_dict(), given={})", "flow.resume(run.to_dict(), givn={})"),
    ("error.problems[0].code", "error.problems[0].kode"),
    ("promptpack.ContextError", "promptpack.ContextEror"),
)


def pyright(folder: Path, *words: str) -> dict[str, Any]:
    """Run pyright; the Python that it asks for paths finds this package first."""
    command = [str(NODE), str(PYRIGHT), "--pythonpath", sys.executable, "--outputjson", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def misspelled() -> str:
    """Return the program with every misspelling."""
    text = PROGRAM
    for right, wrong in MISSPELLINGS:
        assert PROGRAM.count(right) == 1, right
        text = text.replace(right, wrong)
    return text


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "misspelled.py").write_text(misspelled(), encoding="utf-8")
    return tmp_path


def planted() -> set[tuple[str, int]]:
    """Return the lines with misspellings: one on each."""
    pairs = zip(PROGRAM.splitlines(), misspelled().splitlines(), strict=True)
    found = {("misspelled.py", number) for number, (right, wrong) in enumerate(pairs, 1) if right != wrong}
    assert len(found) == len(MISSPELLINGS)
    return found


def test_pyright_knows_the_types_of_the_public_names(tmp_path: Path) -> None:
    found = pyright(tmp_path, "--verifytypes", "promptpack", "--ignoreexternal")["typeCompleteness"]
    unknown = [one["name"] for one in found["symbols"] if one["isExported"] and not one["isTypeKnown"]]
    assert found["packageRootDirectory"] == str(ROOT / "promptpack")
    assert found["completenessScore"] >= 0.98, unknown


def test_the_program_runs(programs: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "program.py"]
    done = subprocess.run(command, cwd=programs, env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (OUTPUT, "")


def test_mypy_finds_each_misspelling_and_nothing_else(programs: Path) -> None:
    environment = {**os.environ, "MYPYPATH": str(ROOT)}
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "program.py", "misspelled.py"]
    done = subprocess.run(command, cwd=programs, env=environment, capture_output=True, text=True, check=False)
    found = re.findall(r"^(\S+?):(\d+): error", done.stdout, re.MULTILINE)
    assert {(name, int(line)) for name, line in found} == planted(), done.stdout


def test_pyright_finds_each_misspelling_and_nothing_else(programs: Path) -> None:
    settings = {"extraPaths": [str(ROOT)], "include": ["program.py", "misspelled.py"], "typeCheckingMode": "strict"}
    (programs / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    found = pyright(programs, "-p", str(programs))["generalDiagnostics"]
    lines = {(Path(one["file"]).name, one["range"]["start"]["line"] + 1) for one in found}
    assert lines == planted(), found
