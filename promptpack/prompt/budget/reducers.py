"""The ways in which messages give way; each takes as many steps as it must, and no more."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, Protocol

from promptpack.prompt.budget.counters import Counter
from promptpack.prompt.budget.model import Budget, Way
from promptpack.prompt.budget.sizing import SizedMessage


@dataclass(frozen=True, slots=True)
class Overrun:
    """The budget, how its texts are counted, and by how much the messages exceed it."""

    budget: Budget
    counter: Counter
    excess: int


class Reducer(Protocol):
    """Makes lines smaller by dropping or cutting some of them."""

    def __call__(self, lines: Sequence[SizedMessage], need: Overrun) -> list[SizedMessage]:
        """Give the lines that are left, some of them shorter."""
        ...


def drop_oldest_history(lines: Sequence[SizedMessage], need: Overrun) -> list[SizedMessage]:
    """Drop history from its beginning in whole blocks, so that the beginning of what stays seldom changes."""
    history = [line for line in lines if line.history]
    ends = list(_block_ends(history, _groups_outside(lines), need.budget))
    cut = next((end for end, dropped in ends if dropped >= need.excess), ends[-1][0])
    gone = {line.position for line in history[:cut]}
    return [line for line in lines if line.position not in gone]


def cut_longest_observations(lines: Sequence[SizedMessage], need: Overrun) -> list[SizedMessage]:
    """Cut the longest tool results to a common length that goes down by halves, so that it seldom changes."""
    shorter = list(lines)
    for longest in _lengths(lines, need.budget.shortest):
        shorter = [_cut(line, longest, need) for line in lines]
        if _size(lines) - _size(shorter) >= need.excess:
            break
    return shorter


def drop_lowest_priority(lines: Sequence[SizedMessage], need: Overrun) -> list[SizedMessage]:
    """Drop messages that have a priority, the lowest and the earliest first; those without one stay."""
    groups: dict[int, list[SizedMessage]] = {}
    for line in lines:
        groups.setdefault(line.group, []).append(line)
    gone: set[int] = set()
    freed = 0
    for group in sorted((members for members in groups.values() if _may_go(members)), key=_priority):
        if freed >= need.excess:
            break
        gone.update(line.position for line in group)
        freed += _size(group)
    return [line for line in lines if line.position not in gone]


REDUCERS: Final[Mapping[Way, Reducer]] = MappingProxyType(
    {
        "oldest-history": drop_oldest_history,
        "longest-observation": cut_longest_observations,
        "lowest-priority": drop_lowest_priority,
    }
)


def _size(lines: Sequence[SizedMessage]) -> int:
    return sum(line.size for line in lines)


def _groups_outside(lines: Sequence[SizedMessage]) -> frozenset[int]:
    """Find the groups with a message outside of the history: their history cannot go."""
    return frozenset(line.group for line in lines if not line.history)


def _block_ends(history: Sequence[SizedMessage], held: frozenset[int], budget: Budget) -> Iterator[tuple[int, int]]:
    """Give the places to cut at, with the size before them: each past a further block, and the last one possible.

    They depend on the beginning of the history alone, so a longer history has the same ones.
    """
    last = {line.group: index for index, line in enumerate(history)}
    reach, dropped, goal = 0, 0, budget.block
    end, end_size = 0, 0
    for index, line in enumerate(history[: max(len(history) - budget.keep_newest, 0)]):
        if line.group in held:
            break
        reach, dropped = max(reach, last[line.group]), dropped + line.size
        if reach > index:
            continue
        end, end_size = index + 1, dropped
        if dropped >= goal:
            yield end, dropped
            goal = (dropped // budget.block + 1) * budget.block
    yield end, end_size


def _lengths(lines: Sequence[SizedMessage], shortest: int) -> Iterator[int]:
    longest = max((len(line.text) for line in lines if line.can_be_cut), default=0)
    halvings = 0
    while shortest << halvings < longest:
        halvings += 1
    for power in reversed(range(halvings)):
        yield shortest << power


def _cut(line: SizedMessage, longest: int, need: Overrun) -> SizedMessage:
    if not line.can_be_cut or len(line.text) <= longest:
        return line
    ellipsis = need.budget.ellipsis[:longest]
    text = line.text[: longest - len(ellipsis)] + ellipsis
    size = line.size - need.counter(line.text) + need.counter(text)
    return replace(line, text=text, size=size) if size < line.size else line


def _may_go(members: Sequence[SizedMessage]) -> bool:
    return all(line.priority is not None for line in members)


def _priority(members: Sequence[SizedMessage]) -> tuple[float, int]:
    return max(line.priority or 0 for line in members), members[0].position
