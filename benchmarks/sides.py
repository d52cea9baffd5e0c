"""The sides of a benchmark: jobs in environments of their own, and whole processes."""

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal, Self

from benchmarks.environments import python_of, variables, versions
from benchmarks.measuring import Contender, Job, Timing, require_same, take_turns

WORKER = Path(__file__).parent / "worker.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What is true of every side.

    `environment` is named after its file of requirements, and is ours if empty; `packages` are those whose versions
    matter. `over` names the side that this one is compared with and measured against. `units` is how much there is of
    what cost should grow with. `refused` says why there is no figure; that the result differs is looked at too.
    """

    environment: str = ""
    packages: tuple[str, ...] = ()
    over: str = ""
    units: int = 1
    note: str = ""
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Side(Surroundings):
    """One way to do a job: `make` is called with `arguments` in the environment, and makes it ready to run."""

    name: str
    make: Callable[..., Job]
    arguments: tuple[Any, ...] = ()
    counted: bool = False


@dataclass(frozen=True, slots=True)
class Command(Surroundings):
    """A side that is a whole process, from its start to its end; `expected` is what it must print."""

    name: str
    code: str
    arguments: tuple[str, ...] = ()
    expected: str = ""

    def result(self) -> bool:
        """Say whether it prints what it must."""
        return self._run().stdout.strip() == self.expected

    def seconds(self) -> float:
        """Give the CPU time that the process used, its own children included."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self._run()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def _run(self) -> subprocess.CompletedProcess[str]:
        command = [python_of(self.environment), "-I", "-c", self.code, *self.arguments]
        done = subprocess.run(command, check=False, capture_output=True, text=True, env=variables())
        if done.returncode:
            sys.exit(f"{self.name} failed:\n{done.stderr}")
        return done


AnySide = Side | Command


@dataclass(frozen=True, slots=True)
class Table:
    """Sides that are timed in turn.

    The page shows how many times `quicker` they are than their base, their `cost` as a multiple of it, or of that
    only the `worst`.
    """

    name: str
    title: str
    sides: tuple[AnySide, ...]
    rounds: int = 15
    shown: Literal["quicker", "cost", "worst"] = "quicker"


@dataclass(frozen=True, slots=True)
class Figure:
    """What came out for one side: seconds a unit, round by round; without rounds, why there are none."""

    name: str
    over: str = ""
    versions: str = ""
    note: str = ""
    refused: str = ""
    rounds: tuple[float, ...] = ()
    instructions: float | None = None


def measure(table: Table) -> list[Figure]:
    """Compare the results of all sides, then time them in turn."""
    with ExitStack() as stack:
        contenders = _ready(table.sides, stack)
        results = {name: _result(contender) for name, contender in contenders.items()}
        _require_words(table.sides, results)
        require_same(results, {side.name: side.over for side in table.sides if side.over and not side.refused})
        timed = {side.name: contenders[side.name] for side in table.sides if not side.refused}
        timings = take_turns(timed, table.rounds)
    return [_figure(side, timings.get(side.name)) for side in table.sides]


def _ready(sides: Sequence[AnySide], stack: ExitStack) -> dict[str, Contender]:
    processes: dict[tuple[str, Callable[..., Job]], Process] = {}
    contenders: dict[str, Contender] = {}
    for side in sides:
        if isinstance(side, Command):
            contenders[side.name] = side
            continue
        key = (side.environment, side.make)
        if key not in processes:
            processes[key] = stack.enter_context(Process(side.environment))
        contenders[side.name] = Asked(processes[key], side)
    return contenders


def _result(contender: Contender) -> Any:
    try:
        return contender.result()
    except PeerError as error:
        return error


def _require_words(sides: Sequence[AnySide], results: dict[str, Any]) -> None:
    """Stop when a side that is said to be unable is not, and when one fails without anybody having said so."""
    for side in sides:
        result = results[side.name]
        if isinstance(result, PeerError) and not side.refused:
            sys.exit(f"{side.name} failed: {result}")
        if side.refused and result == results[side.over]:
            sys.exit(f"{side.name} gives the same result after all; it needs no reason any more")


def _figure(side: AnySide, timing: Timing | None) -> Figure:
    rounds = tuple(float(f"{time / side.units:.4g}") for time in timing.rounds) if timing is not None else ()
    return Figure(side.name, side.over, versions(side.environment, side.packages), side.note, side.refused, rounds)


class PeerError(Exception):
    """What a side said instead of a result; two of them are never equal."""


class Process:
    """A worker in an environment."""

    def __init__(self, environment: str) -> None:
        self._environment = environment
        self._errors: IO[str] = tempfile.TemporaryFile("w+")  # noqa: SIM115 -- closed with the process

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [python_of(self._environment), WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env=variables(),
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()
        self._errors.close()

    def ask(self, wish: str, side: Side) -> Any:
        """Send one wish and wait for its answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([wish, *job_of(side)]) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            self._errors.seek(0)
            sys.exit(f"the worker of {side.name} ended:\n{self._errors.read()[-2000:]}")
        answer = json.loads(line)
        if "error" in answer:
            raise PeerError(answer["error"])
        return answer["answer"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A side as a contender: its worker does the work and takes the time."""

    process: Process
    side: Side

    def result(self) -> Any:
        return self.process.ask("result", self.side)

    def seconds(self) -> float:
        return float(self.process.ask("seconds", self.side))


def job_of(side: Side) -> tuple[str, str, tuple[Any, ...]]:
    """Name a side's job in a way that another process can find it by."""
    return side.make.__module__, side.make.__name__, side.arguments
