"""`python -m benchmarks.batch_scale ROWS ...`: run `promptpack batch check` on files of planner records, two processes.

It prints and stores, for each size, the CPU time of all processes, the time by the clock, the peak of the memory of all
processes together, and the bytes of all files.
"""

import json
import resource
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.batch import AGENT, write_files
from benchmarks.environments import ROOT, scratch_folder, variables

RESULTS = Path(__file__).parent / "batch_scale.json"
PROCESSES = 2
_PAUSE = 0.25


@dataclass(frozen=True, slots=True)
class Measured:
    """One batch: seconds, MB of memory, and bytes per record on disk."""

    rows: int
    cpu_seconds: float
    clock_seconds: float
    parent_mb: float
    all_mb: float
    input_bytes: float
    output_bytes: float
    index_bytes: float


def measure(rows: int) -> Measured:
    """Run one batch in a folder of its own."""
    folder = scratch_folder()
    contexts, replies, output = write_files(folder, rows)
    words = ["check", AGENT, str(replies), "--contexts", str(contexts), "-o", str(output), "-l", "en"]
    command = [sys.executable, "-m", "promptpack", "batch", *words, "-p", str(ROOT / "packs")]
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    process = subprocess.Popen([*command, "--processes", str(PROCESSES)], env=variables(), stdout=subprocess.DEVNULL)
    watcher = _Watcher(process.pid, Path(f"{output}.index"))
    code = process.wait()
    seconds = time.monotonic() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    parent, everything, index = watcher.stop()
    assert code == 0, code
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    found = Measured(
        rows,
        round(cpu, 1),
        round(seconds, 1),
        round(parent / 1e6, 1),
        round(everything / 1e6, 1),
        round((contexts.stat().st_size + replies.stat().st_size) / rows),
        round(output.stat().st_size / rows),
        round(index / rows),
    )
    shutil.rmtree(folder)
    return found


class _Watcher:
    """Notes the peaks of the memory of a process and its children, and of the size of a file."""

    def __init__(self, pid: int, file: Path) -> None:
        self._pid = pid
        self._file = file
        self._peaks = (0, 0, 0)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def stop(self) -> tuple[int, int, int]:
        """Return the peaks."""
        self._ended.set()
        self._thread.join()
        return self._peaks

    def _watch(self) -> None:
        while not self._ended.wait(_PAUSE):
            try:
                children = Path(f"/proc/{self._pid}/task/{self._pid}/children").read_text().split()
                parent = _resident(self._pid)
                total = parent + sum(_resident(int(child)) for child in children)
            except (FileNotFoundError, ProcessLookupError):
                continue
            size = self._file.stat().st_size if self._file.exists() else 0
            now = (parent, total, size)
            self._peaks = (max(self._peaks[0], now[0]), max(self._peaks[1], now[1]), max(self._peaks[2], now[2]))


def _resident(pid: int) -> int:
    """Return the memory of a process that it does not share with others."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return 1024 * sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:"))


def main(sizes: list[str]) -> None:
    """Measure the sizes, and store the figures next to those of other sizes."""
    stored = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    for size in sizes:
        found = measure(int(size))
        print(found, flush=True)
        stored[size] = asdict(found)
        RESULTS.write_text(json.dumps(stored, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
