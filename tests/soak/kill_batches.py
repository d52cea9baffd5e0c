"""Kill batches and their workers at random moments, and resume them until the output is that of an undisturbed run.

Run `python -m tests.soak.kill_batches KILLS`; half of the kills hit the command itself, half one of its workers.
"""

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from promptpack import Library

PACKS = Path(__file__).parents[2] / "packs"
CHECK = ("check", "planner", "replies.jsonl", "--contexts", "contexts.jsonl")
RENDER = ("render", "planner", "contexts.jsonl", "--shape", "openai", "--model", "m")


@dataclass(slots=True)
class Kills:
    """How many processes were killed, of which kind, and the outputs that differ."""

    commands: int = 0
    workers: int = 0
    runs: int = 0
    differences: list[str] = field(default_factory=list)


def kill_batches(folder: Path, kills: int, rows: int, seed: int) -> Kills:
    """Kill this many processes, in as many batches as that takes."""
    luck = random.Random(seed)  # noqa: S311 -- a simulation
    write_rows(folder, rows)
    expected = {}
    seconds = {}
    for words in (CHECK, RENDER):
        started = time.monotonic()
        _finish(_start(folder, words, "whole.jsonl"))
        seconds[words] = time.monotonic() - started
        expected[words] = _digests(folder, "whole.jsonl")
    found = Kills()
    while found.commands + found.workers < kills:
        words = luck.choice((CHECK, RENDER))
        _run_with_kills(folder, words, seconds[words], luck, found, kills)
        found.runs += 1
        if _digests(folder, "out.jsonl") != expected[words]:
            found.differences.append(" ".join(words))
        left = [path.name for path in folder.glob("out.jsonl.*")]
        if left:
            found.differences.append(f"left behind: {left}")
    return found


def write_rows(folder: Path, rows: int) -> None:
    """Write contexts and replies in another order: good, refused, repeated, unknown and missing ones, and nonsense."""
    planner = Library.open(str(PACKS)).get("planner", locale="en")
    assert planner.contract is not None
    good = dict(next(one.example for one in planner.contract.actions.values() if one.example))
    numbers = list(range(rows))
    with (folder / "contexts.jsonl").open("w", encoding="utf-8") as stream:
        for number in numbers:
            stream.write(json.dumps({"id": f"r{number}", "context": {"USER_GOAL": f"目标 {number}"}}) + "\n")
            stream.write("nonsense\n" if number % 97 == 0 else "")
    random.Random(rows).shuffle(numbers)  # noqa: S311 -- a simulation
    with (folder / "replies.jsonl").open("w", encoding="utf-8") as stream:
        for number in [*numbers[: -rows // 50], *numbers[:20], rows + 1]:
            reply = json.dumps(good | {"confidence": 150 if number % 10 == 0 else number % 100})
            stream.write(json.dumps({"id": f"r{number}", "reply": f"```json\n{reply}\n```"}) + "\n")


def _run_with_kills(
    folder: Path, words: tuple[str, ...], seconds: float, luck: random.Random, found: Kills, kills: int
) -> None:
    """Run one batch to its end; it is killed up to ten times."""
    for _ in range(10):
        process = _start(folder, words, "out.jsonl", "--resume")
        time.sleep(luck.uniform(0, 1.2 * seconds))
        workers = _children(process.pid)
        if found.commands + found.workers < kills and process.poll() is None:
            if workers and luck.random() < 0.5:
                os.kill(luck.choice(workers), signal.SIGKILL)
                found.workers += 1
            else:
                process.kill()
                found.commands += 1
        if _finish(process):
            return
    assert _finish(_start(folder, words, "out.jsonl", "--resume"))


def _start(folder: Path, words: tuple[str, ...], output: str, *more: str) -> "subprocess.Popen[str]":
    for path in folder.glob("whole*" if output.startswith("whole") else "out.errors.jsonl"):
        path.unlink()
    for path in (folder / "out.jsonl",) if not (folder / "out.jsonl.journal").exists() else ():
        path.unlink(missing_ok=True)
    command = [sys.executable, "-m", "promptpack", "batch", *words, "-p", str(PACKS), "-l", "en", "-o", output, *more]
    return subprocess.Popen(
        [*command, "--processes", "2"], cwd=folder, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


def _finish(process: "subprocess.Popen[str]") -> bool:
    """Wait for the end of a command, and return whether its batch is complete."""
    _, errors = process.communicate(timeout=600)
    assert process.returncode in (0, 1, -signal.SIGKILL), errors
    return process.returncode != -signal.SIGKILL


def _children(pid: int) -> list[int]:
    """Return the workers of a command, without the process that tracks its resources."""
    try:
        pids = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        names = {int(one): Path(f"/proc/{one}/cmdline").read_text() for one in pids}
    except FileNotFoundError:
        return []
    return [one for one, name in names.items() if "spawn_main" in name]


def _digests(folder: Path, output: str) -> list[str]:
    names = (output, output.replace(".jsonl", ".errors.jsonl"))
    return [hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="kills-") as place:
        result = kill_batches(Path(place), int(sys.argv[1]), 2_500, seed=int(time.time()))
    print(result)  # noqa: T201 -- the result of the program
    sys.exit(1 if result.differences else 0)
