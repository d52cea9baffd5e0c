"""The number of instructions of one run, counted by valgrind: it does not depend on the load of the machine."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.environments import python_of, variables
from benchmarks.sides import WORKER, Side, job_of

COUNTED_SECONDS = 0.05
MAX_RUNS = 500
SUMMARY = re.compile(r"^summary: (\d+)$", re.MULTILINE)


def is_possible() -> bool:
    """Return whether valgrind is installed."""
    return shutil.which("valgrind") is not None


def count(side: Side, seconds: float) -> float | None:
    """Return the instructions per unit, from warm runs with a fixed hash seed; `seconds` is the time per unit."""
    runs = max(2, min(MAX_RUNS, round(COUNTED_SECONDS / seconds / side.units)))
    counted = _collect(side, runs)
    return None if counted is None else counted / runs / side.units


def _collect(side: Side, runs: int) -> int | None:
    """Return the count between the worker's two calls of `getppid`; callgrind writes a dump at each call."""
    module, function, arguments = job_of(side)
    with tempfile.TemporaryDirectory() as folder:
        valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", "--dump-after=getppid"]
        job = ["count", module, function, json.dumps(arguments), str(runs)]
        command = [*valgrind, python_of(side.environment), str(WORKER), *job]
        done = subprocess.run(command, check=False, capture_output=True, text=True, env=variables())
        counted = Path(folder, "out.2")
        found = SUMMARY.search(counted.read_text("utf-8")) if counted.exists() else None
    if done.returncode or found is None:
        print(f"cannot count the instructions of {side.name}:\n{done.stderr}", file=sys.stderr)
        return None
    return int(found[1])
