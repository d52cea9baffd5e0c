"""`python -m tests.fuzz.run TARGET MINUTES`: fuzz one target with atheris, led by the coverage of promptpack.

What breaks a promise is kept as `.cache/fuzz/found-*`, one file for each place it broke at, and the run goes on.
"""

import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import atheris  # type: ignore[import-untyped]  # only in the environment that `make fuzz` makes

with atheris.instrument_imports(include=["promptpack"], enable_loader_override=False):
    from tests.fuzz.targets import ROOT, TARGETS, seeds

WORDS = Path(__file__).parent / "words.txt"
KEPT = ROOT / ".cache" / "fuzz"


def main(target: str, minutes: str) -> None:
    """Write the seeds where those of earlier runs are, and fuzz on from there."""
    corpus = KEPT / target
    corpus.mkdir(parents=True, exist_ok=True)
    for index, seed in enumerate(seeds(target)):
        (corpus / f"seed-{index}").write_bytes(seed)
    options = [
        f"-max_total_time={int(float(minutes) * 60)}",
        "-max_len=4096",
        # The limits of the product let a render run for less than a second; here it is instrumented, beside others.
        "-timeout=60",
        "-report_slow_units=60",
        "-rss_limit_mb=1024",
        "-print_final_stats=1",
        f"-dict={WORDS}",
        f"-artifact_prefix={KEPT}/found-{target}-",
    ]
    atheris.Setup([sys.argv[0], *options, str(corpus)], keeping(target, TARGETS[target]))
    atheris.Fuzz()


def keeping(name: str, target: Callable[[bytes], None]) -> Callable[[bytes], None]:
    """Keep the first input that breaks at each place."""

    def keep(data: bytes) -> None:
        try:
            target(data)
        except Exception as error:  # noqa: BLE001 -- whatever gets out is what is looked for
            place = traceback.extract_tb(error.__traceback__)[-1]
            file = KEPT / f"found-{name}-{Path(place.filename).stem}-{place.lineno}-{type(error).__name__}"
            if not file.exists():
                file.write_bytes(data)
                traceback.print_exception(error)

    return keep


if __name__ == "__main__":
    main(*sys.argv[1:])
