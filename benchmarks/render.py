"""A planner's prompt, rendered warm with all limits on, against Jinja's own sandbox, minijinja and code by hand."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import planner
from benchmarks.measuring import ROOT, Timing, install, interleave
from benchmarks.render_worker import LIBRARIES, best_of
from promptpack import Library, Pack
from promptpack.template import Source, compile, default_engine  # noqa: A004

ROUNDS = 30
BURST = 12
SIZES = (20, 200, 2_000)


def main() -> None:
    """Compare every text, then print how many times quicker than stock Jinja everyone is."""
    context = planner.make_context()
    bare, pack = make_template(), make_pack()
    ours: dict[str, Callable[[], str]] = {
        "promptpack, template": lambda: bare.render(context),
        "promptpack, pack.render": lambda: str(pack.render(context).messages[0].content),
    }
    workers = {name: Worker(name) for name in LIBRARIES}
    expected = workers["stock"].ask("text")
    texts = {name: worker.ask("text") for name, worker in workers.items()} | {name: run() for name, run in ours.items()}
    different = [name for name, text in texts.items() if text != expected]
    if different:
        sys.exit(f"not the same text: {', '.join(different)}")
    print(f"{len(texts)} give the same {len(expected.encode()):,} bytes; {ROUNDS} rounds in turn, best of {BURST}\n")
    times: dict[str, list[float]] = {name: [] for name in texts}
    for _ in range(ROUNDS):
        for name, worker in workers.items():
            times[name].append(worker.ask(BURST))
        for name, run in ours.items():
            times[name].append(best_of(run, BURST))
    print_table({name: Timing(tuple(rounds)) for name, rounds in times.items()})
    print_growth()


def print_table(timings: dict[str, Timing]) -> None:
    """Print every contender, the quickest last."""
    print(f"{'':26}{'one render':>12}   times quicker than stock (nine rounds in ten)")
    for name, timing in sorted(timings.items(), key=lambda entry: -entry[1].median):
        print(f"{name:26}{timing.median * 1e6:>9.1f} us   {timing.times_quicker(timings['stock'])}")


def print_growth() -> None:
    """Print the time per tool at three sizes: flat means that cost grows with the context and no faster."""
    bare = make_template()
    contexts = {f"{size:,} tools": planner.make_context(size, size // 2, size // 4) for size in SIZES}
    timings = interleave({name: lambda given=given: bare.render(given) for name, given in contexts.items()}, 10, 3)
    print("\ncost against the size of the context")
    for (name, timing), size in zip(timings.items(), SIZES, strict=True):
        print(f"{name:26}{timing.median * 1e6:>9.0f} us   {timing.median / size * 1e6:.2f} us a tool")


def make_template() -> Any:
    """Compile the template alone."""
    return compile(Source.of_text(planner.TEMPLATE), default_engine())


def make_pack() -> Pack:
    """Load a pack with the template as its only message, and inputs with schemas, as an application does."""
    body = {
        "promptpack": 1,
        "name": "bench",
        "version": "1.0.0",
        "agent": "bench-agent",
        "description": "The planner's prompt of the benchmark.",
        "locale": "en",
        "inputs": {name: describe(value) for name, value in planner.make_context().items()},
        "messages": [{"role": "system", "content": planner.TEMPLATE}],
    }
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "packs", "bench", "1.0.0.yaml")
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(body, ensure_ascii=False), encoding="utf-8")
        return Library.open(str(file.parents[1])).get("bench")


def describe(value: Any) -> dict[str, Any]:
    """Write the schema of a value, two levels deep as authors do."""
    if isinstance(value, dict):
        return {"type": "object", "required": list(value), "properties": {key: {} for key in value}}
    if isinstance(value, list):
        return {"type": "array", "items": {"type": "object"}}
    return {"type": "string"}


class Worker:
    """A library in its own environment, asked through a pipe and timed on its own side."""

    def __init__(self, library: str) -> None:
        self._worker = subprocess.Popen(
            [install("render"), ROOT / "benchmarks" / "render_worker.py", library],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, wish: str | int) -> Any:
        """Send one wish and wait for its answer."""
        assert self._worker.stdin is not None
        assert self._worker.stdout is not None
        self._worker.stdin.write(json.dumps(wish) + "\n")
        self._worker.stdin.flush()
        line = self._worker.stdout.readline()
        if not line:
            sys.exit(f"the worker ended; run {self._worker.args!r} by hand to see why")
        return json.loads(line)


if __name__ == "__main__":
    main()
