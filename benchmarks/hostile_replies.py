"""No reply is expensive to refuse: every kind of hostile text at 1 MB, against the same kind at 256 KB.

The time is that of the processor. A kind is read whole and as a stream of chunks; no kind may take more than a
second, nor more than five times what a quarter of it takes.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from promptpack import Pack  # noqa: E402
from promptpack.pack import Contract, Version  # noqa: E402
from tests.properties.hostile_texts import KINDS, hostile  # noqa: E402

SMALL, LARGE, ROUNDS, CHUNK = 256_000, 1_024_000, 3, 64
SCHEMA = json.loads((ROOT / "tests" / "conformance" / "replies" / "contract.json").read_text("utf-8"))["router"]
PACK = Pack("router", Version(1, 0, 0), "contract.json", "", contract=Contract("router", SCHEMA))


def main() -> int:
    """Print one line a kind; the exit code is 1 when one is too slow or grows too fast."""
    bad = 0
    for kind in sys.argv[1:] or KINDS:
        line = f"{kind:22}"
        for name, run in (("read", read_whole), ("stream", read_chunks)):
            small, large = times(run, hostile(kind, SMALL), hostile(kind, LARGE))
            slow = large > 1 or (large > 5 * small and large > 0.01)
            bad += slow
            line += f"   {name} {large * 1000:7.1f} ms, x{large / small:4.1f}{' TOO SLOW' if slow else '':9}"
        print(line, flush=True)
    return 1 if bad else 0


def times(run: Callable[[str], object], small: str, large: str) -> tuple[float, float]:
    """Take the best time of each, interleaved."""
    best = [float("inf"), float("inf")]
    for _ in range(ROUNDS):
        for index, text in enumerate((small, large)):
            started = time.process_time()
            run(text)
            best[index] = min(best[index], time.process_time() - started)
    return best[0], best[1]


def read_whole(text: str) -> object:
    return PACK.check(text)


def read_chunks(text: str) -> object:
    stream = PACK.stream()
    for start in range(0, len(text), CHUNK):
        stream.feed(text[start : start + CHUNK])
    return stream


if __name__ == "__main__":
    sys.exit(main())
