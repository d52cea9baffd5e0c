"""Find the tokens that two lists have in common, in a bounded number of steps."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

TokenRun = tuple[int, int, int]
"""The start in the old list, the start in the new list, and the length."""
_MAX_DEPTH: Final = 8


class DiffMeter:
    """Counts the steps that one diff may still take; all parts of it share the meter."""

    def __init__(self, remaining: int) -> None:
        self.remaining = remaining


def find_matches(old: Sequence[str], new: Sequence[str], meter: DiffMeter) -> list[TokenRun]:
    """Return the runs of tokens that both lists have, in order.

    The result is a shortest edit script where the steps allow it. Else the lists are split at tokens that each of them
    has once. Parts that are still too large have no matches.
    """
    return list(_join(_find(old, new, (0, len(old), 0, len(new)), meter, 0)))


def _find(
    old: Sequence[str], new: Sequence[str], area: tuple[int, int, int, int], meter: DiffMeter, depth: int
) -> Iterator[TokenRun]:
    low_old, high_old, low_new, high_new = area
    head = _count_equal(old, new, range(low_old, high_old), range(low_new, high_new))
    yield low_old, low_new, head
    low_old, low_new = low_old + head, low_new + head
    tail = _count_equal(old, new, range(high_old - 1, low_old - 1, -1), range(high_new - 1, low_new - 1, -1))
    high_old, high_new = high_old - tail, high_new - tail
    if low_old < high_old and low_new < high_new:
        yield from _find_inside(old, new, (low_old, high_old, low_new, high_new), meter, depth)
    yield high_old, high_new, tail


def _find_inside(
    old: Sequence[str], new: Sequence[str], area: tuple[int, int, int, int], meter: DiffMeter, depth: int
) -> Iterator[TokenRun]:
    low_old, high_old, low_new, high_new = area
    old_part, new_part = old[low_old:high_old], new[low_new:high_new]
    if set(old_part).isdisjoint(new_part):
        return
    matches = _shortest_edit(old_part, new_part, meter)
    if matches is not None:
        yield from ((low_old + at_old, low_new + at_new, size) for at_old, at_new, size in matches)
        return
    anchors = _find_anchors(old, new, area) if depth < _MAX_DEPTH else []
    if not anchors:
        return
    for at_old, at_new in (*anchors, (high_old, high_new)):
        yield from _find(old, new, (low_old, at_old, low_new, at_new), meter, depth + 1)
        if at_old < high_old:
            yield at_old, at_new, 1
        low_old, low_new = at_old + 1, at_new + 1


def _count_equal(old: Sequence[str], new: Sequence[str], old_range: range, new_range: range) -> int:
    for count, (at_old, at_new) in enumerate(zip(old_range, new_range, strict=False)):
        if old[at_old] != new[at_new]:
            return count
    return min(len(old_range), len(new_range))


def _shortest_edit(old: Sequence[str], new: Sequence[str], meter: DiffMeter) -> list[TokenRun] | None:
    """Return the matches of a shortest edit script, as Myers finds it; None if it takes too many steps.

    A part may use a quarter of the steps that are left, so that one hopeless part does not use up those of the others.
    """
    allowed = meter.remaining // 4
    furthest = {1: 0}
    trail: list[dict[int, int]] = []
    for distance in range(len(old) + len(new) + 1):
        trail.append(dict(furthest))
        allowed -= 2 * distance + 1  # the copy, and the diagonals
        for diagonal in range(-distance, distance + 1, 2):
            is_down = diagonal == -distance or (
                diagonal != distance and furthest[diagonal - 1] < furthest[diagonal + 1]
            )
            start = at_old = furthest[diagonal + 1] if is_down else furthest[diagonal - 1] + 1
            while at_old < len(old) and at_old - diagonal < len(new) and old[at_old] == new[at_old - diagonal]:
                at_old += 1
            furthest[diagonal] = at_old
            allowed -= at_old - start
            if at_old >= len(old) and at_old - diagonal >= len(new):
                meter.remaining -= meter.remaining // 4 - max(allowed, 0)
                return _walk_back(trail, len(old), len(new))
        if allowed <= 0:
            meter.remaining -= meter.remaining // 4
            return None
    return None


def _walk_back(trail: list[dict[int, int]], at_old: int, at_new: int) -> list[TokenRun]:
    matches: list[TokenRun] = []
    for distance in range(len(trail) - 1, -1, -1):
        furthest, diagonal = trail[distance], at_old - at_new
        if distance == 0:
            matches.append((0, 0, at_old))
            break
        is_down = diagonal == -distance or (diagonal != distance and furthest[diagonal - 1] < furthest[diagonal + 1])
        before_old = furthest[diagonal + 1] if is_down else furthest[diagonal - 1]
        before_new = before_old - (diagonal + 1 if is_down else diagonal - 1)
        start_old = before_old if is_down else before_old + 1
        matches.append((start_old, start_old - diagonal, at_old - start_old))
        at_old, at_new = before_old, before_new
    return matches[::-1]


def _find_anchors(old: Sequence[str], new: Sequence[str], area: tuple[int, int, int, int]) -> list[tuple[int, int]]:
    """Return the positions of the tokens that each side has exactly once, as far as their order is the same."""
    low_old, high_old, low_new, high_new = area
    once_old, once_new = Counter(old[low_old:high_old]), Counter(new[low_new:high_new])
    places = {token: at for at, token in enumerate(new[low_new:high_new], low_new) if once_new[token] == 1}
    pairs = [
        (at, places[token])
        for at, token in enumerate(old[low_old:high_old], low_old)
        if once_old[token] == 1 and token in places
    ]
    return longest_increasing(pairs)


def longest_increasing(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the most pairs, in their order, whose second numbers grow."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for index, (_, at_new) in enumerate(pairs):
        size = bisect_left(ends, at_new)
        before.append(last[size - 1] if size else -1)
        ends[size : size + 1] = [at_new]
        last[size : size + 1] = [index]
    found: list[tuple[int, int]] = []
    index = last[-1] if last else -1
    while index >= 0:
        found.append(pairs[index])
        index = before[index]
    return found[::-1]


def _join(matches: Iterator[TokenRun]) -> Iterator[TokenRun]:
    """Yield the matches without empty ones, adjacent ones joined."""
    current: TokenRun = (0, 0, 0)
    for at_old, at_new, size in matches:
        if size and at_old == current[0] + current[2] and at_new == current[1] + current[2]:
            current = (current[0], current[1], current[2] + size)
        elif size:
            if current[2]:
                yield current
            current = (at_old, at_new, size)
    if current[2]:
        yield current
