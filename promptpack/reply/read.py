"""Read a reply: count its meanings; one is taken with its log, none or several are refused with reasons."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from promptpack.reply import candidates
from promptpack.reply.align import Step
from promptpack.reply.candidates import NOT_STRICT, Candidate, Limits, depth_of, strict_candidate, strict_whole
from promptpack.reply.judge import Check, Judge, Judged, meanings, original_path
from promptpack.reply.layers import Layer, peel
from promptpack.reply.log import write_log
from promptpack.reply.placing import place_lost_brackets
from promptpack.reply.quick import quick_value
from promptpack.reply.reading import Attempt, Finding, Outcome, Policy, Reading, Repair, Violation
from promptpack.reply.repair import replay
from promptpack.reply.shape import Shape
from promptpack.reply.size import is_too_large, may_hold_more
from promptpack.reply.strict import HALF_PAIR, half_pairs, read_strictly
from promptpack.reply.text import decode_reply
from promptpack.reply.tree import same

_CUT_REASONS = frozenset(("length", "max_tokens", "max_output_tokens", "content_filter", "MAX_TOKENS", "incomplete"))
_DEFAULT = Policy()


def read(
    raw: str | bytes,
    shape: Mapping[str, Any] | Shape,
    check: Check,
    *,
    policy: Policy = _DEFAULT,
    finish_reason: str | None = None,
) -> Reading:
    """Read the one object a reply means, or say why it means none."""
    try:
        text = decode_reply(raw)
    except UnicodeDecodeError as error:
        return _refused("invalid", [Finding("encoding", "", f"the reply is not text: {error.reason}")])
    if len(text) > policy.max_chars:
        return _refused("invalid", [Finding("size", "", f"the reply is longer than {policy.max_chars} characters")])
    value = quick_value(text, policy.max_depth)
    if value is not None:
        if may_hold_more(text, policy.max_values) and is_too_large(text, value, policy.max_values):
            return _too_large(policy)
        findings = check(value)
        if not findings:
            return Reading("valid", value)
        # Of a value that fails, much may be told by pointers.
        if is_too_large(text, value, policy.max_values):
            return _too_large(policy)
        if not policy.strict:
            return _Reader(text, Judge(shape, check), policy, finish_reason).read_value(value, findings)
    return _read_slowly(text, Judge(shape, check), policy, finish_reason)


@dataclass(frozen=True, slots=True)
class Parts:
    """The one object of an answer, with the repairs it took."""

    value: dict[str, Any]
    repairs: tuple[Repair, ...]
    layer: Layer
    candidate: Candidate
    steps: tuple[Step, ...] = ()

    def span(self, path: str) -> tuple[int, int]:
        """Say where in the raw text a value stands; the whole object where the path is not in it."""
        start, end = self.candidate.span(original_path(path, self.steps))
        return self.layer.raw(start), self.layer.raw(end)


def read_parts(
    raw: str | bytes, is_part: Callable[[Any], bool], policy: Policy, finish_reason: str | None
) -> Parts | Finding | None:
    """Read the one object of an answer that may give only parts, or say what is doubtful about it.

    Nothing means that it is for the contract to say: no object is there, or a doubtful one that could be whole.
    """
    try:
        text = decode_reply(raw)
    except UnicodeDecodeError:
        return None
    if len(text) > policy.max_chars:
        return None
    layer = peel(text)
    limits = Limits(policy.max_depth, policy.max_nodes, policy.max_values, policy.max_candidates)
    found = candidates.find(layer.text, limits)
    objects = [one for one in found.candidates if isinstance(one.value, dict)]
    if found.limit or not objects:
        return None
    doubt = _doubt(objects, finish_reason)
    if doubt is not None or half_pairs(text, objects[0].value):
        return doubt if all(is_part(one.value) for one in objects) else None
    repairs = write_log(text, layer, Judged(objects[0], objects[0].value, 1.0))
    return Parts(objects[0].value, repairs, layer, objects[0])


def _doubt(objects: Sequence[Candidate], finish_reason: str | None) -> Finding | None:
    if finish_reason in _CUT_REASONS or any(one.scan is not None and one.scan.tail != "closed" for one in objects):
        return Finding("truncated", "", "the reply ends before the object does")
    first = objects[0]
    if not all(same(one.value, first.value) for one in objects):
        return Finding("ambiguous", "", "the reply holds more than one object, and they differ")
    marks = [Finding(mark.rule, path, mark.message) for path, mark in first.marks]
    repeats = [Finding("duplicate", path, "a key is given twice") for path in first.repeats]
    return next(iter([*marks, *repeats]), None)


def _read_slowly(text: str, judge: Judge, policy: Policy, finish_reason: str | None) -> Reading:
    value = strict_whole(text)
    if value is NOT_STRICT:
        if policy.strict:
            return read_strictly(text, policy)
        return _Reader(text, judge, policy, finish_reason).read()
    faults = _faults(text, value, policy)
    findings = faults or judge.check(value)
    if not findings:
        return Reading("valid", value)
    if policy.strict or faults:
        return _Reader(text, judge, policy, finish_reason).refuse_value(value, findings)
    return _Reader(text, judge, policy, finish_reason).read_value(value, findings)


def _faults(text: str, value: Any, policy: Policy) -> list[Finding]:
    """Find what no contract asks about, but what makes a value dangerous to pass on."""
    if is_too_large(text, value, policy.max_values):
        return [Finding("nodes", "", f"the reply holds more than {policy.max_values} values")]
    if text.count("{") + text.count("[") > policy.max_depth and depth_of(value) > policy.max_depth:
        return [Finding("depth", "", f"the value nests deeper than {policy.max_depth}")]
    return [Finding("surrogate", path, HALF_PAIR) for path in half_pairs(text, value)]


def _too_large(policy: Policy) -> Reading:
    return _refused("invalid", [Finding("nodes", "", f"the reply holds more than {policy.max_values} values")])


def _refused(outcome: Outcome, findings: Sequence[Finding], readings: Sequence[Any] = ()) -> Reading:
    violations = tuple(Violation(one.rule, one.path, one.message, 0) for one in findings)
    return Reading(outcome, violations=violations, readings=tuple(readings))


def _is_unproven(raw: str, repairs: Sequence[Repair], value: Any) -> bool:
    """Say whether a value was taken out of a damaged wrapper in a way that its own log does not lead to."""
    if not any(repair.edit == "unwrap" for repair in repairs):
        return False
    try:
        return not same(replay(raw, repairs), value)
    except (LookupError, ValueError, TypeError):
        return True


class _Reader:
    """One reply on its way to a verdict."""

    def __init__(self, text: str, judge: Judge, policy: Policy, finish_reason: str | None) -> None:
        self.raw = text
        self.judge = judge
        self.policy = policy
        self.cut = finish_reason in _CUT_REASONS
        self.limits = Limits(policy.max_depth, policy.max_nodes, policy.max_values, policy.max_candidates)
        self.layer = Layer(text)

    def read_value(self, value: Any, findings: Sequence[Finding]) -> Reading:
        """Read a reply that is one strict JSON value: it has no other candidate, unless it is a text."""
        judged = self.judge.judge(self._whole(value), findings)
        return self._decide([judged]) if judged.valid or isinstance(value, dict | list) else self.read()

    def refuse_value(self, value: Any, findings: Sequence[Finding]) -> Reading:
        """Refuse a reply that is one strict JSON value, as it stands."""
        return self._refuse(Judged(self._whole(value), value, 1.0, findings=findings))

    def _whole(self, value: Any) -> Candidate:
        body = self.raw.strip(" \t\r\n")
        start = self.raw.index(body[0])
        return strict_candidate(self.raw, start, start + len(body), value)

    def read(self) -> Reading:
        """Judge every candidate in the text and decide."""
        self.layer = peel(self.raw)
        text = self.layer.text
        found = candidates.find(text, self.limits)
        if found.limit:
            return _refused("invalid", [Finding(found.limit, "", f"the reply goes beyond the limit of {found.limit}")])
        judged = self._with_lost_opening([self._judged(candidate) for candidate in found.candidates])
        if not judged:
            return _refused("no_answer", [Finding("no_json", "", "the reply holds no JSON object")])
        return self._decide(judged)

    def _judged(self, candidate: Candidate) -> Judged:
        judged = self.judge.judge(candidate)
        if candidate.scan is not None and candidate.scan.tail == "open":
            judged = place_lost_brackets(self.layer.text, self.judge, judged, self.limits)
        if candidates.lacks_colon(self.layer.text, candidate):
            judged = self._with_lost_colons(judged)
        self._mind_the_end(judged)
        if judged.valid:
            for path in half_pairs(self.raw, judged.value):
                judged.findings = [*judged.findings, Finding("surrogate", path, HALF_PAIR)]
        return judged

    def _mind_the_end(self, judged: Judged) -> None:
        """Refuse what the end of the reply cut off, even where nothing required is missing."""
        tail = judged.candidate.scan.tail if judged.candidate.scan else "closed"
        if judged.valid and (tail == "cut" or (tail == "open" and self.cut)):
            judged.findings = [Finding("truncated", "", "the reply ends before the object does")]
        if judged.valid and tail == "broken":
            judged.findings = [Finding("syntax", "", "what stands around the object cannot be read")]

    def _with_lost_opening(self, judged: list[Judged]) -> list[Judged]:
        """Try an opening without its brace or its first colon, where no object in the text looks like the answer."""
        if any(one.score >= 0.5 for one in judged):
            return judged
        text = self.layer.text
        for candidate in (
            candidates.find_colonless(text, self.limits),
            candidates.find_members(text, frozenset(self.judge.names), self.limits),
        ):
            lost = candidate and self._judged(candidate)
            if lost and lost.score >= 0.5:
                return [lost]
        return judged

    def _with_lost_colons(self, judged: Judged) -> Judged:
        """Take keys without a colon for keys; where the text has a meaning without them too, it has two."""
        trial = self.judge.judge(candidates.rescan_colonless(self.layer.text, judged.candidate, self.limits))
        is_encodable = trial.candidate.scan is not None and trial.candidate.scan.tail in ("closed", "open")
        if not judged.valid:
            return trial if is_encodable and len(trial.findings) < len(judged.findings) else judged
        if not trial.valid or not is_encodable or same(judged.value, trial.value):
            return judged
        finding = Finding("ambiguous", "", "a colon may be missing, or quotes may stand inside of a text")
        return Judged(judged.candidate, None, judged.score, [], [finding], [judged.value, trial.value])

    def _decide(self, judged: list[Judged]) -> Reading:
        found = meanings(judged)
        if len(found) == 1:
            return self._accept(found[0])
        if found:
            return self._several(found)
        best = max(judged, key=lambda one: one.score)
        alone = all(one.score < 0.5 or same(one.value, best.value) for one in judged if one is not best)
        return self._refuse(best, alone=alone)

    def _several(self, judged: list[Judged]) -> Reading:
        finding = Finding("ambiguous", "", "the reply holds more than one answer, and they differ")
        return _refused("ambiguous", [finding], [one.value for one in judged[:5]])

    def _accept(self, judged: Judged) -> Reading:
        repairs = write_log(self.raw, self.layer, judged)
        if judged.candidate.scan is not None and _is_unproven(self.raw, repairs, judged.value):
            return _refused("invalid", [Finding("syntax", "", "what stands around the object cannot be read")])
        refused = self.policy.refused(repairs)
        if refused:
            violations = tuple(
                Violation("repair", one.path, f"the repair {one.kind!r} is not allowed", one.span[0]) for one in refused
            )
            return Reading("invalid", violations=violations[: self.policy.max_violations])
        return Reading("recovered" if repairs else "valid", judged.value, repairs)

    def _refuse(self, judged: Judged, *, alone: bool = False) -> Reading:
        violations = tuple(
            Violation(one.rule, one.path, one.message, self._offset(judged, one.path))
            for one in judged.findings[: self.policy.max_violations]
        )
        outcome = self._outcome(judged)
        attempt = self._attempt(judged, violations) if alone and outcome == "invalid" else None
        return Reading(outcome, violations=violations, readings=tuple(judged.rivals), attempt=attempt)

    def _attempt(self, judged: Judged, violations: tuple[Violation, ...]) -> Attempt | None:
        """Keep what parts may be merged into: an object that is the reply's only one and fails at named places."""
        if not isinstance(judged.value, dict) or judged.score < 0.5 or not all(one.path for one in judged.findings):
            return None
        repairs = write_log(self.raw, self.layer, judged)
        halves = frozenset(one.path for one in judged.findings if one.rule == "surrogate")
        return (
            None if self.policy.refused(repairs) else Attempt(judged.value, violations, repairs, judged.marked | halves)
        )

    def _outcome(self, judged: Judged) -> Outcome:
        rules = {one.rule for one in judged.findings}
        if "ambiguous" in rules:
            return "ambiguous"
        tail = judged.candidate.scan.tail if judged.candidate.scan else "closed"
        return "truncated" if "truncated" in rules or tail in ("cut", "open") else "invalid"

    def _offset(self, judged: Judged, path: str) -> int | None:
        where = original_path(path, judged.steps)
        place = judged.candidate.places.get(where)
        while where and place is None:
            where = where.rpartition("/")[0]
            place = judged.candidate.places.get(where)
        return self.layer.raw(place[0] if place else judged.candidate.start)
