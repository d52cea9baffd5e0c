"""`python -m benchmarks [NAME ...] [--write]`: compares and times all sides in turn, and prints tables of ratios."""

import argparse
import importlib
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from time import monotonic

from benchmarks import counting, page, results
from benchmarks.results import Result, result_of
from benchmarks.sides import Figure, Side, Table, measure

# In the order of the page.
BENCHMARKS = (
    "render",
    "schemas",
    "document",
    "start",
    "load",
    "lint",
    "replies",
    "hostile_replies",
    "history",
    "slots",
)


def main(arguments: list[str]) -> None:
    """Run the benchmarks asked for, or all of them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of: {', '.join(BENCHMARKS)}")
    parser.add_argument("--write", action="store_true", help=f"write {page.PAGE.name}, keeping figures not taken now")
    parser.add_argument("--no-count", action="store_true", help="do not count instructions")
    parser.add_argument("--rounds", type=int, metavar="N", help="for a quick look: so many rounds of everything")
    wanted = parser.parse_args(arguments)
    unknown = sorted(set(wanted.names).difference(BENCHMARKS))
    if unknown:
        parser.error(f"no benchmark named {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}")
    if wanted.rounds is not None and wanted.rounds < 1:
        parser.error("there must be a round")
    is_counting = not wanted.no_count and counting.is_possible()
    if not is_counting and not wanted.no_count:
        print("instructions are not counted: valgrind is not on this machine", file=sys.stderr)
    known = results.read()
    found: dict[str, Result] = {}
    lengths: dict[str, float] = {}
    for result, seconds in run(wanted.names or BENCHMARKS, is_counting, wanted.rounds):
        found[result.name], lengths[result.name] = result, seconds
        if wanted.write:
            keep(known | found)
    kept = in_order(known | found if wanted.names else found)
    if wanted.write:
        keep(kept)
    print(page.goals(kept))
    print_lengths(lengths)
    failed = [
        f"{one.name}: {side.name}: {side.failed}" for one in found.values() for side in one.figures if side.failed
    ]
    if failed:
        sys.exit("\n".join(["no figure for:", *failed]))


def keep(kept: dict[str, Result]) -> None:
    """Write figures and the page of them, so that a run which is stopped keeps what it has."""
    results.write(in_order(kept))
    page.write(in_order(kept))


def in_order(kept: dict[str, Result]) -> dict[str, Result]:
    return dict(sorted(kept.items(), key=lambda entry: BENCHMARKS.index(entry[1].benchmark)))


def run(names: Iterable[str], is_counting: bool, rounds: int | None) -> Iterator[tuple[Result, float]]:
    """Measure the tables of some benchmarks, printing each as it is done, with the seconds that it took."""
    for name in names:
        for table in importlib.import_module(f"benchmarks.{name}").tables():
            started = monotonic()
            figures = measure(replace(table, rounds=rounds or table.rounds))
            if is_counting:
                figures = count(table, figures)
            result = result_of(name, table, figures)
            print(page.section(result), flush=True)
            yield result, monotonic() - started


def print_lengths(lengths: dict[str, float]) -> None:
    """Say how long each table took, on the clock of the wall."""
    for name, seconds in lengths.items():
        print(f"{seconds:6.0f} s  {name}", file=sys.stderr)
    print(f"{sum(lengths.values()):6.0f} s  in all", file=sys.stderr)


def count(table: Table, figures: list[Figure]) -> list[Figure]:
    """Count the instructions of those sides that are worth the time."""
    counted = {side.name: side for side in table.sides if isinstance(side, Side) and side.counted}
    return [
        replace(figure, instructions=counting.count(counted[figure.name], figure.rounds[0]))
        if figure.name in counted and figure.rounds
        else figure
        for figure in figures
    ]


if __name__ == "__main__":
    main(sys.argv[1:])
