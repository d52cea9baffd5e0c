"""Split the literals of a goal into branches without alternatives, and drop the branches that contradict themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

from promptpack.schema.equality import equality_key
from promptpack.schema.inclusion.atoms import Among, Except, Item, Or
from promptpack.schema.inclusion.expansion import LiteralExpander
from promptpack.schema.inclusion.lists import Lists
from promptpack.schema.inclusion.nodes import Literal
from promptpack.schema.inclusion.objects import Objects
from promptpack.schema.inclusion.scalars import FewValues, Numbers
from promptpack.schema.inclusion.solutions import Facts, Solver
from promptpack.schema.inclusion.step_meter import StepMeter
from promptpack.schema.inclusion.texts import Texts

_FACTS: Final[dict[str, Callable[[], Facts]]] = {
    "null": lambda: FewValues(None),
    "boolean": lambda: FewValues(False, True),
    "number": Numbers,
    "string": Texts,
    "array": Lists,
    "object": Objects,
}
# Copying a branch takes this many steps, and one more for this many literals.
_STEPS_OF_A_BRANCH: Final = 2
_LITERALS_A_STEP: Final = 40


class Branch(NamedTuple):
    """Literals and facts that hold together; `words` are the only possible values, if they are listed."""

    literals: frozenset[Literal]
    facts: Facts
    open_ors: tuple[Or, ...] = ()
    words: tuple[Any, ...] | None = None
    excluded: tuple[Any, ...] = ()


class Branches:
    """Finds the branches of goals for values of one kind."""

    def __init__(self, kind: str, expansion: LiteralExpander, solver: Solver) -> None:
        self._kind = kind
        self._expansion = expansion
        self._solver = solver
        self._meter: StepMeter = solver.meter

    def split(self, goal: Iterable[Literal]) -> Iterator[Branch]:
        """Yield the branches of a goal; a value meets the goal only if it belongs to one of them."""
        start = self._extend(Branch(frozenset(), _FACTS[self._kind]()), tuple(goal))
        waiting = [] if start is None else [start]
        while waiting:
            branch = self._propagate(waiting.pop())
            if branch is None:
                continue
            if not branch.open_ors or branch.words is not None:
                yield branch
            elif not branch.facts.is_impossible(self._solver):
                waiting += reversed(list(self._divide(branch)))

    def _divide(self, branch: Branch) -> Iterator[Branch]:
        chosen = min(branch.open_ors, key=lambda one: (not one.comes_first, len(one.options)))
        others = tuple(one for one in branch.open_ors if one is not chosen)
        for option in chosen.options:
            extended = self._extend(branch._replace(open_ors=others), option)
            if extended is not None:
                yield extended

    def _propagate(self, branch: Branch) -> Branch | None:
        """Remove impossible options, and add those that are the only ones left; return None for a contradiction."""
        is_changed = True
        while is_changed and branch.open_ors and branch.words is None:
            is_changed = False
            waiting, branch = branch.open_ors, branch._replace(open_ors=())
            for one in waiting:
                if any(_is_known(option, branch) for option in one.options):
                    continue
                possible = tuple(option for option in one.options if self._extend(branch, option) is not None)
                if not possible:
                    return None
                if len(possible) > 1:
                    branch = branch._replace(open_ors=(*branch.open_ors, one._replace(options=possible)))
                    continue
                extended = self._extend(branch, possible[0])
                if extended is None:
                    return None
                branch, is_changed = extended, True
        return branch

    def _extend(self, branch: Branch, items: tuple[Item, ...]) -> Branch | None:
        """Return the branch with more items, or None if they contradict it."""
        self._meter.spend(_STEPS_OF_A_BRANCH + len(branch.literals) // _LITERALS_A_STEP)
        literals, facts, ors = set(branch.literals), branch.facts.copy(), list(branch.open_ors)
        words, excluded = branch.words, branch.excluded
        waiting = list(items)
        while waiting:
            item = waiting.pop()
            if isinstance(item, Literal):
                if item.opposite in literals:
                    return None
                if item not in literals:
                    self._meter.spend()
                    literals.add(item)
                    waiting += self._expansion.expand(item, self._kind)
            elif isinstance(item, Or):
                if not item.options:
                    return None
                if len(item.options) == 1:
                    waiting += item.options[0]
                else:
                    ors.append(item)
            elif isinstance(item, Among):
                words = _meet(words, item.values)
                if not words:
                    return None
            elif isinstance(item, Except):
                excluded += item.values
            elif not facts.add(item):
                return None
        return Branch(frozenset(literals), facts, tuple(ors), words, excluded)


def _is_known(option: tuple[Item, ...], branch: Branch) -> bool:
    """Return whether an option already holds; only literals are compared, because other items may hold lists."""
    return all(isinstance(item, Literal) and item in branch.literals for item in option)


def _meet(first: tuple[Any, ...] | None, second: tuple[Any, ...]) -> tuple[Any, ...]:
    if first is None:
        return second
    known = {equality_key(value) for value in second}
    return tuple(value for value in first if equality_key(value) in known)
