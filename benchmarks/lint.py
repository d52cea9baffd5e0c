"""A full lint of many packs against check-jsonschema, which looks at their schema only; cold, and then warm.

check-jsonschema lives in an environment of its own, made on first use.
"""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.load import write_packs  # noqa: E402
from benchmarks.measuring import install  # noqa: E402
from benchmarks.processes import over, take_turns  # noqa: E402

PACKS = 1_000


def main() -> None:
    """Print both ratios."""
    peer = install("lint")
    with tempfile.TemporaryDirectory() as folder:
        packs = write_packs(Path(folder, "packs"), PACKS)
        files = [str(path) for path in sorted(Path(packs).rglob("*.yaml"))]
        schema = str(ROOT / "schemas" / "pack.schema.json")
        code = "import sys; from promptpack.linter import lint; assert len(lint([sys.argv[1]], cache={}).files) > 0"
        commands = {
            "check-jsonschema": [str(peer), "-m", "check_jsonschema", "--schemafile", schema, *files],
            "promptpack, cold": [sys.executable, "-c", code.format(False), packs],
            "promptpack, warm": [sys.executable, "-c", code.format(None), packs],
        }
        own = {"XDG_CACHE_HOME": f"{folder}/cache", "XDG_STATE_HOME": f"{folder}/state", "PROMPTPACK_CACHE": ""}
        times = take_turns(commands, own, rounds=3)
    for name, timing in times.items():
        shown = over(timing, times["check-jsonschema"])
        print(f"{name:20}{timing.median:8.2f} s of CPU, {shown} of check-jsonschema's")


if __name__ == "__main__":
    main()
