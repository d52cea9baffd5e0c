"""What all benchmarks share: contenders run in turn, the best of a burst each time, ratios with their spread."""

import statistics
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
ENVIRONMENTS = ROOT / ".cache" / "bench"
REQUIREMENTS = Path(__file__).parent / "requirements"

Run = Callable[[], object]


@dataclass(frozen=True)
class Timing:
    """The times of one contender, round by round, in seconds."""

    rounds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The time of the middle round."""
        return statistics.median(self.rounds)

    def times_quicker(self, other: "Timing") -> str:
        """Say how many times quicker this one is than another: the median of the rounds, and nine in ten of them."""
        ratios = sorted(theirs / own for own, theirs in zip(self.rounds, other.rounds, strict=True))
        edge = len(ratios) // 20
        return f"{statistics.median(ratios):7.2f} ({ratios[edge]:.2f} to {ratios[-1 - edge]:.2f})"


def interleave(runs: Mapping[str, Run], rounds: int = 40, burst: int = 10) -> dict[str, Timing]:
    """Time contenders in turn, so that all see the same machine; of each burst the best counts, as the rest is load."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            run()
            times[name].append(min(seconds(run) for _ in range(burst)))
    return {name: Timing(tuple(values)) for name, values in times.items()}


def seconds(run: Run) -> float:
    """Time one run."""
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def install(name: str) -> Path:
    """Give the Python of a peer's own environment, made on first use from its pinned requirements."""
    python = ENVIRONMENTS / name / "bin" / "python"
    if not python.exists():
        print(f"installing {name} into {python.parents[1].relative_to(ROOT)}", file=sys.stderr)
        venv.create(ENVIRONMENTS / name, with_pip=True)
        command = [python, "-m", "pip", "install", "--quiet", "-r", REQUIREMENTS / f"{name}.txt"]
        subprocess.run(command, check=True)
    return python
