"""Restore lost closing brackets at the only position where every key is in an object that declares it."""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from promptpack.reply.candidates import ReplyCandidate, SearchLimits, rescan
from promptpack.reply.choice import Choice, Chooser
from promptpack.reply.reading import Fault
from promptpack.reply.scan_state import ForcedClose
from promptpack.reply.shape import Shape
from promptpack.reply.syntax_tree import Node, is_same

# Each gap costs one scan of the whole candidate, so their number and the characters to scan are limited.
_MAX_GAPS, _MAX_READ = 12, 200_000
# The limit of brackets lost at one position.
_MAX_LOST = 3


class _Gap(NamedTuple):
    """A position where brackets may be lost; it is typed if the contract names the keys of the object they close."""

    is_typed: bool
    forced: ForcedClose


class _BracketLevel(NamedTuple):
    """An open container around a value, and its shape."""

    node: Node
    shape: Shape


def restore_lost_brackets(text: str, chooser: Chooser, choice: Choice, limits: SearchLimits) -> Choice:
    """Try the brackets in every gap that the schema allows; return the choice if exactly one works."""
    scan = choice.candidate.scan
    if scan is None or scan.root.kind != "object":
        return choice
    gaps = list(islice(_find_gaps(scan.root, chooser.shape, choice.candidate), _MAX_GAPS + 1))
    if len(gaps) > _MAX_GAPS or len(gaps) * (scan.end - choice.candidate.start) > _MAX_READ:
        return _refuse(choice, "closing brackets are missing, and there are too many places for them")
    readings: list[tuple[bool, Choice]] = [(True, choice)] if choice.is_valid else []
    for is_typed, forced in gaps:
        trial = chooser.evaluate(rescan(text, choice.candidate, forced, limits))
        whole = trial.candidate.scan is not None and trial.candidate.scan.tail == "closed"
        if trial.is_valid and whole and not any(is_same(trial.value, other.value) for _, other in readings):
            readings.append((is_typed, trial))
    return _choose(choice, readings)


def _choose(choice: Choice, readings: list[tuple[bool, Choice]]) -> Choice:
    if choice.is_valid and len(readings) == 2 and readings[1][0]:
        return readings[1][1]
    if len(readings) > 1:
        message = "closing brackets are missing, and they fit in more than one place"
        return _refuse(choice, message, [one for _, one in readings])
    return readings[0][1] if readings else choice


def _refuse(choice: Choice, message: str, readings: list[Choice] | None = None) -> Choice:
    rivals = [one.value for one in readings or ()]
    return Choice(choice.candidate, None, choice.score, [], [Fault("ambiguous", "", message)], rivals)


def _find_gaps(root: Node, shape: Shape, candidate: ReplyCandidate) -> Iterator[_Gap]:
    """Yield the gaps before keys of an inner object that belong to an object around it."""
    full = shape.with_conditions(candidate.value) if isinstance(candidate.value, dict) else shape
    stack: list[tuple[_BracketLevel, ...]] = [(_BracketLevel(root, full),)]
    while stack:
        levels = stack.pop()
        node, outer = levels[-1]
        if len(levels) > 1 and node.kind == "object":
            yield from _gaps_before_misplaced_keys(levels)
        for key, _, child in node.members:
            if child.members:
                inner = outer.properties.get(key) if node.kind == "object" else outer.items
                stack.append((*levels[-_MAX_LOST:], _BracketLevel(child, inner or shape.empty)))


def _gaps_before_misplaced_keys(levels: tuple[_BracketLevel, ...]) -> Iterator[_Gap]:
    node, inner = levels[-1]
    own = inner.properties
    for index, (key, start, _) in enumerate(node.members):
        if not index or key in own:
            continue
        counts = [count for count, one in enumerate(reversed(levels)) if key in one.shape.properties]
        yield from (_Gap(bool(own), ForcedClose(start, count)) for count in counts)
        if own and counts:
            return
