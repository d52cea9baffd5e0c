"""Where lost closing brackets belong: the one place at which every key is at home."""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from promptpack.reply.candidates import Candidate, Limits, rescan
from promptpack.reply.cursor import Forced
from promptpack.reply.judge import Judge, Judged
from promptpack.reply.reading import Finding
from promptpack.reply.shape import Shape
from promptpack.reply.tree import Node, same

# Every place is tried on the whole candidate: so many characters are read again at most.
_MAX_PLACES, _MAX_READ = 12, 200_000
# So many brackets are lost in one place at most.
_MAX_LOST = 3


class _Place(NamedTuple):
    """Where brackets may have been lost; it is `typed` where the contract names the keys of what they close."""

    typed: bool
    forced: Forced


class _Level(NamedTuple):
    """A container that is open around a value, and its shape."""

    node: Node
    shape: Shape


def place_lost_brackets(text: str, judge: Judge, judged: Judged, limits: Limits) -> Judged:
    """Try the brackets at every place the schema allows; exactly one that works is taken."""
    scan = judged.candidate.scan
    if scan is None or scan.root.kind != "object":
        return judged
    places = list(islice(_places(scan.root, judge.shape, judged.candidate), _MAX_PLACES + 1))
    if len(places) > _MAX_PLACES or len(places) * (scan.end - judged.candidate.start) > _MAX_READ:
        return _refused(judged, "closing brackets are missing, and there are too many places for them")
    readings: list[tuple[bool, Judged]] = [(True, judged)] if judged.valid else []
    for typed, forced in places:
        trial = judge.judge(rescan(text, judged.candidate, forced, limits))
        whole = trial.candidate.scan is not None and trial.candidate.scan.tail == "closed"
        if trial.valid and whole and not any(same(trial.value, other.value) for _, other in readings):
            readings.append((typed, trial))
    return _chosen(judged, readings)


def _chosen(judged: Judged, readings: list[tuple[bool, Judged]]) -> Judged:
    if judged.valid and len(readings) == 2 and readings[1][0]:
        return readings[1][1]
    if len(readings) > 1:
        message = "closing brackets are missing, and they fit in more than one place"
        return _refused(judged, message, [one for _, one in readings])
    return readings[0][1] if readings else judged


def _refused(judged: Judged, message: str, readings: list[Judged] | None = None) -> Judged:
    rivals = [one.value for one in readings or ()]
    return Judged(judged.candidate, None, judged.score, [], [Finding("ambiguous", "", message)], rivals)


def _places(root: Node, shape: Shape, candidate: Candidate) -> Iterator[_Place]:
    """Find keys that stand in an inner object but are at home in one around it."""
    full = shape.with_conditions(candidate.value) if isinstance(candidate.value, dict) else shape
    stack: list[tuple[_Level, ...]] = [(_Level(root, full),)]
    while stack:
        levels = stack.pop()
        node, around = levels[-1]
        if len(levels) > 1 and node.kind == "object":
            yield from _strangers(levels)
        for key, _, child in node.members:
            if child.members:
                inner = around.properties.get(key) if node.kind == "object" else around.items
                stack.append((*levels[-_MAX_LOST:], _Level(child, inner or shape.empty)))


def _strangers(levels: tuple[_Level, ...]) -> Iterator[_Place]:
    node, inner = levels[-1]
    own = inner.properties
    for index, (key, start, _) in enumerate(node.members):
        if not index or key in own:
            continue
        homes = [count for count, one in enumerate(reversed(levels)) if key in one.shape.properties]
        yield from (_Place(bool(own), Forced(start, count)) for count in homes)
        if own and homes:
            return
