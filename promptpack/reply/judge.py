"""Judge one candidate: align it, check it, and say what stands in its way."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from promptpack.reply.align import Step, align
from promptpack.reply.candidates import Candidate
from promptpack.reply.merge import look, unescape
from promptpack.reply.reading import Finding
from promptpack.reply.shape import Shape
from promptpack.reply.tree import Mark, escape, same
from promptpack.reply.words import GROUP_OF, fold
from promptpack.reply.wrappers import inner_answers

Check = Callable[[Any], Sequence[Finding]]
"""Finds what breaks the contract; what is found may be worked out as late as somebody looks at it."""
_WHOLE = ("elided", "ambiguous", "duplicate", "non_finite", "number", "surrogate")


@dataclass(slots=True)
class Judged:
    """A candidate read by the schema: its value and steps, or the findings against it."""

    candidate: Candidate
    value: Any
    score: float
    steps: list[Step] = field(default_factory=list)
    findings: Sequence[Finding] = ()
    rivals: list[Any] = field(default_factory=list)
    marked: frozenset[str] = frozenset()

    @property
    def valid(self) -> bool:
        """Say whether nothing stands against it."""
        return not self.findings


class Judge:
    """Knows the contract; judges candidates one by one."""

    def __init__(self, schema: Mapping[str, Any] | Shape, check: Check) -> None:
        self.shape = Shape.of(schema)
        self.check = check
        self.names = tuple(self.shape.properties)
        self.required = self.shape.required or frozenset(self.names)
        self.wants_object = self.shape.types <= {"object"}

    def score(self, value: Any) -> float:
        """Measure how much of the contract's required keys an object has, under any of their names."""
        if not isinstance(value, dict) or not self.required:
            return 0.0
        missing = [fold(name) for name in self.required if name not in value]
        folded = {fold(key) for key in islice(value, 500)} if missing else set()
        groups = {GROUP_OF[key] for key in folded if key in GROUP_OF}
        lacking = [name for name in missing if name not in folded and GROUP_OF.get(name) not in groups]
        return (len(self.required) - len(lacking)) / len(self.required)

    def judge(self, candidate: Candidate, known: Sequence[Finding] | None = None) -> Judged:
        """Judge a candidate as it stands, or the one answer inside of it; `known` is what its check said already."""
        value = candidate.value
        if not self.wants_object:
            return self._judge_value(candidate, value, [], known)
        own = self._judge_value(candidate, value, [], known) if isinstance(value, dict) else None
        if own is not None and (own.valid or own.score >= 0.5):
            return own
        inner = self._judge_inner(candidate)
        return inner or own or self._judge_value(candidate, value, [], known)

    def _judge_value(
        self, candidate: Candidate, value: Any, steps: list[Step], known: Sequence[Finding] | None = None
    ) -> Judged:
        found = self.check(value) if known is None else known
        if not found and not candidate.marks:
            return Judged(candidate, value, 1.0, steps)
        aligned = align(value, self.shape)
        if aligned.steps:
            found = self.check(aligned.value)
        steps = [*steps, *aligned.steps]
        marks = [*self._settled(candidate, aligned.value, steps, failing=bool(found)), *aligned.conflicts]
        marked = frozenset(path for path, _ in marks)
        return Judged(candidate, aligned.value, self.score(value), steps, _combined(marks, found), marked=marked)

    def _settled(self, candidate: Candidate, value: Any, steps: list[Step], *, failing: bool) -> list[tuple[str, Mark]]:
        """Give the marks that still stand, under the names the value has now."""
        changed = {step.path for step in steps if step.edit in ("set", "remove") and step.kind != "single-item"}
        kept = []
        for path, mark in candidate.marks:
            now = current_path(path, steps)
            if now is None or (mark.yields == "aligned" and now in changed) or (mark.yields == "valid" and not failing):
                continue
            if mark.yields != "named" or not _is_named(now, value, self.shape):
                kept.append((now, mark))
        return kept

    def _judge_inner(self, candidate: Candidate) -> Judged | None:
        """Look for the answer inside a wrapper, a list of one or a tool call."""
        inner = inner_answers(candidate.value, lambda value: self.score(value) >= 0.5)
        judged = [self._judge_value(candidate, value, steps) for steps, value in inner]
        found = meanings(judged)
        if len(found) > 1:
            rivals = [one.value for one in found]
            finding = Finding("ambiguous", "", "the reply holds more than one answer, and they differ")
            return Judged(candidate, None, 1.0, [], [finding], rivals)
        if found:
            return found[0]
        return max(judged, key=lambda one: (one.score, -len(one.findings)), default=None)


def meanings(judged: Sequence[Judged]) -> list[Judged]:
    """Give the valid readings that differ, and beside them whole attempts that they do not merely complete."""
    found: list[Judged] = []
    for one in (one for one in judged if one.valid):
        if not any(same(one.value, other.value) for other in found):
            found.append(one)
    if not found:
        return []
    attempts = [one for one in judged if not one.valid and one.score > 0.8]
    return found + [one for one in attempts if not _is_snapshot(one.value, found[0].value)]


def _is_snapshot(early: Any, late: Any) -> bool:
    """Say whether a value is an earlier state of another: nothing in it was taken back."""
    if isinstance(early, str) and isinstance(late, str):
        return late.startswith(early)
    if isinstance(early, dict) and isinstance(late, dict):
        return all(key in late and _is_snapshot(item, late[key]) for key, item in early.items())
    if isinstance(early, list) and isinstance(late, list):
        return len(early) <= len(late) and all(map(_is_snapshot, early, late))
    return same(early, late)


def _is_named(path: str, value: Any, shape: Shape) -> bool:
    """Say whether the contract names every key on the way to a value."""
    for step in path.split("/")[1:]:
        full = shape.with_conditions(value)
        inner = full.items if isinstance(value, list) else full.properties.get(unescape(step))
        if inner is None:
            return False
        value, shape = look(value, f"/{step}"), inner
    return True


def current_path(path: str, steps: Sequence[Step]) -> str | None:
    """Follow a pointer through renames and unwrapping; nothing when it was left outside."""
    for step in steps:
        if step.edit == "unwrap":
            if path != step.path and not path.startswith(step.path + "/"):
                return None
            path = path[len(step.path) :]
        elif step.edit == "rename" and (path == step.path or path.startswith(step.path + "/")):
            parent = step.path.rpartition("/")[0]
            path = f"{parent}/{escape(step.after)}" + path[len(step.path) :]
    return path


def original_path(path: str, steps: Sequence[Step]) -> str:
    """Follow a pointer back to the names the reply used."""
    for step in reversed(steps):
        if step.edit == "unwrap":
            path = step.path + path
        elif step.edit == "rename":
            parent = step.path.rpartition("/")[0]
            now = f"{parent}/{escape(step.after)}"
            if path == now or path.startswith(now + "/"):
                path = step.path + path[len(now) :]
    return path


def _combined(marks: list[tuple[str, Mark]], found: Sequence[Finding]) -> Sequence[Finding]:
    """Put marks first; a finding about a value that a mark already rules out says nothing new."""
    if not marks:
        return found
    result = [Finding(mark.rule, path, mark.message) for path, mark in marks]
    whole = tuple(path for path, mark in marks if path and mark.rule in _WHOLE)
    exact = {path for path, _ in marks}
    for finding in found:
        under = any(finding.path == path or finding.path.startswith(path + "/") for path in whole)
        if not under and not (finding.path in exact and finding.rule != "required"):
            result.append(finding)
    return result
