"""Opening packs costs the same per pack for 10 and for 1,000, and from the cache at least 15 times less."""

import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.measuring import interleave  # noqa: E402
from promptpack import Library  # noqa: E402 -- the checkout, whatever is installed

SIZES = (10, 100, 1_000)


def main() -> None:
    """Print the time per pack at three sizes, parsed and from the cache."""
    os.environ.pop("PROMPTPACK_CACHE", None)
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update({"XDG_CACHE_HOME": f"{folder}/cache", "XDG_STATE_HOME": f"{folder}/state"})
        print(f"{'packs':>8}{'parsed, us a pack':>20}{'from the cache':>16}   times quicker")
        for size in SIZES:
            packs = write_packs(Path(folder, str(size)), size)
            assert Library.open(packs, cache=False).list() == Library.open(packs).list() == Library.open(packs).list()
            runs = {"parsed": lambda at=packs: Library.open(at, cache=False), "kept": lambda at=packs: Library.open(at)}
            times = interleave(runs, rounds=5, burst=2)
            parsed, kept = (times[name].median / size * 1e6 for name in runs)
            print(f"{size:8,}{parsed:20.0f}{kept:16.0f} {times['kept'].times_quicker(times['parsed'])}")


def write_packs(folder: Path, size: int) -> str:
    text = (ROOT / "packs" / "planner" / "1.0.0.en.yaml").read_text("utf-8")
    for number in range(size):
        path = folder / f"planner-{number}" / "1.0.0.yaml"
        path.parent.mkdir(parents=True)
        path.write_text(text.replace("name: planner\n", f"name: planner-{number}\n"), "utf-8")
    return str(folder)


if __name__ == "__main__":
    main()
