"""Run each hostile case in a separate process: a server with all imports forks a child with limits."""

import json
import logging
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, Any

from tests.conformance.hostile.attack import attack
from tests.conformance.hostile.cases import CANARY

ROOT = Path(__file__).parents[3]
_MEGABYTE = 1024 * 1024
# Generous, because the machine may be busy; the limit of a case applies to processor time.
_TIMEOUT = 60.0


class Arena:
    """The client of the tests: runs one case at a time."""

    def __init__(self) -> None:
        environment = {**os.environ, "PP_CANARY": CANARY, "PYTHONHASHSEED": "0"}
        self._server = subprocess.Popen(
            [sys.executable, "-W", "error", "-m", "tests.conformance.hostile.arena"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env=environment,
            text=True,
        )

    def run(self, kind: str, case: dict[str, Any]) -> dict[str, Any]:
        """Run one case in a separate process, and return its result."""
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps([kind, case]) + "\n")
        self._server.stdin.flush()
        result: dict[str, Any] = json.loads(self._server.stdout.readline())
        return result

    def close(self) -> None:
        """End the server."""
        self._server.communicate()


def serve(requests: IO[str], answers: IO[str]) -> None:
    """Fork a child for each requested case."""
    # Run lazy imports now, so that they do not count as memory growth of a case.
    for reply in ('{"a": "x"', '{"a": "x"}'):
        attack("reply", {"reply": reply, "contract": {"properties": {"a": {"type": "integer"}}}})
    attack("text", {"template": "{{ 1 | yaml | fenced }}", "context": {}, "equal": None})
    attack("context", {"value": ["x"]})
    for entry in ("lint", "edit"):
        attack("work", {"messages": [["MARK"]], "entry": entry})
    for line in requests:
        kind, case = json.loads(line)
        answers.write(json.dumps(_fork(kind, case)) + "\n")
        answers.flush()


def _fork(kind: str, case: dict[str, Any]) -> dict[str, Any]:
    reading, writing = os.pipe()
    with tempfile.TemporaryFile() as log:
        child = os.fork()
        if child == 0:
            os.close(reading)
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
            _run_child(kind, case, writing)
        os.close(writing)
        answer = _read_until(reading, time.monotonic() + _TIMEOUT)
        os.kill(child, signal.SIGKILL)
        _, status, used = os.wait4(child, 0)
        log.seek(0)
        logged = log.read(100_000).decode(errors="replace")
    ended = "answered" if answer else f"ended without an answer (status {status})"
    result = json.loads(answer) if answer else {"outcomes": []}
    return {**result, "ended": ended, "seconds": used.ru_utime + used.ru_stime, "log": logged}


def _read_until(descriptor: int, deadline: float) -> bytes:
    pieces: list[bytes] = []
    with open(descriptor, "rb", buffering=0) as stream:
        while select.select([stream], [], [], max(deadline - time.monotonic(), 0))[0]:
            piece = stream.read(_MEGABYTE)
            if not piece:
                return b"".join(pieces)
            pieces.append(piece)
    return b""


def _run_child(kind: str, case: dict[str, Any], writing: int) -> None:
    limits = {"wall_ms": 1000, "rss_mb": 128, **case.get("limits", {})}
    logging.basicConfig(level=0, stream=sys.stderr, force=True)
    seconds = -(-limits["wall_ms"] // 1000) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    memory = _pages("size") + limits["rss_mb"] * _MEGABYTE
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    before = _pages("resident")
    try:
        result: dict[str, Any] = attack(kind, case)
    except BaseException as error:  # noqa: BLE001 -- the tests check which exceptions leave the library
        result = {"outcomes": [f"exception:{type(error).__name__}"], "text": f"{error!r}"[:2000]}
    result["grown"] = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before) // _MEGABYTE
    with open(writing, "wb") as stream:
        stream.write(json.dumps(result).encode())
    sys.stderr.flush()
    os._exit(0)


def _pages(which: str) -> int:
    size, resident = Path("/proc/self/statm").read_text(encoding="ascii").split()[:2]
    return int(size if which == "size" else resident) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    serve(sys.stdin, sys.stdout)
