"""Instructions of one run, counted by valgrind: a number that the load on the machine does not change."""

import json
import re
import shutil
import subprocess

from benchmarks.environments import python_of, variables
from benchmarks.sides import WORKER, Side, job_of

FEW = 3
COUNTED_SECONDS = 0.05
MOST = 500
COLLECTED = re.compile(r"Collected : (\d+)")


def is_possible() -> bool:
    """Whether valgrind is on this machine."""
    return shutil.which("valgrind") is not None


def count(side: Side, seconds: float) -> float:
    """Count a unit, from many runs less few, each in a process with the same hashes: set-up is the same in both."""
    more = max(2, min(MOST, round(COUNTED_SECONDS / seconds / side.units)))
    return (_collect(side, FEW + more) - _collect(side, FEW)) / more / side.units


def _collect(side: Side, runs: int) -> int:
    module, function, arguments = job_of(side)
    job = ["count", module, function, json.dumps(arguments), str(runs)]
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command = [*valgrind, python_of(side.environment), str(WORKER), *job]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=variables())
    found = COLLECTED.search(done.stderr)
    assert found is not None
    return int(found[1])
