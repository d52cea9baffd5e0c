"""Packages that batch processing needs for some formats and engines, imported on first use."""

from importlib import import_module
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
        extra, use = _USES[package.partition(".")[0]]
        hint = f"install it: pip install 'promptpack-agents[{extra}]'"
        raise MissingExtraError(Problem("PP983", f"{use} needs the extra {extra!r}", None, hint)) from error
