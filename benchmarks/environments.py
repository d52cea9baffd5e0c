"""The virtual environments of the peers: created on first use from pinned requirements, with equal variables."""

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from functools import cache
from pathlib import Path

from benchmarks.measuring import SideError

ROOT = Path(__file__).parents[1]
ENVIRONMENTS = ROOT / ".cache" / "bench"
REQUIREMENTS = Path(__file__).parent / "requirements"
SETTINGS = {
    "PYTHONHASHSEED": "0",
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "PROMPTPACK_CACHE": "",
    "XDG_CACHE_HOME": str(ENVIRONMENTS / "user" / "cache"),
    "XDG_STATE_HOME": str(ENVIRONMENTS / "user" / "state"),
}
UNWANTED = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH")


def scratch_folder() -> Path:
    """Create a folder that is deleted when this process ends."""
    folder = tempfile.mkdtemp(prefix="bench-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def variables() -> dict[str, str]:
    """Return the environment variables of every side, without variables that slow Python down."""
    return {name: value for name, value in os.environ.items() if name not in UNWANTED} | SETTINGS


def python_of(environment: str) -> str:
    """Return the Python of an environment, which is created on first use; our own Python if the name is empty."""
    return str(_installed(environment)) if environment else sys.executable


@cache
def _installed(environment: str) -> Path:
    folder, pins = ENVIRONMENTS / environment, REQUIREMENTS / f"{environment}.txt"
    python, mark = folder / "bin" / "python", folder / "installed.txt"
    wanted = pins.read_text("utf-8")
    if not mark.exists() or mark.read_text("utf-8") != wanted:
        print(f"installing {environment} into {folder}", file=sys.stderr)
        # Our own pip installs into it: installing pip first takes longer than most peers.
        venv.create(folder, clear=True)
        pip = [
            sys.executable,
            "-m",
            "pip",
            "--python",
            str(python),
            "install",
            "--quiet",
            "--no-deps",
            "--require-hashes",
        ]
        done = subprocess.run([*pip, "-r", str(pins)], check=False)
        if done.returncode:
            raise SideError(f"pip cannot install benchmarks/requirements/{pins.name}")
        mark.write_text(wanted, "utf-8")
    return python


def versions(environment: str, packages: tuple[str, ...]) -> str:
    """Return packages with their installed versions, as text."""
    if not packages:
        return ""
    code = "import sys; from importlib.metadata import version; print(*map(version, sys.argv[1:]))"
    command = [python_of(environment), "-I", "-c", code, *packages]
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    return ", ".join(map(" ".join, zip(packages, found.stdout.split(), strict=True)))
