"""A stamp of the running code, for cached results that another version would compute differently."""

from __future__ import annotations

import os
from collections.abc import Iterator

_PACKAGE = os.path.dirname(os.path.realpath(__file__))


def compute_code_stamp() -> str:
    """Return a text that changes with the code of a checkout; empty if installed, where the version is enough."""
    if os.path.isdir(f"{_PACKAGE}/_shipped"):
        return ""
    root = os.path.dirname(_PACKAGE)
    # Packs of other folders extend shipped packs and refer to shipped schemas.
    times = [*_times(_PACKAGE, ".py"), *_times(f"{root}/schemas", ".json"), *_times(f"{root}/packs", ".yaml")]
    return f"{len(times)}.{max(times)}"


def _times(folder: str, suffix: str) -> Iterator[int]:
    with os.scandir(folder) as found:
        for item in found:
            if item.name.endswith(suffix):
                yield item.stat().st_mtime_ns
            elif item.is_dir() and item.name != "__pycache__":
                yield from _times(item.path, suffix)
