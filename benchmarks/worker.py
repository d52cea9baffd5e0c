"""Run jobs inside an environment. A request is a line of JSON: `[request, module, function, arguments]`.

`count MODULE FUNCTION ARGUMENTS RUNS` runs one job RUNS times and exits, to count instructions: the counted part is
between two calls of `getppid`.
"""

import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any

# Modules next to this file have common names, which must not shadow the modules of libraries.
sys.path[0] = str(Path(__file__).parents[1])

from benchmarks.measuring import Job, Stopwatch  # noqa: E402

WARM = 3


class Worker:
    """The requested jobs, each created once."""

    def __init__(self) -> None:
        self._jobs: dict[str, tuple[Job, Stopwatch]] = {}

    def answer(self, request: str, module: str, function: str, arguments: list[Any]) -> Any:
        """Return the result of a job, or the CPU time of one run."""
        key = json.dumps([module, function, arguments])
        if key not in self._jobs:
            job = make(module, function, arguments)
            self._jobs[key] = (job, Stopwatch(job))
        job, stopwatch = self._jobs[key]
        return job.result() if request == "result" else stopwatch.seconds()


def make(module: str, function: str, arguments: list[Any]) -> Job:
    """Create the job of a side by calling its function."""
    made = getattr(importlib.import_module(module), function)(*arguments)
    assert isinstance(made, Job)
    return made


def serve() -> None:
    """Answer requests until the pipe closes; errors are answers too."""
    answers, sys.stdout = sys.stdout, sys.stderr
    worker = Worker()
    for line in sys.stdin:
        try:
            answer = json.dumps({"answer": worker.answer(*json.loads(line))})
        except Exception as error:  # noqa: BLE001 -- any error of a peer is reported to the parent process
            answer = json.dumps({"error": f"{type(error).__name__}: {error}"})
        answers.write(answer + "\n")
        answers.flush()


def count(module: str, function: str, arguments: str, runs: str) -> None:
    job = make(module, function, json.loads(arguments))
    for given in job.ready(WARM):
        job.run(*given)
    ready = job.ready(int(runs))
    os.getppid()
    for given in ready:
        job.run(*given)
    os.getppid()


if __name__ == "__main__":
    count(*sys.argv[2:]) if sys.argv[1:2] == ["count"] else serve()
