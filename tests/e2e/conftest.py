"""Run the command in this process, which is cheap, or in a new process for tests about processes."""

import os
import subprocess
import sys
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from promptpack.cli import main


@dataclass(frozen=True, slots=True)
class Finished:
    """The result of a command."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def no_certificates(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let HTTP clients load no certificates: that takes most of their time, and the loopback server has no TLS."""
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path_factory.mktemp("certificates")))


def run(folder: Path, *words: str, stdin: str = "", **environment: str) -> Finished:
    """Run the command in this process, with its own arguments, streams, working folder and environment."""
    # Streams over bytes, like real ones, so that text that cannot be encoded fails here too.
    given, out, err = BytesIO(stdin.encode()), BytesIO(), BytesIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "argv", ["promptpack", *words])
        for name, stream in (("stdin", given), ("stdout", out), ("stderr", err)):
            patch.setattr(sys, name, TextIOWrapper(stream, "utf-8", write_through=True))
        for variable, value in environment.items():
            patch.setenv(variable, value)
        with pytest.raises(SystemExit) as ended:
            main.run()
        returncode = ended.value.code or 0
        assert isinstance(returncode, int)
        return Finished(returncode, out.getvalue().decode(), err.getvalue().decode())


def run_process(folder: Path, *words: str, stdin: str = "", **environment: str) -> Finished:
    """Run the command in a new process."""
    done = subprocess.run(
        [sys.executable, "-m", "promptpack", *words],
        cwd=folder,
        env={**os.environ, **environment},
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )
    return Finished(done.returncode, done.stdout, done.stderr)
