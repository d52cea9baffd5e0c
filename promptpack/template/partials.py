"""The partials that templates may include: own ones over those of a base, which other packs share.

A partial is analysed once, where it is declared, and again only where it includes one that is replaced or added.
"""

from collections import ChainMap
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple, Optional

from jinja2 import nodes

from promptpack.lazy import cached_property
from promptpack.problem import Location, PackError, Problem
from promptpack.template import policy
from promptpack.template.includes import (
    MAX_VISIT_DEPTH,
    MAX_VISITS,
    LoadingTag,
    find_cycles,
    loading_tags,
)
from promptpack.template.memoizable import Memoizer
from promptpack.template.model import Limits, Source
from promptpack.template.names import DependencyFinder
from promptpack.template.positions import decode
from promptpack.template.tree import constant_tree

# A pack can include all partials of its folder, but needs the code of few.
_PARTIALS_A_PACK = 4


class TreeReader(NamedTuple):
    """Functions that return the tree of a text, and that raise if it breaks the policy."""

    parse: Callable[[Source], nodes.Template]
    check: Callable[[nodes.Template, Source], None]
    """Does not check the names of the partials that a tree loads."""


class _OwnPartials(NamedTuple):
    """The partials that one layer declares."""

    trees: dict[str, nodes.Template]
    tags: dict[str, list[LoadingTag]]
    includers: Mapping[str, list[str]]
    """By the name of a partial, known or not, those that load it."""
    faults: Mapping[str, tuple[Problem, ...]]
    unparsed: Mapping[str, None]
    size: int
    """Also of the partials below."""
    excess: tuple[Problem, ...]


class LayeredPartials:
    """Immutable once created; threads may share it."""

    def __init__(
        self, own: Mapping[str, Source], reader: TreeReader, limits: Limits, base: Optional["LayeredPartials"] = None
    ) -> None:
        self._sources = dict(own)
        self._base = base
        self._layers: tuple[LayeredPartials, ...] = (self, *(base._layers if base else ()))
        self.sources: ChainMap[str, Source] = ChainMap(*(layer._sources for layer in self._layers))
        self._max_size = limits.nodes * _PARTIALS_A_PACK
        self._reader = reader

    def has_same(self, names: Collection[str], other: "LayeredPartials") -> bool:
        """Return whether other partials have the same ones with these names."""
        return self is other or all(self.sources.get(name) is other.sources.get(name) for name in names)

    @cached_property
    def trees(self) -> Mapping[str, nodes.Template]:
        """The trees; those of partials that could not be parsed are empty."""
        return ChainMap(*(layer._own.trees for layer in self._layers))

    @cached_property
    def dependencies(self) -> DependencyFinder:
        """Finds the names and partials that templates depend on."""
        if self._nested:
            return DependencyFinder({})
        return DependencyFinder(self.trees, self._changed, self._base.dependencies if self._base else None)

    @cached_property
    def memoizer(self) -> Memoizer:
        """Finds what the render cache may hold."""
        return Memoizer(self.trees, self.dependencies, self._changed, self._base.memoizer if self._base else None)

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """All problems of all partials."""
        faulty = self._current(lambda layer: layer._own.faults)
        faults = (problem for layer, name in faulty for problem in layer._own.faults[name])
        in_cycles = self._current(lambda layer: layer._cycles, lambda layer: layer._changed)
        cycles = (problem for layer, name in in_cycles for problem in layer._cycles[name])
        return (*self._own.excess, *faults, *self._find_unknown(), *cycles, *self._nested)

    @property
    def is_complete(self) -> bool:
        """Whether all partials could be parsed and analysed."""
        unparsed = self._current(lambda layer: layer._own.unparsed)
        return not (self._own.excess or self._nested or any(unparsed))

    @cached_property
    def _own(self) -> _OwnPartials:
        size, excess = (self._base._own.size, self._base._own.excess) if self._base else (0, ())
        trees = dict.fromkeys(self._sources, constant_tree(""))
        tags: dict[str, list[LoadingTag]] = {name: [] for name in self._sources}
        faults: dict[str, tuple[Problem, ...]] = {}
        unparsed: dict[str, None] = {}
        for name, source in () if excess else self._sources.items():
            try:
                tree = self._reader.parse(source)
            except PackError as error:
                faults[name] = error.problems
                unparsed[name] = None
                continue
            trees[name], tags[name] = tree, list(loading_tags(tree))
            try:
                self._reader.check(tree, source)
            except PackError as error:
                faults[name] = error.problems
            size += tree.size  # type: ignore[attr-defined]  # set by the engine
            if size > self._max_size:
                excess = (too_many_nodes("partials", self._max_size, source.locate(1, 1)),)
                break
        includers: dict[str, list[str]] = {}
        for name, tag in ((name, tag) for name, several in tags.items() for tag in several):
            includers.setdefault(tag.target, []).append(name)
        return _OwnPartials(trees, tags, includers, faults, unparsed, size, excess)

    @cached_property
    def _tags(self) -> Mapping[str, list[LoadingTag]]:
        return ChainMap(*(layer._own.tags for layer in self._layers))

    def _current(
        self, names_of: "NamesOf", replaced_by: "NamesOf" = lambda layer: layer._sources
    ) -> Iterator[tuple["LayeredPartials", str]]:
        """Yield names of each layer, with the layer, unless a layer above replaces them."""
        for index, layer in enumerate(self._layers):
            if names := names_of(layer):
                above = [replaced_by(one) for one in self._layers[:index]]
                yield from ((layer, name) for name in names if not any(name in one for one in above))

    @cached_property
    def _changed(self) -> Mapping[str, None]:
        """The partials to analyse here: the own ones, and those of the base that load one of these."""
        found = dict.fromkeys(self._sources)
        pending = list(found) if self._base else []
        for target in pending:
            loading = self._current(lambda layer: layer._own.includers.get(target, ()))  # noqa: B023 -- used at once
            new = dict.fromkeys(name for _, name in loading if name not in found)
            found |= new
            pending += new
        return found

    @cached_property
    def _nested(self) -> tuple[Problem, ...]:
        """The problem of too many partials, or of partials that include each other too deeply."""
        high = next((name for _, name in self._current(lambda layer: layer._high, lambda layer: layer._heights)), None)
        count = sum(len(layer._sources) for layer in self._layers)
        if high is None and count <= MAX_VISITS:
            return ()
        place = self.sources[high or next(iter(self.sources))].locate(1, 1)
        message = f"more than {MAX_VISITS:,} partials, or includes nested more than {MAX_VISIT_DEPTH} levels deep"
        return (Problem("PP324", message, place, "use fewer partials"),)

    @cached_property
    def _high(self) -> list[str]:
        """The partials that have too many levels."""
        return [name for name, height in self._heights.items() if height > MAX_VISIT_DEPTH]

    @cached_property
    def _heights(self) -> dict[str, int]:
        """How many levels of partials each partial has, itself included; only where they may differ from the base."""
        below = ChainMap(*(layer._heights for layer in self._layers[1:]))
        found = self._measure(self._sources, below)
        if self._base and (self._base._nested or any(height > below.get(name, 0) for name, height in found.items())):
            return self._measure(self._changed, below)
        return found

    def _measure(self, names: Collection[str], below: Mapping[str, int]) -> dict[str, int]:
        """Return the heights of some partials; all others have the heights `below`."""
        found: dict[str, int] = {}
        for start in names:
            path = {start: None} if start not in found else {}
            while path:
                name = next(reversed(path))
                targets = [tag.target for tag in self._tags[name]]
                first = next((one for one in targets if one in names and one not in found and one not in path), None)
                if first is not None:
                    path[first] = None
                    continue
                heights = (found.get(one, 0) if one in names else below.get(one, 0) for one in targets)
                found[name] = 1 + max(heights, default=0)
                del path[name]
        return found

    @cached_property
    def names(self) -> policy.PartialNames:
        """The names of the partials."""
        return policy.PartialNames(self.sources)

    @cached_property
    def _unknown(self) -> Mapping[str, list[tuple[str, Problem]]]:
        """The names that own partials load and neither this layer nor one below declares, each with its problem."""
        found: dict[str, list[tuple[str, Problem]]] = {}
        for name, tags in self._own.tags.items():
            for tag in (tag for tag in tags if tag.target not in self.sources):
                problem = policy.refuse_unknown(tag, self._sources[name], self.names)
                found.setdefault(name, []).append((tag.target, problem))
        return found

    def _find_unknown(self) -> Iterator[Problem]:
        for layer, name in self._current(lambda layer: layer._unknown):
            yield from (one for target, one in layer._unknown[name] if target not in self.sources)

    @cached_property
    def _cycles(self) -> Mapping[str, list[Problem]]:
        """The problems of the partials analysed here that include themselves."""
        # A cycle leads through an own partial, or is one of the base.
        reached = dict.fromkeys(self._sources)
        reached |= dict.fromkeys(name for layer in self._layers[1:] for name in layer._cycles if name in self._changed)
        pending = list(reached)
        for name in pending:
            new = dict.fromkeys(tag.target for tag in self._tags[name] if tag.target in self._changed)
            pending += new.keys() - reached.keys()
            reached |= new
        found: dict[str, list[Problem]] = {}
        for name, tag in find_cycles({name: self._tags[name] for name in reached}):
            message = f"partial {name!r} includes itself, directly or through others"
            place = self.sources[name].locate(*decode(tag.node.lineno))
            problem = Problem("PP310", message, place, "remove one of the includes in the cycle")
            found.setdefault(name, []).append(problem)
        return found


NamesOf = Callable[[LayeredPartials], Collection[str]]


def too_many_nodes(what: str, limit: int, place: Location) -> Problem:
    """Return the problem of a pack whose templates together take too long to compile."""
    message = f"the {what} of this pack have more than {limit:,} tags, names and operators"
    return Problem("PP326", message, place, "split the pack, or write long texts as plain text")
