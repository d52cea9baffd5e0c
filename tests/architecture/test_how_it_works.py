"""The page `how-it-works.md` names every folder that a render and a check use, and functions in the order they run."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explanation" / "how-it-works.md").read_text(encoding="utf-8")
# Runs in a new process, so that nothing is compiled or cached yet.
PROFILE = """
import json, sys, promptpack
from pathlib import Path
base = str(Path(promptpack.__file__).parent) + "/"

def called(job):
    calls = {}
    def note(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(base) and code.co_flags & 2:
            calls.setdefault(f"{code.co_filename[len(base):]}:{code.co_qualname}", None)
    sys.setprofile(note)
    result = job()
    sys.setprofile(None)
    return result, list(calls)

prompt, rendering = called(
    lambda: promptpack.Library.open(cache=False).get("planner", locale="en").render(USER_GOAL="Write a report")
)
_, checking = called(lambda: prompt.check(sys.argv[1]))
print(json.dumps({"A render": rendering, "A check": checking}))
"""
# Class bodies count too: a module that a render does not need is imported on first use.
WALK = """
import sys, promptpack
from pathlib import Path
base = str(Path(promptpack.__file__).parent) + "/"
modules = set()

def note(frame, event, _):
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(base) and code.co_name != "<module>":
        modules.add(code.co_filename[len(base):])

sys.setprofile(note)
pack = promptpack.Library.open(cache=False).get("planner", locale="en")
for _ in range(3):
    pack.render(USER_GOAL="Write a report")
sys.setprofile(None)
print(*sorted(modules))
"""
MAX_MODULES = 68
REPLY = {
    "thought": "t",
    "action": "TASK_PLAN",
    "params": {
        "tasks": [
            {
                "id": "a",
                "description": "d",
                "dependencies": [],
                "requiredCapabilities": [],
                "estimatedDuration": 300_000,
            }
        ],
        "executionOrder": ["a"],
    },
    "expectedOutcome": "o",
    "risk": {"level": "low", "description": "r"},
    "confidence": 90,
}


@pytest.fixture(scope="module")
def calls() -> dict[str, list[str]]:
    """The functions that a render and a check call, in the order of their first calls."""
    reply = f"Here it is:\n```json\n{json.dumps(REPLY)}\n```"
    done = subprocess.run([sys.executable, "-c", PROFILE, reply], cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def section(title: str) -> str:
    return PAGE.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]


def folder(function: str) -> str:
    path = function.split(":", maxsplit=1)[0]
    return f"{path.split('/')[0]}/" if "/" in path else path


@pytest.mark.parametrize("title", ["A render", "A check"])
def test_the_functions_of_the_page_run_in_its_order(calls: dict[str, list[str]], title: str) -> None:
    rows = re.findall(r"^\| \d+ \| `([^`]+)` \| `([^`]+)` \|", section(title), re.MULTILINE)
    assert all(named == folder(function) for named, function in rows)
    places = [calls[title].index(function) for _, function in rows]
    assert len(places) > 3
    assert places == sorted(places)


def test_the_page_names_every_folder_on_the_way(calls: dict[str, list[str]]) -> None:
    used = {folder(function) for functions in calls.values() for function in functions} - {"__init__.py"}
    listed = {
        named for title in calls for named in re.findall(r"^\| \d+ \| `([^`]+)` \|", section(title), re.MULTILINE)
    }
    supporting = set(re.findall(r"`(\w+\.py)`", section("On the way").split("\n\n")[0]))
    assert used == listed | supporting


def test_few_modules_are_on_the_way_from_opening_a_library_to_the_third_render() -> None:
    done = subprocess.run([sys.executable, "-c", WALK], cwd=ROOT, capture_output=True, text=True, check=True)
    modules = done.stdout.split()
    assert {"files.py", "library/library.py", "prompt/rendering.py"} <= set(modules)
    assert len(modules) <= MAX_MODULES, modules
