"""The ways to make messages smaller; each stops as soon as they fit."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, Protocol

from promptpack.prompt.budget.counters import Counter
from promptpack.prompt.budget.model import Budget, Way
from promptpack.prompt.budget.sizing import SizedMessage, total_size


@dataclass(frozen=True, slots=True)
class Overrun:
    """The budget, its counter, and by how much the messages exceed it."""

    budget: Budget
    counter: Counter
    excess: int


class Reducer(Protocol):
    """Makes messages smaller by dropping or cutting some of them."""

    def __call__(self, messages: Sequence[SizedMessage], overrun: Overrun) -> list[SizedMessage]:
        """Return the remaining messages, some of them shorter."""
        ...


def drop_oldest_history(messages: Sequence[SizedMessage], overrun: Overrun) -> list[SizedMessage]:
    """Drop the oldest history in whole blocks, so that the start of the rest seldom changes."""
    history = [message for message in messages if message.history]
    # A group with a message outside the history cannot be dropped.
    pinned = frozenset(message.group for message in messages if not message.history)
    ends = list(_block_ends(history, pinned, overrun.budget))
    cut = next((end for end, dropped in ends if dropped >= overrun.excess), ends[-1][0])
    gone = {message.position for message in history[:cut]}
    return [message for message in messages if message.position not in gone]


def cut_longest_observations(messages: Sequence[SizedMessage], overrun: Overrun) -> list[SizedMessage]:
    """Cut the longest tool results to a common length, which is halved at each step so that it seldom changes."""
    shorter = list(messages)
    for longest in _common_lengths(messages, overrun.budget.shortest):
        shorter = [_cut(message, longest, overrun) for message in messages]
        if total_size(messages) - total_size(shorter) >= overrun.excess:
            break
    return shorter


def drop_lowest_priority(messages: Sequence[SizedMessage], overrun: Overrun) -> list[SizedMessage]:
    """Drop messages with a priority, the lowest and then the earliest first; keep messages without one."""
    groups: dict[int, list[SizedMessage]] = {}
    for message in messages:
        groups.setdefault(message.group, []).append(message)
    gone: set[int] = set()
    freed = 0
    droppable = (group for group in groups.values() if all(message.priority is not None for message in group))
    for group in sorted(droppable, key=_priority):
        if freed >= overrun.excess:
            break
        gone.update(message.position for message in group)
        freed += total_size(group)
    return [message for message in messages if message.position not in gone]


REDUCERS: Final[Mapping[Way, Reducer]] = MappingProxyType(
    {
        "oldest-history": drop_oldest_history,
        "longest-observation": cut_longest_observations,
        "lowest-priority": drop_lowest_priority,
    }
)


def _block_ends(history: Sequence[SizedMessage], pinned: frozenset[int], budget: Budget) -> Iterator[tuple[int, int]]:
    """Yield where the history may be cut and the size before it: after each further block, and at the last position.

    These positions depend only on the start of the history, so they stay the same when it grows.
    """
    last = {message.group: index for index, message in enumerate(history)}
    reach, dropped, goal = 0, 0, budget.block
    end, end_size = 0, 0
    for index, message in enumerate(history[: max(len(history) - budget.keep_newest, 0)]):
        if message.group in pinned:
            break
        reach, dropped = max(reach, last[message.group]), dropped + message.size
        if reach > index:
            continue
        end, end_size = index + 1, dropped
        if dropped >= goal:
            yield end, dropped
            goal = (dropped // budget.block + 1) * budget.block
    yield end, end_size


def _common_lengths(messages: Sequence[SizedMessage], shortest: int) -> Iterator[int]:
    longest = max((len(message.text) for message in messages if message.can_be_cut), default=0)
    halvings = 0
    while shortest << halvings < longest:
        halvings += 1
    for power in reversed(range(halvings)):
        yield shortest << power


def _cut(message: SizedMessage, longest: int, overrun: Overrun) -> SizedMessage:
    if not message.can_be_cut or len(message.text) <= longest:
        return message
    ellipsis = overrun.budget.ellipsis[:longest]
    text = message.text[: longest - len(ellipsis)] + ellipsis
    size = message.size - overrun.counter(message.text) + overrun.counter(text)
    return replace(message, text=text, size=size) if size < message.size else message


def _priority(members: Sequence[SizedMessage]) -> tuple[float, int]:
    return max(message.priority or 0 for message in members), members[0].position
