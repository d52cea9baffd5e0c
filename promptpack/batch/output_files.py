"""`OutputFiles`: files that are written block by block under temporary names, and renamed when they are complete."""

import errno
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, Final

from promptpack.batch.encoding import EncodedBlock, Encoding
from promptpack.batch.parquet import convert
from promptpack.batch.requests import FileLimits
from promptpack.batch.sources import STANDARD
from promptpack.problem import Location, Problem, UsageError

_NO_SPACE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_SUFFIX: Final = re.compile(r"(\.(jsonl|ndjson|json|csv|parquet))?(\.(gz|zst))?$", re.IGNORECASE)


class OutputFiles:
    """The files of a batch: records in one file or more, and errors in one.

    `open` continues with the sizes of a checkpoint; whatever was written later is cut off.
    """

    def __init__(self, path: str, encoding: Encoding, limits: FileLimits, errors: str = "", mode: int = 0o666) -> None:
        self.path = path
        self.errors: str = errors or f"{_stem(path)}.errors.jsonl"
        self._encoding = encoding
        self._limits = limits
        self._mode = mode
        self._state: dict[str, Any] = {"files": [0], "rows": 0, "bytes": 0, "errors": 0}
        self._file: BinaryIO | None = None
        self._errors: BinaryIO | None = None

    @property
    def state(self) -> dict[str, Any]:
        """The sizes of all files."""
        return {**self._state, "files": list(self._state["files"])}

    def find_results(self) -> list[str]:
        """Return the complete files of these names that already exist."""
        return [path for path in (self.path, *self._numbered(), self.errors) if os.path.exists(path)]

    def open(self, state: Mapping[str, Any] | None) -> None:
        """Open the files, and cut them to the sizes of a checkpoint; without one, they start empty."""
        with self._translating_errors():
            if state is None:
                self._remove_parts()
            else:
                self._state = {**state, "files": list(state["files"])}
            self._file = _open_part(self._part(self._count), self._state["files"][-1], self._mode)
            self._errors = _open_part(f"{self.errors}.part", self._state["errors"], self._mode)
            for number in range(self._count + 1, self._count + 1000):
                if not _remove(self._part(number)):
                    break

    def write(self, blocks: Iterable[EncodedBlock], errors: Iterable[EncodedBlock]) -> None:
        """Append encoded records; a new file starts before one exceeds its limits."""
        with self._translating_errors():
            for block in blocks:
                self._write_block(block)
            for block in errors:
                self._state["errors"] += _write(self._errors, block.data)

    def sync(self) -> None:
        """Wait until all that was written is on disk."""
        with self._translating_errors():
            for file in (self._file, self._errors):
                if file is not None:
                    file.flush()
                    os.fsync(file.fileno())

    def close(self) -> None:
        """Close the files as they are; data that is not on disk yet may be lost."""
        for file in (self._file, self._errors):
            with suppress(OSError):
                if file is not None:
                    file.close()

    def finish(self, state: Mapping[str, Any]) -> list[str]:
        """Give the complete files their names, and return these; can be repeated after an interruption."""
        self.close()
        names = [self.path] if len(state["files"]) == 1 else [self._name(n + 1) for n in range(len(state["files"]))]
        with self._translating_errors():
            for number, name in enumerate(names, 1):
                part = self._part(number)
                if os.path.exists(part):
                    if name.lower().endswith(".parquet"):
                        convert(part, self._encoding.columns)
                    os.replace(part, name)
            if state["errors"]:
                with suppress(FileNotFoundError):
                    os.replace(f"{self.errors}.part", self.errors)
                return [*names, self.errors]
            _remove(f"{self.errors}.part")
        return names

    def remove_results(self) -> None:
        """Delete complete files of an earlier run."""
        for path in self.find_results():
            _remove(path)

    @property
    def _count(self) -> int:
        return len(self._state["files"])

    def _write_block(self, block: EncodedBlock) -> None:
        rows, size = self._state["rows"] + block.rows, self._state["bytes"] + block.size
        limits = self._limits
        is_over = (limits.rows and rows > limits.rows) or (limits.bytes and size > limits.bytes)
        if is_over and self._state["rows"]:
            self._start_next()
            rows, size = block.rows, block.size
        if not self._state["files"][-1]:
            self._state["files"][-1] += _write(self._file, self._encoding.header)
        self._state |= {"rows": rows, "bytes": size}
        self._state["files"][-1] += _write(self._file, block.data)

    def _start_next(self) -> None:
        if self._file is not None:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
        self._state["files"].append(0)
        self._file = _open_part(self._part(self._count), 0, self._mode)

    def _part(self, number: int) -> str:
        return f"{self.path}.{number:05}.part"

    def _name(self, number: int) -> str:
        return f"{_stem(self.path)}-{number:05}{self.path[len(_stem(self.path)) :]}"

    def _numbered(self) -> Iterator[str]:
        number = 1
        while os.path.exists(self._name(number)):
            yield self._name(number)
            number += 1

    def _remove_parts(self) -> None:
        number = 1
        while _remove(self._part(number)):
            number += 1
        _remove(f"{self.errors}.part")

    @contextmanager
    def _translating_errors(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:  # the reader of a pipe has enough
            raise
        except OSError as error:
            raise write_error(error, self.path) from error


class PipeOutput(OutputFiles):
    """Standard output, which cannot be continued; errors go to a file or to standard error."""

    def __init__(self, encoding: Encoding, errors: str = "") -> None:
        super().__init__(STANDARD, encoding, FileLimits(), errors or STANDARD)

    def find_results(self) -> list[str]:
        """Return nothing: nothing can be overwritten."""
        return []

    def open(self, state: Mapping[str, Any] | None) -> None:  # noqa: ARG002 -- there is nothing to continue
        """Use the open streams."""
        if sys.stdout is None:
            raise UsageError(Problem("PP985", "standard output is closed"))
        self._file = sys.stdout.buffer
        self._errors = sys.stderr.buffer if self.errors == STANDARD else _open_part(self.errors, 0, self._mode)

    def sync(self) -> None:
        """Flush the streams."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Leave the standard streams open."""
        if self._errors is not None and self.errors != STANDARD:
            self._errors.close()

    def finish(self, state: Mapping[str, Any]) -> list[str]:  # noqa: ARG002 -- as above
        """Return no names."""
        self.close()
        return []


def write_error(error: OSError, path: str) -> UsageError:
    """Return the problem of a file that cannot be written, such as a full disk."""
    message = f"cannot be written: {error.strerror or error}"
    if path == STANDARD:
        return UsageError(Problem("PP985", f"standard output {message}"))
    step = "free some space, then " if error.errno in _NO_SPACE else ""
    hint = f"earlier output is kept; {step}continue with --resume"
    return UsageError(Problem("PP985", message, Location(path), hint))


def _open_part(path: str, size: int, mode: int) -> BinaryIO:
    file = open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, mode), "wb")  # noqa: SIM115 -- open as long as the output
    if file.seek(0, os.SEEK_END) < size:
        file.close()
        hint = "start again with --overwrite"
        raise UsageError(Problem("PP984", "cannot continue: the file is shorter than before", Location(path), hint))
    file.truncate(size)
    file.seek(size)
    return file


def _write(file: BinaryIO | None, data: bytes) -> int:
    if file is None:
        raise OSError("the file is not open")
    file.write(data)
    return len(data)


def _remove(path: str) -> bool:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    return True


def _stem(path: str) -> str:
    return _SUFFIX.sub("", path)
