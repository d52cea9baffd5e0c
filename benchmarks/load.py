"""Opening packs costs the same per pack for 10 and for 1,000 packs, and is at least 15 times as fast from the cache."""

from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

from benchmarks.environments import scratch_folder
from benchmarks.measuring import Job
from benchmarks.sides import Side, Table

SIZES = (10, 100, 1_000)
DIGITS = 4
PLANNER = Path(__file__).parents[1] / "packs" / "planner" / "1.0.0.en.yaml"
# Texts that get a number in every pack: its name, its action, its paragraphs, the messages of its rules.
NUMBERED = (
    "name: planner",
    "Your only job",
    "Few but complete",
    "each used once",
    "Make the plan",
    "TASK_PLAN",
    "ids must be unique",
    "may only name tasks",
    "every task exactly once",
    "every task after",
    "may only use names from the pool",
)


def opened(size: int, cached: bool, total: int = SIZES[-1]) -> Job:
    """Open `size` packs: every file is read and validated against the pack schema."""
    return _opening(size, cached, total, lambda library: library.list())


def validated(size: int, cached: bool, total: int = SIZES[-1]) -> Job:
    """Open `size` packs and build each: templates, contracts and rules are checked too."""
    return _opening(size, cached, total, lambda library: library.raise_for_problems())


def _opening(size: int, cached: bool, total: int, use: Callable[[Any], object]) -> Job:
    """Open one folder of `size` packs per run, in turn; all folders together have `total` packs at every size.

    A process caches the last templates it compiled, so a single small folder would come from the cache in the next run.
    """
    from promptpack import Library

    place = scratch_folder()
    folders = [f"{place}/packs-{first:0{DIGITS}}" for first in range(0, total, size)]
    for number, folder in enumerate(folders):
        write_packs(Path(folder), size, number * size)
    cache = f"{place}/cache" if cached else False

    def open_folder(folder: str) -> Any:
        library = Library.open(folder, cache=cache)
        use(library)
        return library

    def result() -> bool:
        found = [one for folder in folders for one in open_folder(folder).list()]
        names = [f"planner-{number:0{DIGITS}}" for number in range(total)]
        return [(one.name, str(one.version), one.problems) for one in found] == [(name, "1.0.0", ()) for name in names]

    turns = cycle(folders)
    return Job(lambda: open_folder(next(turns)), result)


def write_packs(folder: Path, size: int, first: int = 0) -> None:
    """Write `size` packs of the same length whose texts differ, so that no cached result fits two packs."""
    text = PLANNER.read_text("utf-8")
    for number in range(first, first + size):
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
        _table("load", "Opening and validating packs, per pack", validated),
        _table("load-open", "Opening packs, per pack", opened),
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
