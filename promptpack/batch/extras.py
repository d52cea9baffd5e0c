"""Packages that batch processing needs for some formats and engines, imported on first use."""

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Final

from promptpack.problem import MissingExtraError, Problem

_USES: Final = {
    "zstandard": ("batch", "reading and writing .zst files"),
    "pyarrow": ("batch", "reading and writing .parquet files"),
    "ray": ("ray", "--engine ray"),
}


def import_extra(package: str) -> ModuleType:
    """Import a package; raise a `MissingExtraError` that says which command installs it."""
    try:
        return import_module(package)
    except ImportError as error:
        raise _missing(package) from error


def require_extra(package: str) -> None:
    """Raise the same error if a package is missing, without importing it."""
    if find_spec(package) is None:
        raise _missing(package)


def _missing(package: str) -> MissingExtraError:
    extra, use = _USES[package.partition(".")[0]]
    hint = f"install it: pip install 'promptpack-agents[{extra}]'"
    return MissingExtraError(Problem("PP983", f"{use} needs the extra {extra!r}", None, hint))
