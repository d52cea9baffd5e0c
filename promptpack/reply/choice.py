"""Evaluate one candidate: align it, check it, and list the faults that rule it out."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from promptpack.reply.align import ValueRepair, align
from promptpack.reply.candidates import ReplyCandidate
from promptpack.reply.path_changes import unescape
from promptpack.reply.path_map import PathMap
from promptpack.reply.reading import Fault
from promptpack.reply.shape import Shape
from promptpack.reply.synonyms import GROUP_OF, fold
from promptpack.reply.syntax_tree import Defect, escape, is_same
from promptpack.reply.wrappers import find_inner_answers, reports_cut
from promptpack.schema.pointers import find_at
from promptpack.schema.strict import WRAPPER

Check = Callable[[Any], Sequence[Fault]]
"""Returns the faults of a value; the sequence may be lazy, but whether it is empty is known immediately."""
TRUNCATED = Fault("truncated", "", "the reply ends before the object is complete", 0)
SEVERAL_ANSWERS = Fault("ambiguous", "", "the reply contains several answers that differ")
# Rules of defects that make the whole value unusable: faults inside it add nothing.
_WHOLE = ("elided", "ambiguous", "duplicate", "non_finite", "number", "surrogate")


@dataclass(slots=True)
class Choice:
    """A candidate that the answer may be chosen from: its aligned value with the repairs, and its faults."""

    candidate: ReplyCandidate
    value: Any
    score: float
    value_repairs: list[ValueRepair] = field(default_factory=list)
    faults: Sequence[Fault] = ()
    rivals: list[Any] = field(default_factory=list)
    uncertain: frozenset[str] = frozenset()
    is_others: bool = False
    """Whether the object belongs to another contract: its discriminator has a word that this one does not know."""

    @property
    def is_valid(self) -> bool:
        """Whether the candidate has no faults."""
        return not self.faults

    @property
    def is_cut(self) -> bool:
        """Whether the text ends inside the candidate, or the rest of it cannot be read."""
        tail = self.candidate.scan.tail if self.candidate.scan else "closed"
        return tail in ("open", "cut", "broken")


class Chooser:
    """Evaluates candidates against one contract."""

    def __init__(self, schema: Mapping[str, Any] | Shape, check: Check) -> None:
        self.shape: Shape = Shape.of(schema)
        self.check = check
        self.names: tuple[str, ...] = tuple(self.shape.properties)
        self.required: frozenset[str] = self.shape.required or frozenset(self.names)
        self.wants_object: bool = self.shape.types <= {"object"}
        self._discriminators = frozenset(f"/{escape(name)}" for name in self.shape.discriminators)

    def score(self, value: Any) -> float:
        """Return the share of the contract's required keys that an object has, under any of their names."""
        if not isinstance(value, dict) or not self.required:
            return 0.0
        missing = [fold(name) for name in self.required if name not in value]
        folded = {fold(key) for key in islice(value, 500)} if missing else set()
        groups = {GROUP_OF[key] for key in folded if key in GROUP_OF}
        lacking = [name for name in missing if name not in folded and GROUP_OF.get(name) not in groups]
        return (len(self.required) - len(lacking)) / len(self.required)

    def evaluate(self, candidate: ReplyCandidate, known: Sequence[Fault] | None = None) -> Choice:
        """Evaluate a candidate, or the one answer inside it; `known` are the faults that its check has returned."""
        value = candidate.value
        if (wrapped := self._evaluate_wrapped(candidate, known)) is not None:
            return wrapped
        if not self.wants_object:
            return self._evaluate_value(candidate, value, [], known)
        own = self._evaluate_value(candidate, value, [], known) if isinstance(value, dict) else None
        if own is not None and (own.is_valid or own.score >= 0.5):
            return own
        inner = self._evaluate_inner(candidate)
        if inner is None and reports_cut(value):
            return Choice(candidate, None, 0.0, faults=[TRUNCATED])
        return inner or own or self._evaluate_value(candidate, value, [], known)

    def _evaluate_wrapped(self, candidate: ReplyCandidate, known: Sequence[Fault] | None) -> Choice | None:
        """Evaluate the answer inside the wrapper of a strict schema; return None if it may be no answer."""
        value = candidate.value
        if not isinstance(value, dict) or value.keys() != {WRAPPER} or self.shape.declares_name(WRAPPER):
            return None
        if not (self.check(value) if known is None else known):
            return None
        unwrapped = ValueRepair("unwrap", f"/{WRAPPER}", "wrapper", None, None)
        choice = self._evaluate_value(candidate, value[WRAPPER], [unwrapped])
        is_only_answer = not self.wants_object or not self.required  # any other wrapper may be an answer
        return choice if choice.is_valid or is_only_answer else None

    def _evaluate_value(
        self, candidate: ReplyCandidate, value: Any, repairs: list[ValueRepair], known: Sequence[Fault] | None = None
    ) -> Choice:
        found = self.check(value) if known is None else known
        if not found and not candidate.defects:
            return Choice(candidate, value, 1.0, repairs)
        aligned = align(value, self.shape)
        if aligned.repairs:
            found = self.check(aligned.value)
        repairs = [*repairs, *aligned.repairs]
        defects = [*self._remaining(candidate, aligned.value, repairs, failing=bool(found)), *aligned.conflicts]
        uncertain = frozenset(path for path, _ in defects)
        faults = _combined(defects, found)
        is_others = any(one.rule in ("enum", "const") and one.path in self._discriminators for one in faults)
        return Choice(candidate, aligned.value, self.score(value), repairs, faults, [], uncertain, is_others)

    def _remaining(
        self, candidate: ReplyCandidate, value: Any, repairs: list[ValueRepair], *, failing: bool
    ) -> Iterator[tuple[str, Defect]]:
        """Yield the defects that the repairs and the contract do not clear, with the current path of each."""
        changed = {one.path for one in repairs if one.edit in ("set", "remove") and one.kind != "single-item"}
        paths = PathMap(repairs if candidate.defects else ())
        for path, defect in candidate.defects:
            now, clear = paths.current(path), defect.cleared_by
            if now is None or (clear == "aligned" and now in changed) or (clear == "valid" and not failing):
                continue
            is_named = clear in ("named", "text") and _is_named(now, value, self.shape)
            if not is_named or (clear == "text" and not isinstance(find_at(value, now), str)):
                yield now, defect

    def _evaluate_inner(self, candidate: ReplyCandidate) -> Choice | None:
        """Evaluate the answer inside a wrapper, a list of one or a tool call."""
        inner = find_inner_answers(candidate.value, lambda value: self.score(value) >= 0.5)
        choices = [self._evaluate_value(candidate, value, repairs) for repairs, value in inner]
        found = distinct_choices(choices)
        if len(found) > 1:
            return Choice(candidate, None, 1.0, [], [SEVERAL_ANSWERS], [one.value for one in found])
        if found:
            return found[0]
        return max(choices, key=lambda one: (one.score, -len(one.faults)), default=None)


def distinct_choices(choices: Sequence[Choice]) -> list[Choice]:
    """Return the valid choices that differ, and nearly complete invalid ones.

    Earlier states of the first one, and objects of other contracts, do not count.
    """
    found: list[Choice] = []
    for one in (one for one in choices if one.is_valid):
        if not any(is_same(one.value, other.value) for other in found):
            found.append(one)
    if not found:
        return []
    attempts = [one for one in choices if not one.is_valid and one.score > 0.8 and not one.is_others]
    return found + [one for one in attempts if not _is_snapshot(one.value, found[0].value)]


def _is_snapshot(early: Any, late: Any) -> bool:
    """Return whether a value is an earlier state of another: it has no value that the other changes or lacks."""
    if isinstance(early, str) and isinstance(late, str):
        return late.startswith(early)
    if isinstance(early, dict) and isinstance(late, dict):
        return all(key in late and _is_snapshot(item, late[key]) for key, item in early.items())
    if isinstance(early, list) and isinstance(late, list):
        return len(early) <= len(late) and all(map(_is_snapshot, early, late))
    return is_same(early, late)


def _is_named(path: str, value: Any, shape: Shape) -> bool:
    """Return whether the contract names every key on the path to a value."""
    for key in path.split("/")[1:]:
        full = shape.with_conditions(value)
        inner = full.items if isinstance(value, list) else full.properties.get(unescape(key))
        if inner is None:
            return False
        value, shape = find_at(value, f"/{key}"), inner
    return True


def _combined(defects: list[tuple[str, Defect]], found: Sequence[Fault]) -> Sequence[Fault]:
    """List the defects first; skip faults of values that a defect already rules out."""
    if not defects:
        return found
    result = [Fault(defect.rule, path, defect.message) for path, defect in defects]
    whole = {path for path, defect in defects if path and defect.rule in _WHOLE}
    exact = {path for path, _ in defects}
    for fault in found:
        under = not whole.isdisjoint(_with_parents(fault.path))
        if not under and not (fault.path in exact and fault.rule != "required"):
            result.append(fault)
    return result


def _with_parents(path: str) -> Iterator[str]:
    while path:
        yield path
        path = path.rpartition("/")[0]
