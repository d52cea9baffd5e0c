"""The figures of the last run, stored next to the code, so that the page can be regenerated."""

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.measuring import Spread, Timing
from benchmarks.sides import Figure, Table

HEAD = ("benchmark", "title", "shown", "machine")
FILE = Path(__file__).parent / "results.json"


@dataclass(frozen=True, slots=True)
class Result:
    """The figures of one table, with the machine and the date."""

    name: str
    benchmark: str
    title: str
    shown: str
    machine: str
    figures: tuple[Figure, ...]

    def cost(self, side: str, over: str) -> Spread | None:
        """Return the cost of a side as a multiple of another side; None if one of them has no figure."""
        rounds = {figure.name: figure.rounds for figure in self.figures}
        if not rounds.get(side) or not rounds.get(over):
            return None
        return Timing(rounds[side]).over(Timing(rounds[over]))


def result_of(benchmark: str, table: Table, figures: Sequence[Figure]) -> Result:
    return Result(table.name, benchmark, table.title, table.shown, machine(), tuple(figures))


def machine() -> str:
    """Describe the machine, with the current date."""
    python, day = platform.python_version(), datetime.now(UTC).date()
    return f"{_processor()}, {os.cpu_count()} cores, {platform.system()}, Python {python}, {day}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.machine()
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.machine()


def read() -> dict[str, Result]:
    """Read the last figures, by table name."""
    if not FILE.exists():
        return {}
    return {name: _load(name, entry) for name, entry in json.loads(FILE.read_text("utf-8")).items()}


def write(results: dict[str, Result]) -> None:
    """Store the figures, one side per line for readable diffs."""
    tables = (f"{json.dumps(result.name)}: {_dump(result)}" for result in results.values())
    FILE.write_text("{\n" + ",\n".join(tables) + "\n}\n", "utf-8")


def _dump(result: Result) -> str:
    head = {name: getattr(result, name) for name in HEAD}
    lines = ",\n".join(f"  {json.dumps(_short(asdict(figure)), ensure_ascii=False)}" for figure in result.figures)
    return f'{json.dumps(head)[:-1]}, "figures": [\n{lines}\n]}}'


def _short(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if value}


def _load(name: str, entry: dict[str, Any]) -> Result:
    figures = (Figure(**(figure | {"rounds": tuple(figure.get("rounds", ()))})) for figure in entry["figures"])
    return Result(name, **{key: entry[key] for key in HEAD}, figures=tuple(figures))
