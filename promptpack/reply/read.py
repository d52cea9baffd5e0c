"""Read a reply: accept it if it has exactly one meaning, and refuse it with its faults if it has none or several."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from promptpack.reply import candidates
from promptpack.reply.align import ValueRepair
from promptpack.reply.candidates import (
    NOT_STRICT,
    ReplyCandidate,
    SearchLimits,
    depth_of,
    strict_candidate,
    strict_whole,
)
from promptpack.reply.charset import decode_reply
from promptpack.reply.choice import SEVERAL_ANSWERS, Check, Choice, Chooser, distinct_choices, original_path
from promptpack.reply.clean import read_clean
from promptpack.reply.lost_brackets import restore_lost_brackets
from promptpack.reply.outer_encoding import DecodedReply, decode_outer
from promptpack.reply.reading import Attempt, Fault, Outcome, Policy, Reading, Repair
from promptpack.reply.repair import replay
from promptpack.reply.repair_log import write_repair_log
from promptpack.reply.shape import Shape
from promptpack.reply.size import is_too_large, may_hold_more
from promptpack.reply.strict import HALF_PAIR, explain_not_strict, find_half_pairs
from promptpack.reply.syntax_tree import is_same

_TRUNCATED = Fault("truncated", "", "the reply ends before the object is complete", 0)
_UNREADABLE = Fault("syntax", "", "the text around the object cannot be read", 0)
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
    """Read the one object that a reply means, or explain why it has no single meaning."""
    try:
        text = decode_reply(raw)
    except UnicodeDecodeError as error:
        return _refuse("invalid", Fault("encoding", "", f"the reply is not text: {error.reason}"))
    if len(text) > policy.max_chars:
        return _refuse("invalid", Fault("size", "", f"the reply is longer than {policy.max_chars} characters"))
    value = read_clean(text, policy.max_depth)
    if value is not None:
        if may_hold_more(text, policy.max_values) and is_too_large(text, value, policy.max_values):
            return _refuse("invalid", _too_large(policy))
        faults = check(value)
        if not faults:
            return Reading("valid", value)
        # A failing value may need many pointers in its faults, so their total length is limited too.
        if is_too_large(text, value, policy.max_values):
            return _refuse("invalid", _too_large(policy))
        if not policy.strict:
            return _Reader(text, Chooser(shape, check), policy, finish_reason).read_value(value, faults)
    return _read_any(text, Chooser(shape, check), policy, finish_reason)


@dataclass(frozen=True, slots=True)
class PartialAnswer:
    """The only object of an answer to a correction, with its repairs."""

    value: dict[str, Any]
    repairs: tuple[Repair, ...]
    decoded: DecodedReply
    candidate: ReplyCandidate
    value_repairs: tuple[ValueRepair, ...] = ()

    def span(self, path: str) -> tuple[int, int]:
        """Return the span of a value in the raw text, or of the whole object where the path does not exist."""
        start, end = self.candidate.span(original_path(path, self.value_repairs))
        return self.decoded.raw_offset(start), self.decoded.raw_offset(end)


def read_partial_answer(
    raw: str | bytes, is_part: Callable[[Any], bool], policy: Policy, finish_reason: str | None
) -> PartialAnswer | Fault | None:
    """Read the only object of an answer that may be partial, or return the fault that makes its meaning uncertain.

    Return None for an answer that only the contract can check: without an object, or uncertain but perhaps whole.
    """
    try:
        text = decode_reply(raw)
    except UnicodeDecodeError:
        return None
    if len(text) > policy.max_chars:
        return None
    decoded = decode_outer(text)
    limits = SearchLimits(policy.max_depth, policy.max_nodes, policy.max_values, policy.max_candidates)
    found = candidates.find(decoded.text, limits)
    objects = [one for one in found.candidates if isinstance(one.value, dict)]
    if found.limit or not objects:
        return None
    fault = _find_uncertainty(objects, finish_reason)
    if fault is not None or find_half_pairs(text, objects[0].value):
        return fault if all(is_part(one.value) for one in objects) else None
    repairs = write_repair_log(text, decoded, Choice(objects[0], objects[0].value, 1.0))
    return PartialAnswer(objects[0].value, repairs, decoded, objects[0])


def _find_uncertainty(objects: Sequence[ReplyCandidate], finish_reason: str | None) -> Fault | None:
    if finish_reason in _CUT_REASONS or any(one.scan is not None and one.scan.tail != "closed" for one in objects):
        return _TRUNCATED
    first = objects[0]
    if not all(is_same(one.value, first.value) for one in objects):
        return Fault("ambiguous", "", "the reply contains several objects that differ", 0)
    defects = [Fault(defect.rule, path, defect.message, 0) for path, defect in first.defects]
    repeats = [Fault("duplicate", path, "a key is given twice", 0) for path in first.repeats]
    return next(iter([*defects, *repeats]), None)


def _read_any(text: str, chooser: Chooser, policy: Policy, finish_reason: str | None) -> Reading:
    value = strict_whole(text)
    if value is NOT_STRICT:
        if policy.strict:
            return explain_not_strict(text, policy)
        return _Reader(text, chooser, policy, finish_reason).read()
    unsafe = _find_unsafe(text, value, policy)
    faults = unsafe or chooser.check(value)
    if not faults:
        return Reading("valid", value)
    if policy.strict or unsafe:
        return _Reader(text, chooser, policy, finish_reason).refuse_value(value, faults)
    return _Reader(text, chooser, policy, finish_reason).read_value(value, faults)


def _find_unsafe(text: str, value: Any, policy: Policy) -> list[Fault]:
    """Return faults that no contract covers, but that make a value unsafe to pass on."""
    if is_too_large(text, value, policy.max_values):
        return [_too_large(policy)]
    if text.count("{") + text.count("[") > policy.max_depth and depth_of(value) > policy.max_depth:
        return [Fault("depth", "", f"the value is nested more than {policy.max_depth} levels deep")]
    return [Fault("surrogate", path, HALF_PAIR) for path in find_half_pairs(text, value)]


def _too_large(policy: Policy) -> Fault:
    return Fault("nodes", "", f"the reply contains more than {policy.max_values} values")


def _refuse(outcome: Outcome, fault: Fault, readings: Sequence[Any] = ()) -> Reading:
    return Reading(outcome, violations=(replace(fault, offset=0),), readings=tuple(readings))


def _is_unproven(raw: str, repairs: Sequence[Repair], value: Any) -> bool:
    """Return whether a value comes from a damaged wrapper and replaying its own log does not rebuild it."""
    if not any(repair.edit == "unwrap" for repair in repairs):
        return False
    try:
        return not is_same(replay(raw, repairs), value)
    except (LookupError, ValueError, TypeError):
        return True


class _Reader:
    """Reads one reply that is not clean JSON, or that breaks its contract."""

    def __init__(self, text: str, chooser: Chooser, policy: Policy, finish_reason: str | None) -> None:
        self.raw = text
        self.chooser = chooser
        self.policy = policy
        self.is_cut = finish_reason in _CUT_REASONS
        self.limits = SearchLimits(policy.max_depth, policy.max_nodes, policy.max_values, policy.max_candidates)
        self.decoded = DecodedReply(text)

    def read_value(self, value: Any, faults: Sequence[Fault]) -> Reading:
        """Read a reply that is one strict JSON value: only a string may contain other candidates."""
        choice = self.chooser.evaluate(self._whole(value), faults)
        return self._decide([choice]) if choice.is_valid or isinstance(value, dict | list) else self.read()

    def refuse_value(self, value: Any, faults: Sequence[Fault]) -> Reading:
        """Refuse a reply that is one strict JSON value, without any repair."""
        return self._refuse(Choice(self._whole(value), value, 1.0, faults=faults))

    def _whole(self, value: Any) -> ReplyCandidate:
        body = self.raw.strip(" \t\r\n")
        start = self.raw.index(body[0])
        return strict_candidate(self.raw, start, start + len(body), value)

    def read(self) -> Reading:
        """Evaluate every candidate in the text and decide."""
        self.decoded = decode_outer(self.raw)
        found = candidates.find(self.decoded.text, self.limits)
        if found.limit:
            return _refuse("invalid", Fault(found.limit, "", f"the reply exceeds the limit on {found.limit}"))
        choices = self._with_lost_opening([self._evaluate(candidate) for candidate in found.candidates])
        if not choices:
            return _refuse("no_answer", Fault("no_json", "", "the reply contains no JSON object"))
        return self._decide(choices)

    def _evaluate(self, candidate: ReplyCandidate) -> Choice:
        choice = self.chooser.evaluate(candidate)
        if candidate.scan is not None and candidate.scan.tail == "open":
            choice = restore_lost_brackets(self.decoded.text, self.chooser, choice, self.limits)
        if candidates.lacks_colon(self.decoded.text, candidate):
            choice = self._with_lost_colons(choice)
        self._check_end(choice)
        if choice.is_valid:
            for path in find_half_pairs(self.raw, choice.value):
                choice.faults = [*choice.faults, Fault("surrogate", path, HALF_PAIR)]
        return choice

    def _check_end(self, choice: Choice) -> None:
        """Refuse a choice that the end of the reply cuts off, even if all required fields are present."""
        tail = choice.candidate.scan.tail if choice.candidate.scan else "closed"
        if choice.is_valid and (tail == "cut" or (tail == "open" and self.is_cut)):
            choice.faults = [_TRUNCATED]
        if choice.is_valid and tail == "broken":
            choice.faults = [_UNREADABLE]

    def _with_lost_opening(self, choices: list[Choice]) -> list[Choice]:
        """Try an opening without its brace or its first colon, if no object in the text resembles the answer."""
        if any(one.score >= 0.5 for one in choices):
            return choices
        text = self.decoded.text
        for candidate in (
            candidates.find_colonless(text, self.limits),
            candidates.find_members(text, frozenset(self.chooser.names), self.limits),
        ):
            lost = candidate and self._evaluate(candidate)
            if lost and lost.score >= 0.5:
                return [lost]
        return choices

    def _with_lost_colons(self, choice: Choice) -> Choice:
        """Accept keys without a colon; if the text also has a meaning without such keys, it is ambiguous."""
        trial = self.chooser.evaluate(candidates.rescan_colonless(self.decoded.text, choice.candidate, self.limits))
        is_whole = trial.candidate.scan is not None and trial.candidate.scan.tail in ("closed", "open")
        if not choice.is_valid:
            return trial if is_whole and len(trial.faults) < len(choice.faults) else choice
        if not trial.is_valid or not is_whole or is_same(choice.value, trial.value):
            return choice
        fault = Fault("ambiguous", "", "a colon may be missing, or a string may contain unescaped quotes")
        return Choice(choice.candidate, None, choice.score, [], [fault], [choice.value, trial.value])

    def _decide(self, choices: list[Choice]) -> Reading:
        found = distinct_choices(choices)
        if len(found) == 1:
            return self._accept(found[0])
        if found:
            return _refuse("ambiguous", SEVERAL_ANSWERS, [one.value for one in found[:5]])
        best = max(choices, key=lambda one: one.score)
        is_only = all(one.score < 0.5 or is_same(one.value, best.value) for one in choices if one is not best)
        return self._refuse(best, is_only=is_only)

    def _accept(self, choice: Choice) -> Reading:
        repairs = write_repair_log(self.raw, self.decoded, choice)
        if choice.candidate.scan is not None and _is_unproven(self.raw, repairs, choice.value):
            return _refuse("invalid", _UNREADABLE)
        refused = self.policy.find_refused(repairs)
        if refused:
            violations = tuple(
                Fault("repair", one.path, f"the repair {one.kind!r} is not allowed", one.span[0]) for one in refused
            )
            return Reading("invalid", violations=violations[: self.policy.max_violations])
        return Reading("recovered" if repairs else "valid", choice.value, repairs)

    def _refuse(self, choice: Choice, *, is_only: bool = False) -> Reading:
        shown = choice.faults[: self.policy.max_violations]
        violations = tuple(replace(one, offset=self._offset(choice, one.path)) for one in shown)
        outcome = self._outcome(choice)
        attempt = self._attempt(choice, violations) if is_only and outcome == "invalid" else None
        return Reading(outcome, violations=violations, readings=tuple(choice.rivals), attempt=attempt)

    def _attempt(self, choice: Choice, violations: tuple[Fault, ...]) -> Attempt | None:
        """Return the attempt that a partial answer may be merged into: an object that fails only at named paths."""
        if not isinstance(choice.value, dict) or choice.score < 0.5 or not all(one.path for one in choice.faults):
            return None
        repairs = write_repair_log(self.raw, self.decoded, choice)
        if self.policy.find_refused(repairs):
            return None
        half_pairs = frozenset(one.path for one in choice.faults if one.rule == "surrogate")
        return Attempt(choice.value, violations, repairs, choice.uncertain | half_pairs)

    def _outcome(self, choice: Choice) -> Outcome:
        rules = {one.rule for one in choice.faults}
        if "ambiguous" in rules:
            return "ambiguous"
        tail = choice.candidate.scan.tail if choice.candidate.scan else "closed"
        return "truncated" if "truncated" in rules or tail in ("cut", "open") else "invalid"

    def _offset(self, choice: Choice, path: str) -> int | None:
        original = original_path(path, choice.value_repairs)
        span = choice.candidate.spans.get(original)
        while original and span is None:
            original = original.rpartition("/")[0]
            span = choice.candidate.spans.get(original)
        return self.decoded.raw_offset(span[0] if span else choice.candidate.start)
