"""The sides of a benchmark: jobs in separate environments, and whole processes."""

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any, Literal, Self

from benchmarks.environments import python_of, variables, versions
from benchmarks.measuring import Contender, Job, SideError, Timing, take_turns

WORKER = Path(__file__).parent / "worker.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class SideOptions:
    """The options of every side.

    `environment` is the name of its requirements file, or empty for our own environment; `packages` are the packages
    whose versions are shown. `over` is the name of the side that this side is compared with. `units` is the size of the
    job: costs are given per unit. `refused` says why there is no figure; it is an error if the result does not differ.
    """

    environment: str = ""
    packages: tuple[str, ...] = ()
    over: str = ""
    units: int = 1
    note: str = ""
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Side(SideOptions):
    """One way to do a job: `make` is called with `arguments` in the environment and returns the job."""

    name: str
    make: Callable[..., Job]
    arguments: tuple[Any, ...] = ()
    counted: bool = False


@dataclass(frozen=True, slots=True)
class Command(SideOptions):
    """A side that is a whole process; it must print `expected`."""

    name: str
    code: str
    arguments: tuple[str, ...] = ()
    expected: str = ""

    def result(self) -> bool:
        """Return whether the process prints the expected text."""
        return self._run().stdout.strip() == self.expected

    def seconds(self) -> float:
        """Return the CPU time of the process, including its children."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self._run()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def _run(self) -> subprocess.CompletedProcess[str]:
        command = [python_of(self.environment), "-I", "-c", self.code, *self.arguments]
        done = subprocess.run(command, check=False, capture_output=True, text=True, env=variables())
        if done.returncode:
            raise _ended(done.returncode, done.stderr)
        return done


AnySide = Side | Command


@dataclass(frozen=True, slots=True)
class Table:
    """Sides that are timed in turn.

    The page shows how many times as fast they are as their base (`faster`), their cost as a multiple of it (`cost`), or
    only the highest costs (`worst`).
    """

    name: str
    title: str
    sides: tuple[AnySide, ...]
    rounds: int = 15
    shown: Literal["faster", "cost", "worst"] = "faster"


@dataclass(frozen=True, slots=True)
class Figure:
    """The measurement of one side: seconds per unit in each round, or the reason why there are none.

    `refused` is a known reason; `failed` is an unexpected one.
    """

    name: str
    over: str = ""
    versions: str = ""
    note: str = ""
    refused: str = ""
    failed: str = ""
    rounds: tuple[float, ...] = ()
    instructions: float | None = None


def measure(table: Table) -> list[Figure]:
    """Compare the results of all sides, then time them in turn; a side that fails does not stop the others."""
    with ExitStack() as stack:
        contenders = _ready(table.sides, stack)
        results = {name: _result(contender) for name, contender in contenders.items()}
        failures = dict(_failures(table.sides, results))
        unfit = {side.name for side in table.sides if side.refused} | failures.keys()
        timings, later = take_turns({name: one for name, one in contenders.items() if name not in unfit}, table.rounds)
    return [_figure(side, timings.get(side.name), {**failures, **later}.get(side.name)) for side in table.sides]


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
        contenders[side.name] = WorkerSide(processes[key], side)
    return contenders


def _result(contender: Contender) -> Any:
    try:
        return contender.result()
    except SideError as error:
        return error


def _failures(sides: Sequence[AnySide], results: Mapping[str, Any]) -> Iterator[tuple[str, SideError]]:
    """Yield sides that fail unexpectedly, and sides that are marked as refused but give the right result."""
    for side in sides:
        result, wanted = results[side.name], results[side.over or side.name]
        if side.refused:
            if result == wanted:
                yield side.name, SideError("gives the same result; remove 'refused'")
        elif isinstance(result, SideError):
            yield side.name, result
        elif result != wanted and not isinstance(wanted, SideError):
            yield side.name, SideError(f"gives a different result than {side.over}")


def _figure(side: AnySide, timing: Timing | None, failure: SideError | None) -> Figure:
    if failure is not None:
        print(f"{side.name} failed: {failure}", file=sys.stderr)
        return Figure(side.name, side.over, note=side.note, failed=str(failure))
    rounds = tuple(float(f"{time / side.units:.4g}") for time in timing.rounds) if timing is not None else ()
    installed = versions(side.environment, side.packages)
    return Figure(side.name, side.over, installed, side.note, side.refused, rounds=rounds)


def _ended(code: int, errors: str) -> SideError:
    """Return an error with the exit status of a process and its last line of output."""
    print(errors, end="", file=sys.stderr)
    lines = errors.strip().splitlines()
    how = f"was killed by signal {-code}" if code < 0 else f"exited with {code}"
    return SideError(": ".join([how, *lines[-1:]]))


class Process:
    """A worker in an environment, started by the first request."""

    def __init__(self, environment: str) -> None:
        self._environment = environment
        self._errors: IO[str] = tempfile.TemporaryFile("w+")  # noqa: SIM115 -- closed with the process

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if "_worker" in vars(self):
            self._worker.communicate()
        self._errors.close()

    @cached_property
    def _worker(self) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [python_of(self._environment), WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env=variables(),
        )

    def ask(self, request: str, side: Side) -> Any:
        """Send one request and return its answer."""
        requests, answers = self._worker.stdin, self._worker.stdout
        assert requests is not None
        assert answers is not None
        try:
            requests.write(json.dumps([request, *job_of(side)]) + "\n")
            requests.flush()
            line = answers.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            self._errors.seek(0)
            raise _ended(self._worker.wait(), self._errors.read()[-2000:])
        answer = json.loads(line)
        if "error" in answer:
            raise SideError(answer["error"])
        return answer["answer"]


@dataclass(frozen=True, slots=True)
class WorkerSide:
    """A side whose job runs in a worker, which also measures the time."""

    process: Process
    side: Side

    def result(self) -> Any:
        return self.process.ask("result", self.side)

    def seconds(self) -> float:
        return float(self.process.ask("seconds", self.side))


def job_of(side: Side) -> tuple[str, str, tuple[Any, ...]]:
    """Return the module, function and arguments of a job, so that another process can import it."""
    return side.make.__module__, side.make.__name__, side.arguments
