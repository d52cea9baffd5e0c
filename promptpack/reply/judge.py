"""Judge one candidate: align it, check it, and say what stands in its way."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from promptpack.reply.align import Step, align, parse_text
from promptpack.reply.candidates import Candidate
from promptpack.reply.reading import Finding
from promptpack.reply.shape import Shape
from promptpack.reply.tree import Mark, escape, same
from promptpack.reply.words import GROUP_OF, fold

Check = Callable[[Any], Sequence[Finding]]
_WHOLE = ("elided", "ambiguous", "duplicate", "non_finite", "number", "surrogate")
_MAX_INNER = 200
_MAX_INNER_DEPTH = 12


@dataclass(slots=True)
class Judged:
    """A candidate read by the schema: its value and steps, or the findings against it."""

    candidate: Candidate
    value: Any
    score: float
    steps: list[Step] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
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
        folded = {fold(key) for key in list(value)[:500]}
        groups = {GROUP_OF[key] for key in folded if key in GROUP_OF}
        return sum(self._has(name, folded, groups) for name in self.required) / len(self.required)

    def _has(self, name: str, folded: set[str], groups: set[int]) -> bool:
        mine = fold(name)
        return mine in folded or GROUP_OF.get(mine) in groups

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
        found = list(self.check(value)) if known is None else list(known)
        if not found and not candidate.marks:
            return Judged(candidate, value, 1.0, steps)
        aligned = align(value, self.shape)
        if aligned.steps:
            found = list(self.check(aligned.value))
        steps = [*steps, *aligned.steps]
        marks = [*_settled(candidate, steps, failing=bool(found)), *aligned.conflicts]
        marked = frozenset(path for path, _ in marks)
        return Judged(candidate, aligned.value, self.score(value), steps, _combined(marks, found), marked=marked)

    def _judge_inner(self, candidate: Candidate) -> Judged | None:
        """Look for the answer inside a wrapper, a list of one or a tool call."""
        judged = [
            self._judge_value(candidate, value, steps)
            for steps, value in _inner(candidate.value)
            if self.score(value) >= 0.5 and not _is_schema(value)
        ]
        distinct: list[Judged] = []
        for one in (one for one in judged if one.valid):
            if not any(same(one.value, other.value) for other in distinct):
                distinct.append(one)
        if len(distinct) > 1:
            rivals = [one.value for one in distinct]
            finding = Finding("ambiguous", "", "the reply holds more than one answer")
            return Judged(candidate, None, 1.0, [], [finding], rivals)
        if distinct:
            return distinct[0]
        return max(judged, key=lambda one: (one.score, -len(one.findings)), default=None)


def _is_schema(value: dict[str, Any]) -> bool:
    """An object of schemas describes an answer, it is none."""
    return all(isinstance(item, dict) and ("type" in item or "enum" in item) for item in value.values())


def _inner(value: Any) -> Iterator[tuple[list[Step], Any]]:
    """Go through the objects inside a value, nearest first, with the steps that lead there."""
    queue: list[tuple[list[Step], str, Any, int]] = [([], "", value, 0)]
    seen = 0
    while queue and seen < _MAX_INNER:
        steps, path, current, depth = queue.pop(0)
        seen += 1
        if depth and isinstance(current, dict):
            yield ([*steps, Step("unwrap", path, "wrapper", None, None)] if path else steps), current
        if depth < _MAX_INNER_DEPTH:
            queue.extend(_children(steps, path, current, depth + 1))


def _children(steps: list[Step], path: str, current: Any, depth: int) -> Iterator[tuple[list[Step], str, Any, int]]:
    if isinstance(current, dict):
        for key, item in current.items():
            yield steps, f"{path}/{escape(key)}", item, depth
    elif isinstance(current, list):
        for index, item in enumerate(current[:_MAX_INNER]):
            yield steps, f"{path}/{index}", item, depth
    elif isinstance(current, str) and (parsed := parse_text(current)) is not None:
        way = [*steps, Step("unwrap", path, "wrapper", None, None)] if path else steps
        yield [*way, Step("set", "", "json-string", current, parsed)], "", parsed, depth


def _settled(candidate: Candidate, steps: list[Step], *, failing: bool) -> list[tuple[str, Mark]]:
    """Give the marks that still stand, under the names the value has now."""
    changed = {step.path for step in steps if step.edit in ("set", "remove")}
    kept = []
    for path, mark in candidate.marks:
        now = current_path(path, steps)
        if now is None or (mark.yields == "aligned" and now in changed) or (mark.yields == "valid" and not failing):
            continue
        kept.append((now, mark))
    return kept


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


def _combined(marks: list[tuple[str, Mark]], found: list[Finding]) -> list[Finding]:
    """Put marks first; a finding about a value that a mark already rules out says nothing new."""
    result = [Finding(mark.rule, path, mark.message) for path, mark in marks]
    whole = tuple(path for path, mark in marks if path and mark.rule in _WHOLE)
    exact = {path for path, _ in marks}
    for finding in found:
        under = any(finding.path == path or finding.path.startswith(path + "/") for path in whole)
        if not under and not (finding.path in exact and finding.rule != "required"):
            result.append(finding)
    return result
