"""`promptpack stubs`: the package runs, type checkers find each planted mistake and nothing else."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import run

ROOT = Path(__file__).parents[2]
NODE = Path(sys.executable).parent / "node"
PYRIGHT = Path(sys.prefix) / "editor" / "node_modules" / "pyright" / "index.js"
PROGRAM = """\
import json

from my_packs import executor, meeting_notes, planner

prompt = planner.render(USER_GOAL="Write the report", RESOURCE_POOL={"capabilities": ["git"]}, locale="en")
reply = json.dumps({
    "thought": "t", "action": "TASK_PLAN", "expectedOutcome": "e", "confidence": 80,
    "params": {"executionOrder": ["a"], "tasks": [{
        "id": "a", "description": "d", "dependencies": [], "requiredCapabilities": [], "estimatedDuration": 300000,
    }]},
    "risk": {"level": "low", "description": "d"},
})
verdict = prompt.check(reply)
if verdict.ok and verdict.error is None:
    first: str = verdict.output.params.tasks[0].id
    print(first, verdict.output.risk.level, verdict.output.params.executionOrder)
executor.render(AVAILABLE_TOOLS=[])
print(meeting_notes.LABEL)
"""
MISTAKES = """\
from my_packs import planner

planner.render(user_gaol="x")  # mistake
planner.render(USER_GOAL=3)  # mistake
planner.render(USER_GOAL="x", locale="de")  # mistake
prompt = planner.render(USER_GOAL="x")
prompt.chek("")  # mistake
verdict = prompt.check("")
print(verdict.output.params.taks)  # mistake
print(verdict.output.params.tasks[0].idd)  # mistake
number: int = verdict.output.params.tasks[0].id  # mistake
print(verdict.output.params.tasks[0].id)
if verdict.error:
    print(verdict.error.params.tasks)  # mistake
    print(verdict.error.thought)
"""
HOSTILE = r"""
promptpack: 1
name: class
version: 1.0.0
locale: en
description: "three \"\"\" quotes, a \\ and\na new line \\"
inputs:
  locale: {type: string, description: "ends with a backslash \\"}
  import: {type: string, default: ""}
  SOURCE: {type: string, default: ""}
  Any: {type: array, items: {type: integer}, default: []}
messages:
  - {role: user, content: "hi {{ locale }}"}
reply:
  actions:
    GO:
      params:
        type: object
        description: "\"\"\" \u2028"
        required: [class, "a b"]
        properties:
          class: {type: string}
          "a b": {type: string}
          a_b: {type: string}
          "\n": {type: string}
          "\"": {type: string}
          _private: {type: string}
          model_dump: {type: string}
          str: {type: string}
          int: {type: integer}
          word: {enum: ["a\"b", "c\\", "\n", "x | y", "p, q]", "\u202e"]}
    Prompt: {params: {type: object, properties: {a: {type: string}}}}
    go: {params: {type: object}}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "packs").symlink_to(ROOT / "packs")
    done = run(tmp_path, "stubs", "packs", "-o", "my_packs")
    assert done.returncode == 0, done.stderr
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "mistakes.py").write_text(MISTAKES, encoding="utf-8")
    return tmp_path


def python(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "PYTHONPATH": f"{folder}:{ROOT}",
        "MYPYPATH": str(ROOT),
        "PATH": "/usr/bin:/bin",
        "HOME": str(folder),
    }
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def mistakes() -> list[int]:
    return [number for number, line in enumerate(MISTAKES.splitlines(), 1) if line.endswith("# mistake")]


def test_the_package_runs(project: Path) -> None:
    done = python(project, "program.py")
    assert (done.stdout, done.stderr) == ("a low ['a']\nmeeting-notes@1.0.0\n", "")


def test_mypy_finds_each_mistake_and_nothing_else(project: Path) -> None:
    done = python(project, "-m", "mypy", "--strict", "program.py", "mistakes.py", "my_packs")
    found = re.findall(r"^(\S+?):(\d+): error", done.stdout, re.MULTILINE)
    assert {(name, int(line)) for name, line in found} == {("mistakes.py", line) for line in mistakes()}, done.stdout


def test_pyright_finds_each_mistake_and_nothing_else(project: Path) -> None:
    settings = {"extraPaths": [str(ROOT)], "include": ["program.py", "mistakes.py", "my_packs"]}
    (project / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [str(NODE), str(PYRIGHT), "-p", str(project), "--pythonpath", sys.executable, "--outputjson"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)["generalDiagnostics"]
    lines = {(Path(one["file"]).name, one["range"]["start"]["line"] + 1) for one in found}
    assert lines == {("mistakes.py", line) for line in mistakes()}, done.stdout


def test_hostile_names_give_valid_code(tmp_path: Path) -> None:
    folder = tmp_path / "packs" / "class"
    folder.mkdir(parents=True)
    (folder / "1.0.0.yaml").write_text(HOSTILE, encoding="utf-8")
    assert run(tmp_path, "stubs", "packs", "-o", "typed").returncode == 0
    done = python(tmp_path, "-m", "mypy", "--strict", "typed")
    assert done.returncode == 0, done.stdout
    code = "from typed import class_; print(class_.render(locale='x', locale2='en').messages[0].text)"
    assert python(tmp_path, "-c", code).stdout == "hi x\n"
    assert max(len(line) for line in (tmp_path / "typed" / "class_.py").read_text("utf-8").splitlines()) <= 120


def test_check_lists_the_files_that_are_out_of_date(tmp_path: Path) -> None:
    pack = tmp_path / "packs" / "greeter" / "1.0.0.yaml"
    pack.parent.mkdir(parents=True)
    text = "promptpack: 1\nname: greeter\nversion: 1.0.0\nlocale: en\nmessages: [{role: user, content: hi}]\n"
    pack.write_text(text, encoding="utf-8")
    words = ("stubs", "packs", "-o", "typed")
    missing = run(tmp_path, *words, "--check")
    assert (missing.returncode, "PP649 typed/greeter.py is out of date" in missing.stderr) == (1, True)
    assert not (tmp_path / "typed").exists()
    assert run(tmp_path, *words).returncode == 0
    assert run(tmp_path, *words, "--check").returncode == 0
    pack.write_text(text.replace("hi}", "hello}"), encoding="utf-8")
    assert run(tmp_path, *words, "--check").returncode == 1
    # Without -B, Python would take its bytecode of a module for current that was written again in the same second.
    used = python(tmp_path, "-B", "-c", "from typed import greeter; greeter.render()")
    assert "PP646 greeter@1.0.0 (en) is not the pack that" in used.stderr
    assert "hint: run: promptpack stubs packs -o typed" in used.stderr
    assert run(tmp_path, *words).returncode == 0
    assert python(tmp_path, "-c", "from typed import greeter; greeter.render()").returncode == 0


def test_a_file_of_the_user_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "packs").symlink_to(ROOT / "packs")
    (tmp_path / "typed").mkdir()
    (tmp_path / "typed" / "planner.py").write_text("mine = 1\n", encoding="utf-8")
    done = run(tmp_path, "stubs", "packs", "-o", "typed")
    assert done.returncode == 2
    assert "PP647 'planner.py' exists, and 'promptpack stubs' did not write it" in done.stderr
    assert [path.name for path in (tmp_path / "typed").iterdir()] == ["planner.py"]


def test_the_example_of_the_page_runs(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "how-to" / "typed-packs.md").read_text(encoding="utf-8")
    (tmp_path / "packs").symlink_to(ROOT / "packs")
    commands = re.findall(r"^\$ promptpack (.*)$", page, re.MULTILINE)
    assert commands
    assert all(run(tmp_path, *command.split()).returncode == 0 for command in commands)
    (tmp_path / "page.py").write_text(
        "\n".join(re.findall(r"^```py\n(.*?)^```", page, re.MULTILINE | re.DOTALL)), encoding="utf-8"
    )
    done = python(tmp_path, "page.py")
    assert done.stdout == re.findall(r"^```text\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[0], done.stderr
