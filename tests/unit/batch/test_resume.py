"""Interrupted batches: what is refused, and what continues with the same bytes."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from promptpack.batch import output_files, process
from promptpack.batch.chunks import Chunk
from promptpack.batch.worker import ChunkResult, Worker
from tests.unit.batch.conftest import Batch, openai_line, read_lines, write_contexts, write_lines
from tests.unit.evaluation.conftest import BAD, good

RENDER = ("render", "contexts.jsonl", "-o", "out.jsonl")


class StoppedError(Exception):
    """Stands for anything that ends the process."""


@pytest.fixture
def stop_after(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """Let a worker stop after this many chunks; each checkpoint is written."""
    monkeypatch.setattr(process, "_SECONDS", -1.0)
    real = Worker.__call__

    def stop(count: int) -> None:
        left = count

        def work(worker: Worker, chunk: Chunk, repeated: Any = None) -> ChunkResult:
            nonlocal left
            left -= 1
            if left < 0:
                raise StoppedError
            return real(worker, chunk, repeated)

        monkeypatch.setattr(Worker, "__call__", work)

    yield stop
    monkeypatch.setattr(Worker, "__call__", real)


def digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz", ".jsonl.zst", ".csv", ".parquet"])
def test_a_continued_batch_has_the_same_bytes(
    folder: Path, batch: Batch, stop_after: Callable[[int], None], suffix: str
) -> None:
    write_contexts(folder, 1100)
    with (folder / "contexts.jsonl").open("a") as stream:
        stream.write('nonsense\n{"id":"r7","context":{"TEXT":"again"}}\n{"id":"last","context":{"TEXT":"x"}}\n')
    words = ("render", "contexts.jsonl", "--errors", "errors.jsonl")
    batch(*words, "-o", f"whole{suffix}")
    expected = digest(folder / f"whole{suffix}"), digest(folder / "errors.jsonl")
    (folder / "errors.jsonl").unlink()
    for count in (2, 2, 5, 1000):
        stop_after(count)
        done = batch(*words, "-o", f"out{suffix}", "--resume")
    assert done.returncode == 1
    assert (digest(folder / f"out{suffix}"), digest(folder / "errors.jsonl")) == expected
    assert {path.name for path in folder.iterdir()} == {
        "contexts.jsonl", "packs", f"whole{suffix}", f"out{suffix}", "errors.jsonl",
    }  # fmt: skip


def test_a_continued_check_has_the_same_bytes(folder: Path, batch: Batch, stop_after: Callable[[int], None]) -> None:
    write_contexts(folder, 900)
    lines = [openai_line(f"r{number}", BAD if number % 7 == 0 else good()) for number in range(880, 0, -1)]
    write_lines(folder / "out.jsonl", [*lines, openai_line("r5", good()), openai_line("none", good())])
    write_lines(folder / "second.jsonl", [openai_line(f"r{number}", {"confidence": 7}) for number in range(0, 400, 7)])
    words = ("check", "out.jsonl", "--contexts", "contexts.jsonl", "--corrections", "second.jsonl", "--format", "json")
    whole = json.loads(batch(*words, "-o", "whole.jsonl").stdout)
    done = None
    for count in (3, 7, 9, 10, 1000):
        stop_after(count)
        done = batch(*words, "-o", "verdicts.jsonl", "--resume")
    assert done is not None
    assert digest(folder / "verdicts.jsonl") == digest(folder / "whole.jsonl")
    assert digest(folder / "verdicts.errors.jsonl") == digest(folder / "whole.errors.jsonl")
    assert {**json.loads(done.stdout), "files": 0} == {**whole, "files": 0}


@pytest.fixture
def interrupted(folder: Path, batch: Batch, stop_after: Callable[[int], None]) -> Path:
    """A batch that stopped after three chunks."""
    write_contexts(folder, 1100)
    stop_after(3)
    assert batch(*RENDER).returncode == 3
    stop_after(1000)
    return folder


def refused(done: Any) -> str:
    assert done.returncode == 2, done.stderr
    assert not done.stdout
    return str(done.stderr)


def test_an_unfinished_batch_is_not_started_again(interrupted: Path, batch: Batch) -> None:
    assert refused(batch(*RENDER)) == (
        "out.jsonl.journal: PP984 an earlier run is not complete\n"
        "  hint: continue it with --resume, or start again with --overwrite\n"
    )
    assert batch(*RENDER, "--overwrite").returncode == 0
    assert len(read_lines(interrupted / "out.jsonl")) == 1100


def test_a_changed_pack_is_refused_with_the_reason(interrupted: Path, batch: Batch) -> None:
    pack = interrupted / "packs" / "grader" / "1.0.0.yaml"
    pack.write_text(pack.read_text().replace("content: ", "content: 'new ' # ").replace("'new ' # \"", '"new '))
    text = refused(batch(*RENDER, "--resume"))
    assert text.startswith("out.jsonl.journal: PP984 cannot continue: pack is grader@1.0.0 en with the digest sha256:")
    assert ", but was grader@1.0.0 en with the digest sha256:" in text
    assert text.endswith("  hint: start again with --overwrite\n")


@pytest.mark.usefixtures("interrupted")
def test_other_settings_are_refused(batch: Batch) -> None:
    text = refused(batch(*RENDER, "--resume", "--shape", "openai", "--model", "m"))
    assert "PP984 cannot continue: settings is {" in text


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda text: text.replace("text 300.", "other"), "contexts.jsonl has different rows than before"),
        (lambda text: "\n".join(text.splitlines()[:400]), "there are fewer rows than before"),
    ],
)
def test_changed_rows_are_refused(interrupted: Path, batch: Batch, change: Callable[[str], str], reason: str) -> None:
    path = interrupted / "contexts.jsonl"
    path.write_text(change(path.read_text()))
    assert f"PP984 cannot continue: {reason}\n" in refused(batch(*RENDER, "--resume"))


def test_later_rows_may_change(interrupted: Path, batch: Batch) -> None:
    path = interrupted / "contexts.jsonl"
    path.write_text(path.read_text().replace("text 1000.", "other"))
    assert batch(*RENDER, "--resume").returncode == 0


def test_a_damaged_journal_is_reported(interrupted: Path, batch: Batch) -> None:
    (interrupted / "out.jsonl.journal").write_bytes(b"{}\nx\n")
    done = batch(*RENDER, "--resume")
    assert done.returncode == 1
    assert done.stderr == ("out.jsonl.journal: PP984 the journal is damaged\n  hint: start again with --overwrite\n")


@pytest.mark.parametrize("place", range(0, 900, 61))
def test_a_journal_with_another_byte_is_not_continued(interrupted: Path, batch: Batch, place: int) -> None:
    journal = interrupted / "out.jsonl.journal"
    first, *_, last = journal.read_bytes().splitlines()
    content = bytearray(first + b"\n" + last + b"\n")
    content[place % (len(content) - 1)] ^= 1
    journal.write_bytes(content)
    done = batch(*RENDER, "--resume")
    assert done.returncode == 1
    assert "PP984 the journal is damaged" in done.stderr


@pytest.mark.parametrize("size", [None, 0, 1, 1_000])
def test_an_output_that_has_become_shorter_is_not_continued(interrupted: Path, batch: Batch, size: int | None) -> None:
    part = interrupted / "out.jsonl.00001.part"
    part.unlink() if size is None else os.truncate(part, size)
    assert refused(batch(*RENDER, "--resume")) == (
        "out.jsonl.00001.part: PP984 cannot continue: the file is shorter than before\n"
        "  hint: start again with --overwrite\n"
    )


def test_a_link_is_not_followed(interrupted: Path, batch: Batch) -> None:
    part = interrupted / "out.jsonl.00001.part"
    part.rename(interrupted / "other")
    before = (interrupted / "other").read_bytes()
    part.symlink_to(interrupted / "other")
    assert "PP985 cannot be written" in refused(batch(*RENDER, "--resume"))
    assert (interrupted / "other").read_bytes() == before


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_a_journal_that_is_not_a_file_is_refused(folder: Path, batch: Batch, make: Callable[[str], None]) -> None:
    write_contexts(folder, 3)
    make("out.jsonl.journal")
    assert "out.jsonl.journal: PP985 cannot be written" in refused(batch(*RENDER, "--resume"))


def test_a_torn_checkpoint_is_ignored(interrupted: Path, batch: Batch) -> None:
    with (interrupted / "out.jsonl.journal").open("ab") as stream:
        stream.write(b'{"chunks": 99')
    assert batch(*RENDER, "--resume").returncode == 0
    assert len(read_lines(interrupted / "out.jsonl")) == 1100


def test_another_process_is_not_disturbed(interrupted: Path, batch: Batch) -> None:
    code = "import fcntl, sys; f = open(sys.argv[1], 'rb'); fcntl.flock(f, fcntl.LOCK_EX); print(flush=True); input()"
    words = [sys.executable, "-c", code, str(interrupted / "out.jsonl.journal")]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        other.stdout.readline()
        assert refused(batch(*RENDER, "--resume")) == (
            "out.jsonl.journal: PP984 another process writes this output\n"
            "  hint: wait until it ends, or use another output\n"
        )
        other.communicate("\n")


def test_a_complete_output_is_not_replaced(folder: Path, batch: Batch) -> None:
    write_contexts(folder, 2)
    batch(*RENDER)
    for words in (RENDER, (*RENDER, "--resume")):
        assert refused(batch(*words)) == (
            "out.jsonl: PP985 already exists\n  hint: delete it, use another output, or pass --overwrite\n"
        )
    assert not (folder / "out.jsonl.journal").exists()
    assert batch(*RENDER, "--overwrite").returncode == 0


def test_renaming_is_repeated_after_an_interruption(
    folder: Path, batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_contexts(folder, 600)
    batch("render", "contexts.jsonl", "-o", "whole.parquet")

    def fail(*_: object) -> None:
        raise StoppedError

    with monkeypatch.context() as patch:
        patch.setattr("promptpack.batch.output_files.os.replace", fail)
        assert batch("render", "contexts.jsonl", "-o", "out.parquet").returncode == 3
    assert batch("render", "contexts.jsonl", "-o", "out.parquet", "--resume").returncode == 0
    assert digest(folder / "out.parquet") == digest(folder / "whole.parquet")


def test_a_full_disk_is_reported_and_earlier_output_is_kept(
    folder: Path, batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_SECONDS", -1.0)
    write_contexts(folder, 1100)
    batch("render", "contexts.jsonl", "-o", "whole.jsonl")
    real, left = output_files._write, iter(range(3))

    def write(file: Any, data: bytes) -> int:
        if data and next(left, None) is None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(file, data)

    with monkeypatch.context() as patch:
        patch.setattr(output_files, "_write", write)
        assert refused(batch(*RENDER)) == (
            "out.jsonl: PP985 cannot be written: No space left on device\n"
            "  hint: earlier output is kept; free some space, then continue with --resume\n"
        )
    assert (folder / "out.jsonl.00001.part").stat().st_size > 0
    assert batch(*RENDER, "--resume").returncode == 0
    assert digest(folder / "out.jsonl") == digest(folder / "whole.jsonl")


def test_a_folder_that_is_not_there_is_reported(folder: Path, batch: Batch) -> None:
    write_contexts(folder, 1)
    text = refused(batch("render", "contexts.jsonl", "-o", "none/out.jsonl"))
    assert text == "none/out.jsonl.journal: PP985 cannot be written: No such file or directory\n"


def test_a_pipe_cannot_be_continued(folder: Path, batch: Batch) -> None:
    write_contexts(folder, 1)
    text = refused(batch("render", "contexts.jsonl", "-o", "-", "--resume"))
    assert text == "PP988 --resume needs an output file, and excludes --overwrite\n"


def test_a_pipe_as_input_continues_with_the_same_rows(
    folder: Path, batch: Batch, stop_after: Callable[[int], None]
) -> None:
    write_contexts(folder, 1100)
    text = (folder / "contexts.jsonl").read_text()
    stop_after(3)
    batch("render", "-", "-o", "out.jsonl", stdin=text)
    stop_after(1000)
    assert batch("render", "-", "-o", "out.jsonl", "--resume", stdin=text).returncode == 0
    assert len(read_lines(folder / "out.jsonl")) == 1100
