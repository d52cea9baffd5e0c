"""Work that makes very many objects at once, all of which stay."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collector() -> Iterator[None]:
    """Keep Python from looking for garbage among the packs that are there already, again and again as they grow.

    What was made counts as old afterwards: `docs/decisions/0022-the-collector-rests.md`. Of two threads that do so at
    once, the first to end lets it look again.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            _call_all_old()
            gc.enable()


def _call_all_old() -> None:
    """Move all that is young to what only a full collection looks at, unless somebody keeps objects frozen."""
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()
