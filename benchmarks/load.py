"""Opening packs costs the same per pack for 10 and for 1,000, and from the cache at least 15 times less."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.environments import scratch_folder
from benchmarks.measuring import Job
from benchmarks.sides import Side, Table

SIZES = (10, 100, 1_000)
DIGITS = 4
PLANNER = Path(__file__).parents[1] / "packs" / "planner" / "1.0.0.en.yaml"
# What is told apart in every pack: its name, its action, its paragraphs, the messages of its rules.
NUMBERED = (
    "name: planner",
    "Your only duty",
    "Few but complete",
    "each used once",
    "Make the plan",
    "TASK_PLAN",
    "ids must be unique",
    "may only name tasks",
    "every task exactly once",
    "every task must stand",
    "may only be taken from the pool",
)


def opened(size: int, cached: bool) -> Job:
    """Open so many packs: every file is read and checked against the schema of packs."""
    return _opening(size, cached, lambda library: library.list())


def validated(size: int, cached: bool) -> Job:
    """Open so many packs and build each: templates, contracts and rules are checked as well."""
    return _opening(size, cached, lambda library: library.raise_for_problems())


def _opening(size: int, cached: bool, use: Callable[[Any], object]) -> Job:
    from promptpack import Library

    folder = scratch_folder()
    write_packs(folder / "packs", size)
    cache = f"{folder}/cache" if cached else False

    def run() -> Any:
        library = Library.open(f"{folder}/packs", cache=cache)
        use(library)
        return library

    expected = [(f"planner-{number:0{DIGITS}}", "1.0.0", ()) for number in range(size)]
    return Job(run, lambda: [(one.name, str(one.version), one.problems) for one in run().list()] == expected)


def write_packs(folder: Path, size: int) -> None:
    """Write so many packs of the same length whose texts differ, so that none can be had for another."""
    text = PLANNER.read_text("utf-8")
    for number in range(size):
        path = folder / f"planner-{number:0{DIGITS}}" / "1.0.0.yaml"
        path.parent.mkdir(parents=True)
        path.write_text(_numbered(text, number), "utf-8")


def _numbered(text: str, number: int) -> str:
    for words in NUMBERED:
        mark = "_" if words.isupper() else "-" if words.startswith("name:") else " "
        text = text.replace(words, f"{words}{mark}{number:0{DIGITS}}")
    return text


def tables() -> tuple[Table, ...]:
    return (
        _table("load", "Opening and validating packs, for each pack", validated),
        _table("load-open", "Opening packs, for each pack", opened),
    )


def _table(name: str, title: str, make: Callable[..., Job]) -> Table:
    sides: list[Side] = []
    for size in SIZES:
        parsed = f"{size:,} packs, parsed"
        sides += [
            Side(parsed, make, (size, False), units=size),
            Side(f"{size:,} packs, from the cache", make, (size, True), over=parsed, units=size),
        ]
    return Table(name, title, tuple(sides), rounds=3)
