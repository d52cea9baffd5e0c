"""Runs jobs inside of an environment, asked by a pipe: one JSON text a line, `[wish, module, function, arguments]`.

With `count MODULE FUNCTION ARGUMENTS RUNS` it runs one job so often and ends, for those who count instructions: what is
to be counted lies between two calls of `getppid`.
"""

import importlib
import json
import os
import sys
from itertools import repeat
from pathlib import Path
from typing import Any

# Beside this file are modules with common names, which must not hide a library's own.
sys.path[0] = str(Path(__file__).parents[1])

from benchmarks.measuring import Job, Stopwatch  # noqa: E402

WARM = 3


class Worker:
    """The jobs that were asked for, each made once."""

    def __init__(self) -> None:
        self._jobs: dict[str, tuple[Job, Stopwatch]] = {}

    def answer(self, wish: str, module: str, function: str, arguments: list[Any]) -> Any:
        """Give a job's result, or the CPU time of one run."""
        key = json.dumps([module, function, arguments])
        if key not in self._jobs:
            job = make(module, function, arguments)
            self._jobs[key] = (job, Stopwatch(job.run))
        job, stopwatch = self._jobs[key]
        return job.result() if wish == "result" else stopwatch.seconds()


def make(module: str, function: str, arguments: list[Any]) -> Job:
    """Make a job as its side's function describes it."""
    made = getattr(importlib.import_module(module), function)(*arguments)
    assert isinstance(made, Job)
    return made


def serve() -> None:
    """Answer until the pipe closes; what goes wrong is an answer too."""
    answers, sys.stdout = sys.stdout, sys.stderr
    worker = Worker()
    for line in sys.stdin:
        try:
            answer = json.dumps({"answer": worker.answer(*json.loads(line))})
        except Exception as error:  # noqa: BLE001 -- whatever a peer raises is what the asker wants to know
            answer = json.dumps({"error": f"{type(error).__name__}: {error}"})
        answers.write(answer + "\n")
        answers.flush()


def count(module: str, function: str, arguments: str, runs: str) -> None:
    job = make(module, function, json.loads(arguments))
    for _ in range(WARM):
        job.run()
    os.getppid()
    for _ in repeat(None, int(runs)):
        job.run()
    os.getppid()


if __name__ == "__main__":
    count(*sys.argv[2:]) if sys.argv[1:2] == ["count"] else serve()
