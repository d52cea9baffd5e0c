"""The partials that packs may include: packs that have the same ones share what was read of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from promptpack.lazy import cached_property

if TYPE_CHECKING:
    from promptpack.pack.parts import Parts
    from promptpack.template import Engine, Limits, Source


class Partials:
    """The partials of some packs, and what reads and compiles templates that include them."""

    def __init__(self, sources: Mapping[str, Source], limits: Limits, held: object = None) -> None:
        self.sources = sources
        self.limits = limits
        self._held = held

    @cached_property
    def engine(self) -> Engine:
        """What compiles with Jinja, made on first use."""
        from promptpack.template import Engine

        return Engine(self.sources, self.limits, caching=True)


class PartialsOfPacks:
    """The partials of every pack in a folder, where some are files that all of its packs have."""

    def __init__(self, shared: Mapping[str, Source], limits: Limits) -> None:
        self._shared = shared
        self._limits = limits
        self._known: WeakValueDictionary[tuple[object, ...], Partials] = WeakValueDictionary()
        # Of packs that are looked at one after the other, none may be left when the next one comes.
        self._last: Partials | None = None

    def of(self, parts: Parts) -> Partials:
        """Give the partials of a pack: its own, those of the packs it extends, and the files."""
        placed = [(name, one, syntax) for name, (one, syntax) in parts.partials.items()]
        key = tuple((name, id(one.document), one.path, syntax) for name, one, syntax in placed)
        found = self._known.get(key)
        if found is None:
            sources = {**self._shared, **{name: one.source(syntax) for name, one, syntax in placed}}
            # The documents are held, so that no other one gets the identity of theirs.
            found = self._known[key] = Partials(sources, self._limits, [one.document for _, one, _ in placed])
        self._last = found
        return found
