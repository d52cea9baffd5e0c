"""Whole processes, timed in turn by the CPU they use, which load on the machine changes least."""

import os
import resource
import statistics
import subprocess
from collections.abc import Mapping, Sequence

from benchmarks.measuring import Timing


def take_turns(
    commands: Mapping[str, Sequence[str]], environment: Mapping[str, str], rounds: int = 11
) -> dict[str, Timing]:
    """Run the commands in turn; each must succeed, and has been run once before it counts."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            used = _cpu_seconds(command, {**os.environ, **environment})
            if number:
                times[name].append(used)
    return {name: Timing(tuple(values)) for name, values in times.items()}


def over(own: Timing, base: Timing) -> str:
    """Say how many times the base a command takes, with the spread of nine in ten rounds."""
    ratios = sorted(mine / theirs for mine, theirs in zip(own.rounds, base.rounds, strict=True))
    edge = len(ratios) // 20
    return f"{statistics.median(ratios):6.2f} ({ratios[edge]:.2f} to {ratios[-1 - edge]:.2f})"


def _cpu_seconds(command: Sequence[str], environment: Mapping[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True, env=dict(environment))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
