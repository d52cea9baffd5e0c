"""Instructions of one run, counted by valgrind: a number that the load on the machine does not change."""

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
MOST = 500
SUMMARY = re.compile(r"^summary: (\d+)$", re.MULTILINE)


def is_possible() -> bool:
    """Whether valgrind is on this machine."""
    return shutil.which("valgrind") is not None


def count(side: Side, seconds: float) -> float | None:
    """Count a unit, which takes so many seconds, from some warm runs in a process with the same hashes each time."""
    runs = max(2, min(MOST, round(COUNTED_SECONDS / seconds / side.units)))
    counted = _collect(side, runs)
    return None if counted is None else counted / runs / side.units


def _collect(side: Side, runs: int) -> int | None:
    """Give what is counted between the worker's two calls of `getppid`, at each of which a part is written."""
    module, function, arguments = job_of(side)
    with tempfile.TemporaryDirectory() as folder:
        valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", "--dump-after=getppid"]
        job = ["count", module, function, json.dumps(arguments), str(runs)]
        command = [*valgrind, python_of(side.environment), str(WORKER), *job]
        done = subprocess.run(command, check=False, capture_output=True, text=True, env=variables())
        counted = Path(folder, "out.2")
        found = SUMMARY.search(counted.read_text("utf-8")) if counted.exists() else None
    if done.returncode or found is None:
        print(f"the instructions of {side.name} could not be counted:\n{done.stderr}", file=sys.stderr)
        return None
    return int(found[1])
