"""`python -m benchmarks [NAME ...] [--write]`: compare all sides, time them, and print tables of ratios."""

import argparse
import importlib
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from time import monotonic

from benchmarks import counting, page, results
from benchmarks.results import Result, result_of
from benchmarks.sides import Figure, Side, Table, measure

# In the order of the tables on the page.
BENCHMARKS = (
    "render",
    "shipped",
    "schemas",
    "document",
    "start",
    "load",
    "lint",
    "replies",
    "hostile_replies",
    "history",
    "slots",
    "pack_tests",
    "batch",
)


def main(arguments: list[str]) -> None:
    """Run the named benchmarks, or all of them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of: {', '.join(BENCHMARKS)}; all by default")
    parser.add_argument("--write", action="store_true", help=f"update {page.PAGE.name}; keep all other figures")
    parser.add_argument("--no-count", action="store_true", help="do not count instructions")
    parser.add_argument("--rounds", type=int, metavar="N", help="run N rounds of every table, for a quick check")
    wanted = parser.parse_args(arguments)
    unknown = sorted(set(wanted.names).difference(BENCHMARKS))
    if unknown:
        parser.error(f"unknown benchmark {', '.join(unknown)}; choose from {', '.join(BENCHMARKS)}")
    if wanted.rounds is not None and wanted.rounds < 1:
        parser.error("--rounds must be at least 1")
    is_counting = not wanted.no_count and counting.is_possible()
    if not is_counting and not wanted.no_count:
        print("cannot count instructions: valgrind is not installed", file=sys.stderr)
    saved = results.read()
    found: dict[str, Result] = {}
    durations: dict[str, float] = {}
    for result, seconds in run(wanted.names or BENCHMARKS, is_counting, wanted.rounds):
        found[result.name], durations[result.name] = result, seconds
        if wanted.write:
            save(saved | found)
    shown = in_order(saved | found if wanted.names else found)
    if wanted.write:
        save(shown)
    print(page.goals(shown))
    print_durations(durations)
    failed = [
        f"{one.name}: {side.name}: {side.failed}" for one in found.values() for side in one.figures if side.failed
    ]
    if failed:
        sys.exit("\n".join(["failed:", *failed]))


def save(found: dict[str, Result]) -> None:
    """Write the figures and the page. Called after every table, so that an interrupted run loses nothing."""
    results.write(in_order(found))
    page.write(in_order(found))


def in_order(found: dict[str, Result]) -> dict[str, Result]:
    return dict(sorted(found.items(), key=lambda entry: BENCHMARKS.index(entry[1].benchmark)))


def run(names: Iterable[str], is_counting: bool, rounds: int | None) -> Iterator[tuple[Result, float]]:
    """Measure and print the tables of the named benchmarks; yield each result with its duration in seconds."""
    for name in names:
        for table in importlib.import_module(f"benchmarks.{name}").tables():
            started = monotonic()
            figures = measure(replace(table, rounds=rounds or table.rounds))
            if is_counting:
                figures = count(table, figures)
            result = result_of(name, table, figures)
            print(page.section(result), flush=True)
            yield result, monotonic() - started


def print_durations(durations: dict[str, float]) -> None:
    """Print how long each table took, in wall-clock time."""
    for name, seconds in durations.items():
        print(f"{seconds:6.0f} s  {name}", file=sys.stderr)
    print(f"{sum(durations.values()):6.0f} s  total", file=sys.stderr)


def count(table: Table, figures: list[Figure]) -> list[Figure]:
    """Add the instruction counts of the sides that are marked as counted."""
    counted = {side.name: side for side in table.sides if isinstance(side, Side) and side.counted}
    return [
        replace(figure, instructions=counting.count(counted[figure.name], figure.rounds[0]))
        if figure.name in counted and figure.rounds
        else figure
        for figure in figures
    ]


if __name__ == "__main__":
    main(sys.argv[1:])
