"""Read the answer to a correction as parts of the object that was refused, and judge the two together."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from promptpack.reply.align import Step, align
from promptpack.reply.judge import Check, Judge
from promptpack.reply.merge import Change, ConflictError, find_changes, unescape
from promptpack.reply.read import Parts, read_parts
from promptpack.reply.reading import Attempt, Finding, Outcome, Policy, Reading, Repair, Violation
from promptpack.reply.repair import remove_at, risk_of, set_at
from promptpack.reply.shape import Shape
from promptpack.reply.tree import same

_DEFAULT = Policy()
_OUTCOMES: Mapping[str, Outcome] = MappingProxyType({"truncated": "truncated", "ambiguous": "ambiguous"})


def mend(
    attempt: Attempt,
    raw: str | bytes,
    shape: Mapping[str, Any] | Shape,
    check: Check,
    *,
    policy: Policy = _DEFAULT,
    finish_reason: str | None = None,
) -> Reading | None:
    """Merge the failing parts that an answer gives; nothing where it is an answer of its own.

    Where it gives none of them, the attempt comes back with nothing said against it that was not said before.
    """
    judge = Judge(shape, check)

    def is_part(value: Any) -> bool:
        return judge.score(value) < 0.5 or gives_only_parts(attempt, value)

    parts = None if policy.strict else read_parts(raw, is_part, policy, finish_reason)
    if isinstance(parts, Finding):
        doubt = Violation(parts.rule, parts.path, parts.message, 0)
        return Reading(_OUTCOMES.get(parts.rule, "invalid"), violations=(doubt,), attempt=attempt)
    if parts is None:
        return None
    answer = _aligned(parts, judge.shape)
    if answer is None or _is_another(attempt, answer.value, judge):
        return None
    try:
        changes = find_changes(attempt.value, answer.value, {one.path: one.rule for one in attempt.violations})
    except ConflictError as error:
        finding = Violation("ambiguous", error.path, "is given twice, and the two differ", parts.span("")[0])
        return Reading("ambiguous", violations=(finding,), attempt=attempt)
    if changes:
        return _merged(attempt, changes, answer, judge, policy)
    return Reading("invalid", attempt=attempt) if is_part(answer.value) else None


def gives_only_parts(attempt: Attempt, value: Any) -> bool:
    """Say whether an object that could stand alone says nothing but what was asked for."""
    paths = [one.path for one in attempt.violations if one.path]
    asked = {*paths, *(unescape(path.split("/")[1]) for path in paths)}
    return isinstance(value, dict) and bool(value) and value.keys() <= asked and not attempt.value.keys() <= asked


def _aligned(parts: Parts, shape: Shape) -> Parts | None:
    """Read the names and words of an answer by the contract; an empty field is left to what it is merged into."""
    aligned = align(parts.value, shape)
    if aligned.conflicts:
        return None
    value, steps = aligned.value, [step for step in aligned.steps if step.edit != "remove"]
    for step in aligned.steps:
        if step.edit == "remove":
            value = set_at(value, step.path, step.before)
    return replace(parts, value=value, repairs=(*parts.repairs, *_log_steps(steps, parts)), steps=tuple(steps))


def _is_another(attempt: Attempt, answer: Mapping[str, Any], judge: Judge) -> bool:
    """Say whether an answer decides otherwise where nothing was wrong: then its parts belong to another object."""
    failing = {one.path for one in attempt.violations}
    return any(
        f"/{name}" not in failing and name in answer and not same(answer[name], attempt.value.get(name))
        for name in judge.shape.discriminators
    )


def _merged(attempt: Attempt, changes: Sequence[Change], parts: Parts, judge: Judge, policy: Policy) -> Reading:
    value: Any = attempt.value
    for change in changes:
        value = remove_at(value, change.path) if change.edit == "remove" else set_at(value, change.path, change.after)
    aligned = align(value, judge.shape)
    repairs = (*parts.repairs, *_log(changes, aligned.steps, parts))
    refused = policy.refused(repairs)
    if refused:
        findings = [Finding("repair", one.path, f"the repair {one.kind!r} is not allowed") for one in refused]
        return Reading("invalid", violations=_violations(findings, parts, policy), attempt=attempt)
    doubtful = [one for one in attempt.violations if one.path in attempt.marked and not _is_told(one.path, changes)]
    findings = [
        *(Finding(one.rule, one.path, one.message) for one in doubtful),
        *(Finding(mark.rule, path, mark.message) for path, mark in aligned.conflicts),
        *judge.check(aligned.value),
    ]
    if not findings:
        return Reading("recovered", aligned.value, repairs)
    violations = _violations(findings, parts, policy)
    marked = frozenset(one.path for one in doubtful) | frozenset(path for path, _ in aligned.conflicts)
    return Reading("invalid", violations=violations, attempt=Attempt(aligned.value, violations, repairs, marked))


def _is_told(path: str, changes: Sequence[Change]) -> bool:
    return any(path == change.path or path.startswith(change.path + "/") for change in changes)


def _log(changes: Sequence[Change], steps: Sequence[Step], parts: Parts) -> Iterator[Repair]:
    for change in changes:
        span = parts.span(change.source)
        yield Repair(change.path, "merged", span, change.before, change.after, risk_of("merged"), change.edit)
    yield from _log_steps(steps, parts)


def _log_steps(steps: Sequence[Step], parts: Parts) -> Iterator[Repair]:
    for step in steps:
        yield Repair(
            step.path, step.kind, parts.span(step.path), step.before, step.after, risk_of(step.kind), step.edit
        )


def _violations(findings: Sequence[Finding], parts: Parts, policy: Policy) -> tuple[Violation, ...]:
    return tuple(
        Violation(one.rule, one.path, one.message, parts.span(one.path)[0]) for one in findings[: policy.max_violations]
    )
