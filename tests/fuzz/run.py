"""`python -m tests.fuzz.run TARGET MINUTES`: fuzz one target with atheris, guided by the coverage of promptpack.

An input that makes a target fail is saved as `.cache/fuzz/found-*`, one file for each failing line; the run continues.
"""

import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import atheris  # type: ignore[import-untyped]  # only in the environment of `make fuzz`

with atheris.instrument_imports(include=["promptpack"], enable_loader_override=False):
    from tests.fuzz.targets import ROOT, TARGETS, seeds

WORDS = Path(__file__).parent / "words.txt"
FOLDER = ROOT / ".cache" / "fuzz"


def main(target: str, minutes: str) -> None:
    """Add the seeds to the corpus of earlier runs, and continue fuzzing from it."""
    corpus = FOLDER / target
    corpus.mkdir(parents=True, exist_ok=True)
    for index, seed in enumerate(seeds(target)):
        (corpus / f"seed-{index}").write_bytes(seed)
    options = [
        f"-max_total_time={int(float(minutes) * 60)}",
        "-max_len=4096",
        # The limits of a render keep it below a second, but here it is instrumented and shares the machine.
        "-timeout=60",
        "-report_slow_units=60",
        "-rss_limit_mb=1024",
        "-print_final_stats=1",
        f"-dict={WORDS}",
        f"-artifact_prefix={FOLDER}/found-{target}-",
    ]
    atheris.Setup([sys.argv[0], *options, str(corpus)], save_failures(target, TARGETS[target]))
    atheris.Fuzz()


def save_failures(name: str, target: Callable[[bytes], None]) -> Callable[[bytes], None]:
    """Return a target that saves the first failing input for each line."""

    def run(data: bytes) -> None:
        try:
            target(data)
        except Exception as error:  # noqa: BLE001 -- fuzzing looks for every exception
            line = traceback.extract_tb(error.__traceback__)[-1]
            file = FOLDER / f"found-{name}-{Path(line.filename).stem}-{line.lineno}-{type(error).__name__}"
            if not file.exists():
                file.write_bytes(data)
                traceback.print_exception(error)

    return run


if __name__ == "__main__":
    main(*sys.argv[1:])
