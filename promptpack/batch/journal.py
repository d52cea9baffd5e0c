"""`BatchJournal`: how far a batch has come, on disk, so that it continues after any interruption."""

import hashlib
import json
import os
import stat
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from promptpack.batch.output_files import write_error
from promptpack.batch.summary import BatchSummary
from promptpack.private_folder import PrivateLog
from promptpack.problem import Location, PackError, Problem, UsageError

_FORMAT: Final = 1
_START_AGAIN: Final = "start again with --overwrite"


class Checkpoint(NamedTuple):
    """The chunks that are written, the digest of their rows, the sizes of the files, and the counts so far."""

    chunks: int
    digest: str
    output: Mapping[str, Any]
    summary: BatchSummary
    is_complete: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the checkpoint as plain data."""
        return {**self._asdict(), "summary": self.summary.to_dict()}

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> "Checkpoint":
        """Return the checkpoint that `to_dict` wrote."""
        return cls(**{**row, "summary": BatchSummary.from_dict(row["summary"])})


class BatchJournal:
    """A file of lines: a description of the batch, then its checkpoints."""

    def __init__(self, log: PrivateLog, last: Checkpoint | None, *, is_new: bool) -> None:
        self._log = log
        self.is_new = is_new
        self.last = last
        """The last checkpoint of an earlier run, if it is continued."""

    @classmethod
    def open(cls, path: str, batch: Mapping[str, Any], *, resume: bool, overwrite: bool) -> "BatchJournal":
        """Open the journal of a batch; refuse to continue another batch, or to replace an unfinished one."""
        log = _open_log(path)
        try:
            return cls._open(log, batch, resume, overwrite)
        except BaseException:
            log.close()
            raise

    @classmethod
    def _open(cls, log: PrivateLog, batch: Mapping[str, Any], resume: bool, overwrite: bool) -> "BatchJournal":
        if not log.lock():
            hint = "wait until it ends, or use another output"
            raise UsageError(Problem("PP984", "another process writes this output", Location(log.path), hint))
        if overwrite:
            log.clear()
        lines = log.read_lines()
        if lines and not resume:
            hint = f"continue it with --resume, or {_START_AGAIN}"
            raise UsageError(Problem("PP984", "an earlier run is not complete", Location(log.path), hint))
        journal = cls(log, _read(lines, batch, log.path) if lines else None, is_new=not lines)
        if not lines:
            journal._append({"batch": _FORMAT, **batch})
        return journal

    def add(self, checkpoint: Checkpoint) -> None:
        """Write a checkpoint; the data that it describes is on disk already."""
        self._append(checkpoint.to_dict())

    def delete(self) -> None:
        """Remove the journal of a complete batch, or of one that did not start."""
        os.unlink(self._log.path)

    def close(self) -> None:
        """Close the file, and keep it."""
        self._log.close()

    def _append(self, row: Mapping[str, Any]) -> None:
        try:
            self._log.append(_write(row))
        except OSError as error:
            raise write_error(error, self._log.path) from error


def _open_log(path: str) -> PrivateLog:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    except OSError as error:
        raise UsageError(Problem("PP985", f"cannot be written: {error.strerror}", Location(path))) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UsageError(Problem("PP985", "cannot be written: it is not a file", Location(path)))
    return PrivateLog(path, descriptor)


def _read(lines: list[bytes], batch: Mapping[str, Any], path: str) -> Checkpoint | None:
    try:
        header, last = _parse(lines[0]), _parse(lines[-1])
    except ValueError as error:
        raise PackError(Problem("PP984", "the journal is damaged", Location(path), _START_AGAIN)) from error
    for name, value in {"batch": _FORMAT, **batch}.items():
        if header.get(name) != value:
            raise resume_error(f"{name} is {_show(value)}, but was {_show(header.get(name))}", path)
    return Checkpoint.from_dict(last) if len(lines) > 1 else None


def _write(row: Mapping[str, Any]) -> bytes:
    """Return a line with its own checksum: what is not exactly as written is not continued."""
    text = json.dumps(row, separators=(",", ":")).encode()
    return _checksum(text) + b" " + text


def _parse(line: bytes) -> dict[str, Any]:
    checksum, _, text = line.partition(b" ")
    if checksum != _checksum(text):
        raise ValueError("the checksum is another one")
    row: dict[str, Any] = json.loads(text)
    return row


def _checksum(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest()[:16].encode()


def resume_error(reason: str, path: str) -> UsageError:
    """Return the problem of a batch that cannot be continued."""
    return UsageError(Problem("PP984", f"cannot continue: {reason}", Location(path), _START_AGAIN))


def _show(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
