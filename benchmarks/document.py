"""Places cost nothing: reading a pack with them takes no longer than PyYAML's CSafeLoader takes without."""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from promptpack.document import parse  # noqa: E402 -- the checkout, whatever is installed

ROUNDS = 40

Read = Callable[[bytes], object]


def main() -> None:
    """Print the time of each shipped pack and of a large one, ours and theirs in turn."""
    sources = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in sorted(ROOT.glob("packs/*/*.yaml"))}
    sources["1,000 tasks in a list"] = large()
    print(f"{'':40}{'KB':>6}{'ours ms':>10}{'CSafeLoader ms':>16}{'ratio':>8}{'  with a place asked for':>26}")
    ratios = []
    for name, source in sources.items():
        ours, theirs, placed = measure(source)
        ratios.append(ours / theirs)
        shown = f"{ours * 1e3:10.2f}{theirs * 1e3:16.2f}{ours / theirs:8.2f}{placed / theirs:26.2f}"
        print(f"{name:40}{len(source) / 1024:6.0f}{shown}")
    print(
        f"\nmedian ratio {statistics.median(ratios):.2f}, worst {max(ratios):.2f}; below 1 is quicker than CSafeLoader"
    )


def measure(source: bytes) -> list[float]:
    """Take the best of some rounds, the contenders in turn so that all see the same machine."""
    contenders: tuple[Read, ...] = (read, read_without_places, read_and_locate)
    assert read(source) == read_without_places(source)
    best = [float("inf")] * len(contenders)
    for _ in range(ROUNDS):
        for index, contender in enumerate(contenders):
            started = time.perf_counter()
            contender(source)
            best[index] = min(best[index], time.perf_counter() - started)
    return best


def read(source: bytes) -> object:
    return parse(source).data


def read_without_places(source: bytes) -> object:
    return yaml.load(source, yaml.CSafeLoader)


def read_and_locate(source: bytes) -> object:
    """Read and ask for a place, which is what a pack with a problem costs."""
    return parse(source).locate(("name",))


def large() -> bytes:
    task = (
        "  - {{id: task-{0}, description: Check part {0} of the report, dependencies: [], estimatedDuration: 300000}}\n"
    )
    return ("tasks:\n" + "".join(task.format(number) for number in range(1_000))).encode()


if __name__ == "__main__":
    main()
