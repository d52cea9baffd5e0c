"""The extension for VS Code: its own tests, with the real language server of this environment and a stubbed editor."""

import os
import re
import subprocess
import sys
from pathlib import Path

# In milliseconds. Only a server that never answers gets here, however busy the machine is.
DEADLINE = 120_000
EXTENSION = Path(__file__).parents[2] / "editors" / "vscode"
SCRIPTS = Path(sys.executable).parent


def test_the_extension_passes_its_tests() -> None:
    env = {**os.environ, "PROMPTPACK_COMMAND": str(SCRIPTS / "promptpack")}
    node = str(SCRIPTS / "node")
    subprocess.run([node, "build.mjs"], cwd=EXTENSION, check=True)
    files = sorted(str(file) for file in (EXTENSION / "test").glob("*.test.mts"))
    command = [node, "--test", f"--test-timeout={DEADLINE}", *files]
    done = subprocess.run(command, cwd=EXTENSION, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    written = sum(len(re.findall(r"^test\(", Path(file).read_text("utf-8"), re.MULTILINE)) for file in files)
    assert f"pass {written}\n" in done.stdout
