"""Positions are free: a pack is parsed with positions twice as fast as by PyYAML's CSafeLoader without them."""

from collections.abc import Callable
from pathlib import Path

from benchmarks.measuring import Job
from benchmarks.sides import Side, Table

PACKS = Path(__file__).parents[1] / "packs"


def promptpack(source: str) -> Job:
    from promptpack.document import parse

    return _reading(source, lambda text: parse(text).data)


def promptpack_located(source: str) -> Job:
    """Parse and look up a position, as for a pack with a problem."""
    from promptpack.document import parse

    def read(text: bytes) -> object:
        document = parse(text)
        document.locate(())
        return document.data

    return _reading(source, read)


def csafeloader(source: str) -> Job:
    import yaml

    return _reading(source, lambda text: yaml.load(text, yaml.CSafeLoader))


def _reading(source: str, read: Callable[[bytes], object]) -> Job:
    texts = [path.read_bytes() for path in sorted(PACKS.glob("*/*.yaml"))] if source == "packs" else [_large()]

    def run() -> object:
        return [read(text) for text in texts]

    return Job(run, run)


def _large() -> bytes:
    task = (
        "  - {{id: task-{0}, description: Check part {0} of the report, dependencies: [], estimatedDuration: 300000}}\n"
    )
    return ("tasks:\n" + "".join(task.format(number) for number in range(1_000))).encode()


def tables() -> tuple[Table, ...]:
    kinds = {"packs": "the shipped packs", "list": "a list of 1,000 tasks"}
    sizes = {"packs": len(list(PACKS.glob("*/*.yaml"))), "list": 1}
    sides: list[Side] = []
    for kind, name in kinds.items():
        base, size, counted = f"CSafeLoader, {name}", sizes[kind], kind == "packs"
        sides += [
            Side(base, csafeloader, (kind,), packages=("pyyaml",), units=size, counted=counted, note="no positions"),
            Side(f"promptpack, {name}", promptpack, (kind,), over=base, units=size, counted=counted),
            Side(f"promptpack, {name}, one position requested", promptpack_located, (kind,), over=base, units=size),
        ]
    return (Table("document", "Parsing a pack file", tuple(sides)),)
