"""Find the message of a new pack that corresponds to each message of the old one."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from promptpack.pack.digest import write_canonical
from promptpack.pack.placed import Placed
from promptpack.versions.matching import longest_increasing
from promptpack.versions.sides import write_value
from promptpack.versions.word_diff import split_words

# Messages with fewer words in common are different messages.
_MIN_SIMILARITY: Final = 0.5
_MAX_CHARACTERS: Final = 20_000
# Comparing two messages takes some steps, and one for each word; messages that are far apart are compared while there
# are enough.
_MAX_STEPS: Final = 1_500_000
_STEPS_OF_A_PAIR: Final = 15


class Pair(NamedTuple):
    """The index of a message in the old and in the new pack."""

    old: int
    new: int


def pair_messages(old: Sequence[Placed], new: Sequence[Placed]) -> tuple[Pair, ...]:
    """Pair messages by id, then those that are equal, similar, or the only ones of their role; sorted by new index."""
    pairs: list[Pair] = []
    for find in (_same_id, _equal, _similar, _only_one):
        paired_old, paired_new = {pair.old for pair in pairs}, {pair.new for pair in pairs}
        free_old = [index for index in range(len(old)) if index not in paired_old]
        free_new = [index for index in range(len(new)) if index not in paired_new]
        pairs += find(old, new, free_old, free_new)
    return tuple(sorted(pairs, key=lambda pair: pair.new))


def find_moved(pairs: Sequence[Pair]) -> frozenset[Pair]:
    """Return the smallest set of pairs without which the others are in the same order."""
    kept = {Pair(old, new) for new, old in longest_increasing([(pair.new, pair.old) for pair in pairs])}
    return frozenset(pairs) - kept


def _same_id(old: Sequence[Placed], new: Sequence[Placed], free: list[int], candidates: list[int]) -> Iterator[Pair]:
    by_id = {new[index].value["id"]: index for index in candidates if "id" in new[index].value}
    for index in free:
        found = by_id.get(old[index].value.get("id"))
        if found is not None:
            yield Pair(index, found)


def _equal(old: Sequence[Placed], new: Sequence[Placed], free: list[int], candidates: list[int]) -> Iterator[Pair]:
    rest: dict[str, deque[int]] = {}
    for index in candidates:
        rest.setdefault(_core(new[index].value), deque()).append(index)
    for index in free:
        found = rest.get(_core(old[index].value))
        if found:
            yield Pair(index, found.popleft())


def _core(value: dict[str, Any]) -> str:
    return write_canonical([value.get("content"), value.get("history"), value.get("role")])


def _similar(old: Sequence[Placed], new: Sequence[Placed], free: list[int], candidates: list[int]) -> Iterator[Pair]:
    counts = {index: _count_words(old[index]) for index in free}
    others = {index: _count_words(new[index]) for index in candidates}
    reach = _MAX_STEPS // (_STEPS_OF_A_PAIR * len(free) + sum(map(len, counts.values())) + 1)
    scored = (
        (_similarity(counts[index], others[other]), -abs(index - other), -index, -other)
        for index in free
        for other in _nearest(candidates, index, reach)
        if _is_same_sort(old[index], new[other])
    )
    taken_old, taken_new = set[int](), set[int]()
    for _, _, index, other in sorted((one for one in scored if one[0] >= _MIN_SIMILARITY), reverse=True):
        if -index not in taken_old and -other not in taken_new:
            taken_old.add(-index)
            taken_new.add(-other)
            yield Pair(-index, -other)


def _nearest(candidates: list[int], index: int, reach: int) -> list[int]:
    """Return the candidates around an index: all of them unless there are very many, or the messages are long."""
    start = max(bisect_left(candidates, index) - reach // 2, 0)
    return candidates[start : start + max(reach, 1)] if reach < len(candidates) else candidates


def _is_same_sort(old: Placed, new: Placed) -> bool:
    return ("history" in old.value) == ("history" in new.value)


def _count_words(placed: Placed) -> Counter[str]:
    text = write_value(placed.value.get("content", placed.value.get("history", "")))
    return Counter(word for word in split_words(text[:_MAX_CHARACTERS]) if not word.isspace())


def _similarity(old: Counter[str], new: Counter[str]) -> float:
    total = old.total() + new.total()
    return 2 * (old & new).total() / total if total else 0.0


def _only_one(old: Sequence[Placed], new: Sequence[Placed], free: list[int], candidates: list[int]) -> Iterator[Pair]:
    """Pair messages without ids that are the only free ones of their role."""
    rivals, found = _group_by_role(old, free), _group_by_role(new, candidates)
    for role, (index, *rest) in rivals.items():
        only = found.get(role, [])
        if not rest and len(only) == 1 and not ("id" in old[index].value or "id" in new[only[0]].value):
            yield Pair(index, only[0])


def _group_by_role(messages: Sequence[Placed], indexes: Sequence[int]) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for index in indexes:
        groups.setdefault(messages[index].value.get("role", "history"), []).append(index)
    return groups
