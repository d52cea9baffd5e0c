"""`promptpack eval` against a flaky server on loopback: after `kill -9` and Ctrl-C, nothing is lost or asked twice."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.loopback import Answer, Loopback, Received, openai_answer, openai_error
from tests.unit.evaluation.conftest import BAD, PACK, good, write_cases

pytestmark = pytest.mark.usefixtures("no_certificates")
CASES = 2_000
CONCURRENCY = 8


class FlakyServer:
    """Fails often, and counts the answers to each case."""

    def __init__(self) -> None:
        self.answered: Counter[int] = Counter()
        self.limit = CASES
        """It answers no more until the test raises the limit, so that a slow test still stops a run in the middle."""
        self._random = random.Random(5)  # noqa: S311 -- a simulation
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        """Answer those that wait, so that a failed test ends."""
        self.limit = sys.maxsize

    def answer(self, received: Received) -> Answer:
        while self.answered.total() >= self.limit:
            time.sleep(0.01)
        with self._lock:
            luck = self._random.random()
            if luck < 0.04:
                return openai_error(429, "slow down", headers={"Retry-After": "0.01"})
            if luck < 0.06:
                return Answer(manner="dropped")
            number = int(received.body["messages"][0]["content"].split("text ")[1].split(".")[0])
            self.answered[number] += 1
        return openai_answer(json.dumps(BAD if number % 4 == 0 else good()))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "packs" / "grader").mkdir(parents=True)
    (tmp_path / "packs" / "grader" / "1.0.0.yaml").write_text(PACK.format(version="1.0.0"), "utf-8")
    write_cases(tmp_path, CASES)
    return tmp_path


def start(folder: Path, server: Loopback) -> subprocess.Popen[str]:
    words = [
        "eval", "grader", "--cases", "cases.jsonl", "--provider", "openai", "--model", "m", "--rounds", "1",
        "--base-url", f"{server.address}/v1", "--api-key", "none", "--concurrency", str(CONCURRENCY), "--format", "json",
    ]  # fmt: skip
    environment = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}
    return subprocess.Popen(
        [sys.executable, "-m", "promptpack", *words], cwd=folder, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def stored(folder: Path) -> list[str]:
    return [
        line for file in folder.glob("state/promptpack/evaluations/*.jsonl") for line in file.read_text().splitlines()
    ]


def wait_for_lines(folder: Path, count: int) -> None:
    limit = time.monotonic() + 300
    while len(stored(folder)) <= count and time.monotonic() < limit:
        time.sleep(0.02)


def test_after_kill_9_and_ctrl_c_no_case_is_repeated_or_lost(folder: Path) -> None:
    flaky = FlakyServer()
    with Loopback(flaky.answer) as server, flaky:
        for reached in (500, 1_000):
            flaky.limit = reached + 20
            killed = start(folder, server)
            wait_for_lines(folder, reached)
            killed.kill()
            killed.communicate()
            assert reached < len(stored(folder)) <= reached + 30
        flaky.limit = 1_600
        stopped = start(folder, server)
        wait_for_lines(folder, 1_500)
        stopped.send_signal(signal.SIGINT)
        assert_stopped(stopped)
        flaky.limit = 2 * CASES
        output, errors = start(folder, server).communicate(timeout=400)
    data: dict[str, Any] = json.loads(output)
    assert data["complete"], errors
    assert (data["versions"][0]["answers"], data["versions"][0]["pass_rate"]["estimate"]) == (CASES, 0.75)
    keys = Counter((row["case"], row["repetition"]) for row in map(json.loads, stored(folder)[1:]))
    assert (len(keys), set(keys.values())) == (CASES, {1})
    # Only answers that were on their way when a process ended are asked for again.
    assert sum(flaky.answered.values()) - CASES <= 3 * CONCURRENCY


def assert_stopped(process: subprocess.Popen[str]) -> None:
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output) == (130, "")
    assert "stopped; run the same command to continue, the answers so far are in " in errors
    assert "Traceback" not in errors
