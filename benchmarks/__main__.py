"""`python -m benchmarks [NAME ...]`: every benchmark in a process of its own; says which peers are missing."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
ENVIRONMENTS = Path(".cache", "bench")


@dataclass(frozen=True)
class Benchmark:
    """One file beside this one; `environment` holds the peers that must be installed by hand."""

    name: str
    claim: str
    environment: str = ""
    peers: tuple[str, ...] = ()

    @property
    def is_ready(self) -> bool:
        return not self.environment or (ROOT / ENVIRONMENTS / self.environment).is_dir()


BENCHMARKS = (
    Benchmark("document", "reading with places against PyYAML's CSafeLoader"),
    Benchmark("hostile_replies", "hostile replies of 1 MB against those of 256 KB"),
    Benchmark("history", "history functions against their own growth"),
    Benchmark("render", "rendering against Jinja's sandbox, minijinja and code by hand; installs them"),
    Benchmark("lint", "linting 1,000 packs against check-jsonschema, which it installs into .cache/bench/lint"),
    Benchmark("load", "opening 10 to 1,000 packs, parsed and from the cache"),
    Benchmark("replies", "reading replies against pydantic and json-repair", "replies", ("json-repair",)),
    Benchmark("schemas", "checking clean values against jsonschema and a pydantic model"),
    Benchmark("start", "cold start and import over a bare interpreter"),
    Benchmark("slots", "slot prompts against Agently, which it installs into .cache/bench/agently"),
)


def main(names: list[str]) -> int:
    """Run the benchmarks asked for, or all of them; the exit code is 1 when one could not be run."""
    known = {benchmark.name: benchmark for benchmark in BENCHMARKS}
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"no benchmark named {', '.join(unknown)}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    failed = [name for name in names or known if not run(known[name])]
    if failed:
        print(f"not run: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def run(benchmark: Benchmark) -> bool:
    """Run one benchmark, or say how to install its peers."""
    print(f"== {benchmark.name}: {benchmark.claim}", flush=True)
    if not benchmark.is_ready:
        folder = ENVIRONMENTS / benchmark.environment
        print(f"its peers are not installed: {', '.join(benchmark.peers)}; install them with")
        print(f"  python3 -m venv {folder} && {folder}/bin/pip install {' '.join(benchmark.peers)}\n")
        return False
    done = subprocess.run([sys.executable, "-m", f"benchmarks.{benchmark.name}"], cwd=ROOT, check=False)
    print(flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
