"""Work that makes very many objects at once, all of which stay."""

from __future__ import annotations

import gc
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def without_collector() -> Iterator[None]:
    """Keep Python from looking for garbage among the packs that are there already, again and again as they grow.

    Of two threads that do so at once, the first to end lets it look again.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
