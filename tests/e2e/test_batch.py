"""`promptpack batch` as a process: killed, with a full disk, and with a server that misbehaves."""

import hashlib
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.loopback import Answer, Loopback, Received, openai_answer, openai_error
from tests.soak.kill_batches import kill_batches
from tests.unit.batch.conftest import read_lines, write_contexts
from tests.unit.evaluation.conftest import BAD, PACK, good

ROWS = 150


def test_killed_batches_end_with_the_same_bytes(tmp_path: Path) -> None:
    found = kill_batches(tmp_path, 3, 800, seed=23)
    assert found.differences == []
    assert found.commands + found.workers == 3


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "packs" / "grader").mkdir(parents=True)
    (tmp_path / "packs" / "grader" / "1.0.0.yaml").write_text(PACK.format(version="1.0.0"), "utf-8")
    return tmp_path


def start(folder: Path, *words: str, limit: str = "unlimited") -> "subprocess.Popen[str]":
    """Start a batch whose files may have at most this many blocks of 512 bytes."""
    shell = ["sh", "-c", f'ulimit -f {limit}; exec "$0" "$@"', sys.executable, "-m", "promptpack", "batch"]
    return subprocess.Popen(
        [*shell, *words], cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )  # fmt: skip


def finish(process: "subprocess.Popen[str]") -> str:
    _, errors = process.communicate(timeout=120)
    assert "Traceback" not in errors
    return errors


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


RENDER = ("render", "grader", "contexts.jsonl", "--processes", "1", "-o")


def test_a_file_that_may_not_grow_is_continued_later(folder: Path) -> None:
    write_contexts(folder, 2_000)
    finish(start(folder, *RENDER, "whole.jsonl"))
    process = start(folder, *RENDER, "out.jsonl", limit="200")
    assert "PP985 cannot be written: File too large" in finish(process)
    assert process.returncode == 2
    assert (folder / "out.jsonl.00001.part").stat().st_size <= 200 * 512
    process = start(folder, *RENDER, "out.jsonl", "--resume")
    finish(process)
    assert process.returncode == 0
    assert digest(folder / "out.jsonl") == digest(folder / "whole.jsonl")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 100 KB; only root can make one, others use the limit of a file in the test above."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_is_reported_and_continued_with_more_room(folder: Path, small_disk: Path) -> None:
    write_contexts(folder, 2_000)
    finish(start(folder, *RENDER, "whole.jsonl"))
    process = start(folder, *RENDER, "disk/out.jsonl")
    errors = finish(process)
    assert "disk/out.jsonl: PP985 cannot be written: No space left on device" in errors
    assert "free some space, then continue with --resume" in errors
    assert process.returncode == 2
    subprocess.run(["mount", "-o", "remount,size=20m", str(small_disk)], check=True)
    process = start(folder, *RENDER, "disk/out.jsonl", "--resume")
    finish(process)
    assert process.returncode == 0
    assert digest(small_disk / "out.jsonl") == digest(folder / "whole.jsonl")


class BadServer:
    """Fails, hangs up, stalls and answers out of order; counts its answers to each row."""

    def __init__(self, *, is_bad: bool) -> None:
        self.answered: Counter[int] = Counter()
        self.limit = ROWS
        """It answers no more until the test raises the limit, so that a slow test still stops a run in the middle."""
        self._is_bad = is_bad
        self._random = random.Random(7)  # noqa: S311 -- a simulation
        self._lock = threading.Lock()

    def answer(self, received: Received) -> Answer:
        while self.answered.total() >= self.limit:
            time.sleep(0.01)
        with self._lock:
            luck = self._random.random() if self._is_bad else 1.0
        if luck < 0.04:
            return openai_error(429, "slow down", headers={"Retry-After": "0.01"})
        if luck < 0.06:
            return openai_error(500, "broken", headers={"Retry-After": "0.01"})
        if luck < 0.08:
            return Answer(manner="dropped")
        if luck < 0.085:
            return Answer(manner="silent")
        if luck < 0.2:
            time.sleep(0.05)  # later answers overtake this one
        number = int(received.body["messages"][0]["content"].split("text ")[1].split(".")[0])
        with self._lock:
            self.answered[number] += 1
        return openai_answer(json.dumps(BAD if number % 9 == 0 else good(number)))


def run_words(server: Loopback, output: str, *more: str) -> tuple[str, ...]:
    return (
        "run", "grader", "contexts.jsonl", "-o", output, "--provider", "openai", "--model", "m", "--rounds", "1",
        "--base-url", f"{server.address}/v1", "--api-key", "none", "--timeout", "2", *more,
    )  # fmt: skip


@pytest.mark.usefixtures("no_certificates")
def test_a_bad_server_and_kill_9_leave_the_bytes_of_a_good_one(folder: Path) -> None:
    write_contexts(folder, ROWS)
    with Loopback(BadServer(is_bad=False).answer) as server:
        server_words = run_words(server, "whole.jsonl")
        finish(start(folder, *server_words))
    bad = BadServer(is_bad=True)
    bad.limit = 60
    with Loopback(bad.answer) as server:
        # The journal has the address of the server, so all runs use the same.
        killed = start(folder, *run_words(server, "out.jsonl", "--resume"))
        wait_for_answers(folder, 40)
        killed.kill()
        killed.communicate()
        bad.limit = 10 * ROWS
        process = start(folder, *run_words(server, "out.jsonl", "--resume"))
        errors = finish(process)
    assert process.returncode == 1, errors
    assert digest(folder / "out.jsonl") == digest(folder / "whole.jsonl")
    assert [row["id"] for row in read_lines(folder / "out.jsonl")] == [f"r{number}" for number in range(ROWS)]
    # Only answers that were on their way when the process ended are asked for again.
    assert sum(bad.answered.values()) - ROWS <= 2 * 8
    assert not list(folder.glob("out.jsonl.*"))


def wait_for_answers(folder: Path, count: int) -> None:
    path = folder / "out.jsonl.answers"
    limit = time.monotonic() + 60
    while not (path.exists() and path.read_bytes().count(b"\n") > count) and time.monotonic() < limit:
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("redirection", "expected"),
    [
        ("| head -n 1 > /dev/null", ""),
        (">&-", "PP985 standard output is closed\n"),
        ("> /dev/full", "PP985 standard output cannot be written: No space left on device\n"),
        ("<&- > /dev/null", "PP982 standard input is closed\n"),
    ],
)
def test_a_pipe_may_be_closed(folder: Path, redirection: str, expected: str) -> None:
    write_contexts(folder, 3_000)
    source = "-" if redirection.startswith("<") else "contexts.jsonl"
    command = f"{sys.executable} -m promptpack batch render grader {source} -o - --processes 1 {redirection}"
    done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S602 -- our own words
    assert done.stderr == expected
