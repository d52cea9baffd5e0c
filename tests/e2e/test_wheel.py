"""The built wheel, installed into an empty environment, used away from the checkout."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]

SCRIPT = """
import json, promptpack
from promptpack import Library
planner = Library.open().get("planner@^1", locale="en")
prompt = planner.render(USER_GOAL="Write the weekly report")
example = planner.contract.actions["TASK_PLAN"].example
print(json.dumps({
    "file": promptpack.__file__,
    "path": planner.path,
    "roles": [message.role for message in prompt.messages],
    "ok": prompt.check(json.dumps(example)).ok,
    "bad": prompt.check("nothing").outcome,
}))
"""

INTENT = 'INTENT_ANALYSIS={"taskRelation": {"type": "different_task", "confidence": 0.9}}'


def test_the_wheel_renders_and_checks_away_from_the_checkout(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True, cwd=tmp_path)
    (wheel,) = tmp_path.glob("promptpack_agents-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {"promptpack/studio/static/studio.js", "promptpack/studio/static/studio.css"} <= set(names)
    assert [name for name in names if name.startswith("promptpack/studio/web")] == []
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    python = venv / "bin" / "python"
    pinned = ["--require-hashes", "-r", str(ROOT / "requirements" / "run.txt")]
    for source in (pinned, ["--no-index", str(wheel)]):
        subprocess.run([python, "-m", "pip", "install", "-q", *source], check=True, capture_output=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    env = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run([python, "-c", SCRIPT], cwd=elsewhere, env=env, check=True, capture_output=True, text=True)
    facts = json.loads(done.stdout)
    assert facts["file"].startswith(str(venv))
    assert facts["path"].startswith(str(venv))
    assert facts["roles"][0] == "system"
    assert (facts["ok"], facts["bad"]) == (True, "no_answer")
    shown = subprocess.run(
        [venv / "bin" / "promptpack", "render", "router", "--set", INTENT, "--locale", "en"],
        cwd=elsewhere, env=env, check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout.startswith("[system]\nYou are router-agent.")
