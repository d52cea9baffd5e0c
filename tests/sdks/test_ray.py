"""Batches on a real Ray cluster on the loopback address: the bytes of one process, also when a worker is killed."""

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from promptpack import Library
from promptpack.batch.ray_engine import LOOPBACK, connect
from promptpack.problem import UsageError

ROOT = Path(__file__).parents[2]
ROWS = 3_000
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
PAGE = (ROOT / "docs/how-to/batch-engines.md").read_text("utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Contexts and replies, a tenth of which break the contract."""
    folder = tmp_path_factory.mktemp("batch")
    planner = Library.open(str(ROOT / "packs")).get("planner", locale="en")
    assert planner.contract is not None
    good = dict(next(one.example for one in planner.contract.actions.values() if one.example))
    with (folder / "contexts.jsonl").open("w") as contexts, (folder / "replies.jsonl").open("w") as replies:
        for number in range(ROWS):
            contexts.write(json.dumps({"id": f"r{number}", "context": {"USER_GOAL": f"goal {number}"}}) + "\n")
            reply = good | ({"confidence": 150} if number % 10 == 0 else {})
            replies.write(json.dumps({"id": f"r{ROWS - 1 - number}", "reply": json.dumps(reply)}) + "\n")
        replies.write("nonsense\n")
    return folder


def words(output: str, *more: str) -> list[str]:
    return [
        sys.executable, "-m", "promptpack", "batch", "check", "planner", "replies.jsonl", "-p", str(ROOT / "packs"),
        "--contexts", "contexts.jsonl", "-l", "en", "-o", output, "--processes", "2", *more,
    ]  # fmt: skip


def digests(folder: Path, output: str) -> list[str]:
    names = (output, output.replace(".jsonl", ".errors.jsonl"))
    return [hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names]


@pytest.fixture(scope="module")
def expected(folder: Path) -> list[str]:
    """What one machine writes."""
    done = subprocess.run(
        words("local.jsonl"), cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    return digests(folder, "local.jsonl")


def actors_below(pid: int) -> list[int]:
    """Return the processes of the actors of a cluster that a process has started."""
    listed = subprocess.run(["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()[1:]]
    family = {pid}
    for _ in rows:
        family |= {int(row[0]) for row in rows if int(row[1]) in family}
    return [int(row[0]) for row in rows if int(row[0]) in family and "ChunkActor" in row[2]]


def listening() -> set[str]:
    """Return the addresses on which processes of Ray listen."""
    found = subprocess.run(["ss", "-tlnpH"], capture_output=True, text=True, check=True).stdout.splitlines()
    return {line.split()[3].rpartition(":")[0] for line in found if re.search(r'"(ray|gcs|raylet|python)', line)}


def test_a_killed_worker_changes_nothing(folder: Path, expected: list[str]) -> None:
    process = subprocess.Popen(
        words("ray.jsonl", "--engine", "ray"), cwd=folder, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True
    )
    killed: list[int] = []
    addresses: set[str] = set()

    def kill_one() -> None:
        while process.poll() is None and not killed:
            part = folder / "ray.jsonl.00001.part"
            if part.exists() and part.stat().st_size > 0 and (actors := actors_below(process.pid)):
                addresses.update(listening())
                os.kill(actors[0], signal.SIGKILL)
                killed.append(actors[0])
            time.sleep(0.05)

    killer = threading.Thread(target=kill_one)
    killer.start()
    _, errors = process.communicate(timeout=300)
    killer.join()
    assert process.returncode == 1, errors
    assert len(killed) == 1
    assert digests(folder, "ray.jsonl") == expected
    assert addresses <= {"127.0.0.1", "[::1]", "[::ffff:127.0.0.1]"}
    assert not list(folder.glob("ray.jsonl.*"))


def test_an_interrupted_batch_continues_on_ray(folder: Path, expected: list[str]) -> None:
    process = subprocess.Popen(words("again.jsonl"), cwd=folder, env=ENVIRONMENT, stderr=subprocess.DEVNULL)
    journal = folder / "again.jsonl.journal"
    while not (journal.exists() and journal.read_bytes().count(b"\n") > 1) and process.poll() is None:
        time.sleep(0.02)
    process.kill()
    process.wait()
    done = subprocess.run(
        words("again.jsonl", "--engine", "ray", "--resume"),
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert digests(folder, "again.jsonl") == expected


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    ray = connect("", 2)
    yield ray
    ray.shutdown()


def test_a_cluster_listens_on_loopback_only(cluster: Any) -> None:
    assert {node["NodeManagerAddress"] for node in cluster.nodes()} == {LOOPBACK}
    assert listening() <= {"127.0.0.1", "[::1]", "[::ffff:127.0.0.1]"}


@pytest.mark.usefixtures("cluster")
def test_the_pipeline_of_the_page_corrects_refused_replies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planner = Library.open(str(ROOT / "packs")).get("planner", locale="en")
    assert planner.contract is not None
    good = dict(next(one.example for one in planner.contract.actions.values() if one.example))

    def answer(row: dict[str, Any]) -> dict[str, Any]:
        is_corrected = len(row["messages"]) > 2
        is_good = row["id"] != "b"
        reply = {"confidence": 80} if is_corrected else good if is_good else good | {"confidence": 150}
        return {**row, "reply": json.dumps(reply)}

    (tmp_path / "packs").symlink_to(ROOT / "packs")
    monkeypatch.chdir(tmp_path)
    rows = [{"id": name, "USER_GOAL": f"goal {name}"} for name in "abc"]
    scope: dict[str, Any] = {"rows": rows, "generate": lambda data: data.map(answer)}
    block = re.findall(r"```py\n(import json\nimport ray\n.*?)```", PAGE, re.DOTALL)[0]
    exec(block, scope)  # noqa: S102 -- our own page
    found = {row["id"]: (row["ok"], json.loads(row["after"])["outcome"]) for row in scope["verdicts"].take_all()}
    assert found == {"a": (True, "valid"), "b": (True, "recovered"), "c": (True, "valid")}


def test_another_address_is_refused(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from promptpack.batch import ray_engine

    monkeypatch.setattr(cluster, "nodes", lambda: [{"Alive": True, "NodeManagerAddress": "10.0.0.1"}])
    monkeypatch.setattr(cluster, "shutdown", lambda: None)
    with pytest.raises(UsageError, match=r"PP989 Ray listens on 10\.0\.0\.1, not only on 127\.0\.0\.1"):
        ray_engine._require_loopback(cluster)
