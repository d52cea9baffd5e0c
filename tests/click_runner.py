"""Runs a command in this process, with separate standard output and standard error, also with click before 8.2."""

from inspect import signature
from typing import Any, Final

from click.testing import CliRunner

_SEPARATE: Final[dict[str, Any]] = {"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}


def make_runner() -> CliRunner:
    """Return a runner whose results have `stdout` and `stderr`."""
    return CliRunner(**_SEPARATE)
