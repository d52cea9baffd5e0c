"""Where a lost closing brace belongs: the one place at which every key is at home."""

from collections.abc import Iterator

from promptpack.reply.candidates import Candidate, Limits, rescan
from promptpack.reply.judge import Judge, Judged
from promptpack.reply.reading import Finding
from promptpack.reply.shape import Shape
from promptpack.reply.tree import Node, same

_MAX_PLACES = 12


def place_lost_brace(text: str, judge: Judge, judged: Judged, limits: Limits) -> Judged:
    """Try the brace at every place the schema allows; exactly one that works is taken."""
    scan = judged.candidate.scan
    if scan is None or scan.root.kind != "object":
        return judged
    places = list(_places(scan.root, judge.shape, judged.candidate))[:_MAX_PLACES]
    readings: list[tuple[bool, Judged]] = [(True, judged)] if judged.valid else []
    for typed, place in places:
        trial = judge.judge(rescan(text, judged.candidate, place, limits))
        whole = trial.candidate.scan is not None and trial.candidate.scan.tail == "closed"
        if trial.valid and whole and not any(same(trial.value, other.value) for _, other in readings):
            readings.append((typed, trial))
    return _chosen(judged, readings)


def _chosen(judged: Judged, readings: list[tuple[bool, Judged]]) -> Judged:
    if judged.valid and len(readings) == 2 and readings[1][0]:
        return readings[1][1]
    if len(readings) > 1:
        rivals = [one.value for _, one in readings]
        finding = Finding("ambiguous", "", "a closing brace is missing, and it fits in more than one place")
        return Judged(judged.candidate, None, judged.score, [], [finding], rivals)
    return readings[0][1] if readings else judged


def _places(root: Node, shape: Shape, candidate: Candidate) -> Iterator[tuple[bool, int]]:
    """Find keys that stand in an inner object but are at home in the one around it."""
    full = shape.with_conditions(candidate.value) if isinstance(candidate.value, dict) else shape
    stack: list[tuple[Node, Shape]] = [(root, full)]
    while stack:
        node, around = stack.pop()
        named = around.properties
        for key, _, child in node.members:
            if child.kind != "object":
                continue
            inner = named.get(key, shape.empty)
            yield from _strangers(child, inner, named)
            stack.append((child, inner))


def _strangers(child: Node, inner: Shape, named: dict[str, Shape]) -> Iterator[tuple[bool, int]]:
    own = inner.properties
    for index, (key, start, _) in enumerate(child.members):
        if index and key in named and key not in own:
            yield bool(own), start
            if own:
                return
