"""No reply is expensive to reject: hostile text of every kind costs about four times as much at 1 MB as at 256 KB."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.measuring import Job
from benchmarks.sides import Side, Table

SIZES = (256_000, 1_024_000)
CHUNK = 64
CONTRACT = Path(__file__).parents[1] / "tests" / "conformance" / "replies" / "contract.json"


def read_whole(kind: str, size: int) -> Job:
    """Check a whole text."""
    return _reading(kind, size, lambda pack, text: pack.check(text))


def read_chunks(kind: str, size: int) -> Job:
    """Read a text as a stream of small chunks."""

    def read(pack: Any, text: str) -> object:
        stream = pack.stream()
        for start in range(0, len(text), CHUNK):
            stream.feed(text[start : start + CHUNK])
        return stream.close()

    return _reading(kind, size, read)


def _reading(kind: str, size: int, read: Callable[[Any, str], object]) -> Job:
    from promptpack import Pack
    from promptpack.pack.contract import Contract
    from promptpack.pack.version import Version
    from tests.properties.hostile_texts import hostile

    schema, text = json.loads(CONTRACT.read_text("utf-8"))["router"], hostile(kind, size)
    pack = Pack("router", Version(1, 0, 0), "contract.json", contract=Contract("router", schema))
    # A longer text may give another result, so the comparison only requires a verdict.
    return Job(lambda: read(pack, text), lambda: read(pack, text) is not None)


def tables() -> tuple[Table, ...]:
    return (
        _table("hostile-read", "Hostile replies, 1 MB compared with 256 KB", read_whole),
        _table("hostile-stream", "Hostile replies, streamed, 1 MB compared with 256 KB", read_chunks),
    )


def _table(name: str, title: str, make: Callable[..., Job]) -> Table:
    from tests.properties.hostile_texts import KINDS

    small, large = SIZES
    sides: list[Side] = []
    for kind in KINDS:
        sides += [
            Side(f"{kind}, 256 KB", make, (kind, small)),
            Side(f"{kind}, 1 MB", make, (kind, large), over=f"{kind}, 256 KB"),
        ]
    return Table(name, title, tuple(sides), rounds=3, shown="worst")
