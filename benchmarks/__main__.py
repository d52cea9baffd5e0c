"""`python -m benchmarks [NAME ...] [--write]`: compares and times all sides in turn, and prints tables of ratios."""

import argparse
import importlib
import sys
from dataclasses import replace

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
    found: dict[str, Result] = {}
    for name in wanted.names or BENCHMARKS:
        found |= run(name, is_counting, wanted.rounds)
        kept = in_order(results.read() | found if wanted.names else found)
        if wanted.write:
            results.write(kept)
            page.write(kept)
    print(page.goals(kept))


def in_order(kept: dict[str, Result]) -> dict[str, Result]:
    return dict(sorted(kept.items(), key=lambda entry: BENCHMARKS.index(entry[1].benchmark)))


def run(name: str, is_counting: bool, rounds: int | None) -> dict[str, Result]:
    """Measure the tables of a benchmark, printing each as it is done."""
    found = {}
    for table in importlib.import_module(f"benchmarks.{name}").tables():
        figures = measure(replace(table, rounds=rounds or table.rounds))
        if is_counting:
            figures = count(table, figures)
        found[table.name] = result_of(name, table, figures)
        print(page.section(found[table.name]), flush=True)
    return found


def count(table: Table, figures: list[Figure]) -> list[Figure]:
    """Count the instructions of those sides that are worth the time."""
    counted = {side.name: side for side in table.sides if isinstance(side, Side) and side.counted}
    return [
        replace(figure, instructions=counting.count(counted[figure.name], figure.rounds[0]))
        if figure.name in counted
        else figure
        for figure in figures
    ]


if __name__ == "__main__":
    main(sys.argv[1:])
