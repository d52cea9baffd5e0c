"""Merge a partial answer to a correction into the refused attempt, and check the merged object."""

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from promptpack.reply.align import ValueRepair, align
from promptpack.reply.choice import Check, Chooser
from promptpack.reply.path_changes import ConflictError, PathChange, find_changes, unescape
from promptpack.reply.path_map import PathMap
from promptpack.reply.read import PartialAnswer, read_partial_answer
from promptpack.reply.reading import Attempt, Fault, Reading, ReadingOutcome, ReadingPolicy, Repair
from promptpack.reply.repair import apply_edit, remove_at, risk_of, set_at
from promptpack.reply.shape import Shape
from promptpack.reply.syntax_tree import is_same

_DEFAULT = ReadingPolicy()
_OUTCOMES: Mapping[str, ReadingOutcome] = MappingProxyType({"truncated": "truncated", "ambiguous": "ambiguous"})


def merge(
    attempt: Attempt,
    raw: str | bytes,
    shape: Mapping[str, Any] | Shape,
    check: Check,
    *,
    policy: ReadingPolicy = _DEFAULT,
    finish_reason: str | None = None,
) -> Reading | None:
    """Merge the failing parts that an answer contains; return None for an answer that is a whole object.

    An answer without any failing part returns the attempt with no new violations.
    """
    chooser = Chooser(shape, check)

    def is_part(value: Any) -> bool:
        return chooser.score(value) < 0.5 or is_partial_answer(attempt, value)

    found = None if policy.strict else read_partial_answer(raw, is_part, policy, finish_reason)
    if isinstance(found, Fault):
        return Reading(_OUTCOMES.get(found.rule, "invalid"), violations=(found,), attempt=attempt)
    if found is None:
        return None
    answer = _align_answer(found, chooser.shape)
    if answer is None or _is_other_decision(attempt, answer.value, chooser):
        return None
    try:
        changes = find_changes(attempt.value, answer.value, {one.path: one.rule for one in attempt.violations})
    except ConflictError as error:
        fault = Fault("ambiguous", error.path, "appears twice with different values", found.span("")[0])
        return Reading("ambiguous", violations=(fault,), attempt=attempt)
    if changes:
        return _merged(attempt, changes, answer, chooser, policy)
    return Reading("invalid", attempt=attempt) if is_part(answer.value) else None


def is_partial_answer(attempt: Attempt, value: Any) -> bool:
    """Return whether an object has only keys that the correction asked for, while the attempt has others too."""
    paths = [one.path for one in attempt.violations if one.path]
    asked = {*paths, *(unescape(path.split("/")[1]) for path in paths)}
    return isinstance(value, dict) and bool(value) and value.keys() <= asked and not attempt.value.keys() <= asked


def _align_answer(answer: PartialAnswer, shape: Shape) -> PartialAnswer | None:
    """Align the keys and values of an answer; empty fields stay, because only the merged object shows their meaning."""
    aligned = align(answer.value, shape)
    if aligned.conflicts:
        return None
    value, kept = deepcopy(aligned.value), [repair for repair in aligned.repairs if repair.edit != "remove"]
    for repair in aligned.repairs:
        if repair.edit == "remove":
            value = apply_edit(value, "set", repair.path, repair.before)
    return replace(answer, value=value, repairs=(*answer.repairs, *_log_values(kept, answer)), paths=PathMap(kept))


def _is_other_decision(attempt: Attempt, answer: Mapping[str, Any], chooser: Chooser) -> bool:
    """Return whether an answer changes a discriminator that did not fail: then it belongs to another object."""
    failing = {one.path for one in attempt.violations}
    return any(
        f"/{name}" not in failing and name in answer and not is_same(answer[name], attempt.value.get(name))
        for name in chooser.shape.discriminators
    )


def _merged(
    attempt: Attempt, changes: Sequence[PathChange], answer: PartialAnswer, chooser: Chooser, policy: ReadingPolicy
) -> Reading:
    value: Any = attempt.value
    for change in changes:
        value = remove_at(value, change.path) if change.edit == "remove" else set_at(value, change.path, change.after)
    aligned = align(value, chooser.shape)
    repairs = (*answer.repairs, *_log(changes, aligned.repairs, answer))
    refused = policy.find_refused(repairs)
    if refused:
        return Reading("invalid", violations=_locate(refused, answer, policy), attempt=attempt)
    unchanged = (one for one in attempt.violations if not _is_changed(one.path, changes))
    remaining = [one for one in unchanged if one.path in attempt.uncertain]
    conflicts = (Fault(defect.rule, path, defect.message) for path, defect in aligned.conflicts)
    faults = [*remaining, *conflicts, *chooser.check(aligned.value)]
    if not faults:
        return Reading("recovered", aligned.value, repairs)
    violations = _locate(faults, answer, policy)
    uncertain = frozenset(one.path for one in remaining) | frozenset(path for path, _ in aligned.conflicts)
    return Reading("invalid", violations=violations, attempt=Attempt(aligned.value, violations, repairs, uncertain))


def _is_changed(path: str, changes: Sequence[PathChange]) -> bool:
    return any(path == change.path or path.startswith(change.path + "/") for change in changes)


def _log(changes: Sequence[PathChange], repairs: Sequence[ValueRepair], answer: PartialAnswer) -> Iterator[Repair]:
    for change in changes:
        span = answer.span(change.source)
        yield Repair(change.path, "merged", span, change.before, change.after, risk_of("merged"), change.edit)
    yield from _log_values(repairs, answer)


def _log_values(repairs: Sequence[ValueRepair], answer: PartialAnswer) -> Iterator[Repair]:
    for one in repairs:
        yield Repair(one.path, one.kind, answer.span(one.path), one.before, one.after, risk_of(one.kind), one.edit)


def _locate(faults: Sequence[Fault], answer: PartialAnswer, policy: ReadingPolicy) -> tuple[Fault, ...]:
    return tuple(replace(one, offset=answer.span(one.path)[0]) for one in faults[: policy.max_violations])
