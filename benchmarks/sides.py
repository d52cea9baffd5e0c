"""The sides of a benchmark: jobs in environments of their own, and whole processes."""

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
class BuildContext:
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
class Side(BuildContext):
    """One way to do a job: `make` is called with `arguments` in the environment, and makes it ready to run."""

    name: str
    make: Callable[..., Job]
    arguments: tuple[Any, ...] = ()
    counted: bool = False


@dataclass(frozen=True, slots=True)
class Command(BuildContext):
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
            raise _ended(done.returncode, done.stderr)
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
    """What came out for one side: seconds a unit, round by round; without rounds, why there are none.

    `refused` was known before; that it `failed` came as a surprise.
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
    """Compare the results of all sides, then time them in turn; one that fails on the way keeps no other from it."""
    with ExitStack() as stack:
        contenders = _ready(table.sides, stack)
        results = {name: _result(contender) for name, contender in contenders.items()}
        failures = dict(_failures(table.sides, results))
        unfit = {side.name for side in table.sides if side.refused} | failures.keys()
        timings, late = take_turns({name: one for name, one in contenders.items() if name not in unfit}, table.rounds)
    return [_figure(side, timings.get(side.name), {**failures, **late}.get(side.name)) for side in table.sides]


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
    except SideError as error:
        return error


def _failures(sides: Sequence[AnySide], results: Mapping[str, Any]) -> Iterator[tuple[str, SideError]]:
    """Find the sides that failed although nobody had said so, and those said to be unable that are not."""
    for side in sides:
        result, wanted = results[side.name], results[side.over or side.name]
        if side.refused:
            if result == wanted:
                yield side.name, SideError("gives the same result after all; it needs no reason any more")
        elif isinstance(result, SideError):
            yield side.name, result
        elif result != wanted and not isinstance(wanted, SideError):
            yield side.name, SideError(f"not the same result as that of {side.over}")


def _figure(side: AnySide, timing: Timing | None, failure: SideError | None) -> Figure:
    if failure is not None:
        print(f"{side.name} failed: {failure}", file=sys.stderr)
        return Figure(side.name, side.over, note=side.note, failed=str(failure))
    rounds = tuple(float(f"{time / side.units:.4g}") for time in timing.rounds) if timing is not None else ()
    known = versions(side.environment, side.packages)
    return Figure(side.name, side.over, known, side.note, side.refused, rounds=rounds)


def _ended(code: int, errors: str) -> SideError:
    """Say how a process ended, and the last that it said."""
    print(errors, end="", file=sys.stderr)
    lines = errors.strip().splitlines()
    how = f"was killed by signal {-code}" if code < 0 else f"ended with {code}"
    return SideError(": ".join([how, *lines[-1:]]))


class Process:
    """A worker in an environment, started when it is first asked."""

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

    def ask(self, wish: str, side: Side) -> Any:
        """Send one wish and wait for its answer."""
        asked, answers = self._worker.stdin, self._worker.stdout
        assert asked is not None
        assert answers is not None
        try:
            asked.write(json.dumps([wish, *job_of(side)]) + "\n")
            asked.flush()
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
