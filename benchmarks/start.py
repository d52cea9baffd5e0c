"""A process that opens six packs and renders its first prompt, over a bare interpreter; and what an import takes."""

import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.processes import over, take_turns  # noqa: E402

AGENTS = ("agent-base", "understanding", "router", "planner", "executor", "reviewer", "orchestrator")
FIRST_PROMPT = """
from promptpack import Library
Library.open({packs!r}, cache={cache}).get("planner").render(USER_GOAL="Write the weekly report").to_text()
"""
FOUR = "import jinja2, jsonschema, pydantic, yaml\nclass Model(pydantic.BaseModel):\n    field: int\n"


def main() -> None:
    """Print how many times a bare interpreter each takes."""
    with tempfile.TemporaryDirectory() as folder:
        packs = Path(folder, "packs")
        for agent in AGENTS:
            (packs / agent).mkdir(parents=True)
            shutil.copy(ROOT / "packs" / agent / "1.0.0.yaml", packs / agent)
        codes = {
            "bare interpreter": "pass",
            "import promptpack": "import promptpack",
            "import the four packages": FOUR,
            "first prompt, no cache": FIRST_PROMPT.format(packs=str(packs), cache=False),
            "first prompt, from the cache": FIRST_PROMPT.format(packs=str(packs), cache=None),
        }
        commands = {name: [sys.executable, "-I", "-c", code] for name, code in codes.items()}
        own = {"XDG_CACHE_HOME": f"{folder}/cache", "XDG_STATE_HOME": f"{folder}/state", "PROMPTPACK_CACHE": ""}
        times = take_turns(commands, own)
    bare = times["bare interpreter"]
    for name, timing in times.items():
        print(f"{name:32}{timing.median * 1e3:8.1f} ms of CPU, {over(timing, bare)} times a bare interpreter")
    print(f"import promptpack over the four  {over(times['import promptpack'], times['import the four packages'])}")


if __name__ == "__main__":
    main()
