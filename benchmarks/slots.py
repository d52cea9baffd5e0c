"""Slot prompts are several times quicker than Agently 4.0.7.5, on the same prompts and with the same results."""

import json
import statistics
import subprocess
import sys
import venv
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.slots_worker import MEASURES, Bench, load_runner
from promptpack.prompt.slots import SlotPrompt, model

ROOT = Path(__file__).parents[1]
RELEASE = "Agently==4.0.7.5"
ENVIRONMENT = ROOT / ".cache" / "bench" / "agently"
ROUNDS = 11


def main() -> None:
    """Compare every result, then print how many times quicker every call is."""
    warnings.simplefilter("ignore")
    runner = load_runner()
    ours, original = Bench(Ours(), runner), Original()
    compared = compare(runner, ours.results(), original.ask("results"))
    print(f"{compared} prompts give the same results; {ROUNDS} rounds, ours and {RELEASE} in turn\n")
    print(f"{'':38}{'prompts':>8}{'ours':>12}{'original':>12}{'times quicker (least to most)':>34}")
    sizes = ours.sizes()
    for measure in MEASURES:
        print_measure(measure, sizes[measure], ours, original)
    original.close()


def print_measure(measure: str, size: int, ours: Bench, original: "Original") -> None:
    """Take the time in turn and print the ratio of the medians."""
    mine, theirs = [], []
    for _ in range(ROUNDS):
        mine.append(ours.seconds(measure) / size)
        theirs.append(original.ask(measure) / size)
    ratios = [other / own for own, other in zip(mine, theirs, strict=True)]
    own, other = statistics.median(mine), statistics.median(theirs)
    spread = f"{other / own:8.1f} ({min(ratios):.1f} to {max(ratios):.1f})"
    print(f"{measure:38}{size:>8}{own * 1e6:>9.1f} us{other * 1e6:>9.1f} us{spread:>34}")


def compare(runner: Any, ours: dict[str, Any], original: dict[str, Any]) -> int:
    """Count the prompts, or stop where a result is another."""
    different = [name for name, result in original.items() if not runner.same(result, ours[name], False)]
    if different:
        sys.exit(f"not the same results: {', '.join(different)}")
    return len(original)


class Ours:
    """What the vectors' runner calls a factory, over our own slot prompts."""

    def __call__(self, parent: Any, settings: Any, init: Any) -> SlotPrompt:
        above = SlotPrompt(parent) if parent is not None else None
        return SlotPrompt(init, parent=above, settings=settings)

    def message_class(self, name: str) -> Any:
        """Give one of our own message classes by name."""
        return getattr(model, name)


class Original:
    """The original in an environment of its own, asked through a pipe and timed on its own side."""

    def __init__(self) -> None:
        python = ENVIRONMENT / "bin" / "python"
        if not python.exists():
            print(f"installing {RELEASE} into {ENVIRONMENT.relative_to(ROOT)}", file=sys.stderr)
            venv.create(ENVIRONMENT, with_pip=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", RELEASE], check=True)
        command = [python, Path(__file__).parent / "slots_worker.py"]
        self._worker = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def ask(self, wish: str) -> Any:
        """Send one wish and wait for its answer."""
        assert self._worker.stdin is not None
        assert self._worker.stdout is not None
        self._worker.stdin.write(json.dumps(wish) + "\n")
        self._worker.stdin.flush()
        line = self._worker.stdout.readline()
        if not line:
            sys.exit(f"the worker ended; run {self._worker.args!r} by hand to see why")
        return json.loads(line)

    def close(self) -> None:
        """Let the worker end."""
        self._worker.communicate()


if __name__ == "__main__":
    main()
