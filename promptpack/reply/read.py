"""Read a reply: accept it if it has exactly one meaning, and refuse it with its faults if it has none or several."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from promptpack.reply import candidates
from promptpack.reply.candidates import (
    NOT_STRICT,
    ReplyCandidate,
    SearchLimits,
    SearchResult,
    depth_of,
    strict_candidate,
    strict_whole,
)
from promptpack.reply.charset import decode_reply
from promptpack.reply.choice import SEVERAL_ANSWERS, TRUNCATED, Check, Choice, Chooser, distinct_choices
from promptpack.reply.clean import read_clean
from promptpack.reply.extra_keys import find_lost_keys
from promptpack.reply.hidden_text import blank
from promptpack.reply.lost_brackets import restore_lost_brackets
from promptpack.reply.outer_encoding import DecodedReply, decode_outer
from promptpack.reply.path_map import PathMap
from promptpack.reply.reading import Attempt, Fault, PromptEcho, Reading, ReadingOutcome, ReadingPolicy, Repair
from promptpack.reply.repair import replay
from promptpack.reply.repair_log import write_repair_log
from promptpack.reply.shape import Shape
from promptpack.reply.size import is_too_large, may_hold_more
from promptpack.reply.strict import HALF_PAIR, explain_not_strict, find_half_pairs
from promptpack.reply.syntax_tree import is_same
from promptpack.reply.wrappers import is_cut_reason, reports_cut

_UNREADABLE = Fault("syntax", "", "the text around the object cannot be read", 0)
_CUT_AFTER = Fault("truncated", "", "another object follows the answer, and the end of the reply cuts it off", 0)
_ECHO = Fault("echo", "", "the reply repeats an example of the prompt and contains no answer of its own", 0)
_DEFAULT = ReadingPolicy()
_NO_ECHO = PromptEcho()


def read(
    raw: str | bytes,
    shape: Mapping[str, Any] | Shape,
    check: Check,
    *,
    policy: ReadingPolicy = _DEFAULT,
    finish_reason: str | None = None,
    echo: PromptEcho = _NO_ECHO,
) -> Reading:
    """Read the one object that a reply means, or explain why it has no single meaning."""
    try:
        text = decode_reply(raw)
    except UnicodeDecodeError as error:
        return _refuse("invalid", Fault("encoding", "", f"the reply is not text: {error.reason}"))
    if len(text) > policy.max_chars:
        return _refuse("invalid", Fault("size", "", f"the reply is longer than {policy.max_chars} characters"))
    reader = _ReplyReader(text, Chooser(shape, check), policy, echo, is_cut=is_cut_reason(finish_reason))
    value = read_clean(text, policy.max_depth)
    if value is not None:
        if may_hold_more(text, policy.max_values) and is_too_large(text, value, policy.max_values):
            return _refuse("invalid", _too_large(policy))
        faults = check(value)
        if not faults:
            return reader.accept_value(value)
        # A failing value may need many pointers in its faults, so their total length is limited too.
        if is_too_large(text, value, policy.max_values):
            return _refuse("invalid", _too_large(policy))
        if not policy.strict:
            return reader.read_value(value, faults)
    return _read_any(text, reader, policy)


@dataclass(frozen=True, slots=True)
class PartialAnswer:
    """The only object of an answer to a correction, with its repairs."""

    value: dict[str, Any]
    repairs: tuple[Repair, ...]
    decoded: DecodedReply
    candidate: ReplyCandidate
    paths: PathMap = field(default_factory=PathMap)

    def span(self, path: str) -> tuple[int, int]:
        """Return the span of a value in the raw text, or of the whole object where the path does not exist."""
        start, end = self.candidate.span(self.paths.original(path))
        return self.decoded.raw_offset(start), self.decoded.raw_offset(end)


def read_partial_answer(
    raw: str | bytes, is_part: Callable[[Any], bool], policy: ReadingPolicy, finish_reason: str | None
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
    decoded, found = _search(text, _limits(policy))
    objects = [one for one in found.candidates if isinstance(one.value, dict)]
    if found.limit or not objects:
        return None
    fault = _find_uncertainty(objects, finish_reason)
    if fault is not None or find_half_pairs(text, objects[0].value):
        return fault if all(is_part(one.value) for one in objects) else None
    repairs = write_repair_log(text, decoded, Choice(objects[0], objects[0].value, 1.0))
    return PartialAnswer(objects[0].value, repairs, decoded, objects[0])


def _limits(policy: ReadingPolicy) -> SearchLimits:
    return SearchLimits(policy.max_depth, policy.max_nodes, policy.max_values, policy.max_candidates)


def _search(raw: str, limits: SearchLimits) -> tuple[DecodedReply, SearchResult]:
    """Find the candidates in a reply, and its outer encoding, which hidden text cannot decide."""
    found = candidates.find(raw, limits)
    decoded = decode_outer(blank(raw, found.marked))
    if not decoded.is_encoded:
        return DecodedReply(found.text, hidden=found.hidden), found
    # Markers after the first change may be in a string of the encoded object.
    first = next((change.start for change in decoded.repairs()), len(raw))
    hidden = [(start, end) for start, end in found.marked if start < first]
    decoded = decode_outer(blank(raw, hidden))
    decoded.hidden = hidden
    return decoded, candidates.find(decoded.text, limits)


def _find_uncertainty(objects: Sequence[ReplyCandidate], finish_reason: str | None) -> Fault | None:
    if is_cut_reason(finish_reason) or any(one.scan is not None and one.scan.tail != "closed" for one in objects):
        return TRUNCATED
    first = objects[0]
    if not all(is_same(one.value, first.value) for one in objects):
        return Fault("ambiguous", "", "the reply contains several objects that differ", 0)
    defects = [Fault(defect.rule, path, defect.message, 0) for path, defect in first.defects]
    repeats = [Fault("duplicate", path, "a key appears twice", 0) for path in first.repeats]
    return next(iter([*defects, *repeats]), None)


def _read_any(text: str, reader: "_ReplyReader", policy: ReadingPolicy) -> Reading:
    value = strict_whole(text)
    if value is NOT_STRICT:
        return explain_not_strict(text, policy) if policy.strict else reader.read()
    unsafe = _find_unsafe(text, value, policy)
    faults = unsafe or reader.chooser.check(value)
    if not faults:
        return reader.accept_value(value)
    if policy.strict or unsafe:
        return reader.refuse_value(value, faults)
    return reader.read_value(value, faults)


def _find_unsafe(text: str, value: Any, policy: ReadingPolicy) -> list[Fault]:
    """Return faults that no contract covers, but that make a value unsafe to pass on."""
    if is_too_large(text, value, policy.max_values):
        return [_too_large(policy)]
    if text.count("{") + text.count("[") > policy.max_depth and depth_of(value) > policy.max_depth:
        return [Fault("depth", "", f"the value is nested more than {policy.max_depth} levels deep")]
    return [Fault("surrogate", path, HALF_PAIR) for path in find_half_pairs(text, value)]


def _too_large(policy: ReadingPolicy) -> Fault:
    return Fault("nodes", "", f"the reply contains more than {policy.max_values} values")


def _refuse(outcome: ReadingOutcome, fault: Fault, readings: Sequence[Any] = ()) -> Reading:
    return Reading(outcome, violations=(replace(fault, offset=0),), readings=tuple(readings))


def _is_unproven(raw: str, repairs: Sequence[Repair], value: Any) -> bool:
    """Return whether a value comes from a damaged wrapper and replaying its own log does not rebuild it."""
    if not any(repair.edit == "unwrap" for repair in repairs):
        return False
    try:
        return not is_same(replay(raw, repairs), value)
    except (LookupError, ValueError, TypeError):
        return True


class _ReplyReader:
    """Reads one reply that is not clean JSON, or that breaks its contract."""

    def __init__(self, text: str, chooser: Chooser, policy: ReadingPolicy, echo: PromptEcho, *, is_cut: bool) -> None:
        self.raw = self.text = text
        self.chooser = chooser
        self.policy = policy
        self.echo = echo
        self.is_cut = is_cut
        self.limits = _limits(policy)
        self.decoded = DecodedReply(text)

    def accept_value(self, value: Any) -> Reading:
        """Accept a reply that is one strict JSON value and meets the contract."""
        is_echo = self.echo.has_example(value)
        if is_echo and self.is_cut:
            return _refuse("truncated", TRUNCATED)
        return Reading("valid", value, is_echo=is_echo)

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
        self.decoded, found = _search(self.raw, self.limits)
        self.text = found.text
        if found.limit:
            return _refuse("invalid", Fault(found.limit, "", f"the reply exceeds the limit on {found.limit}"))
        choices = self._with_lost_opening(found, [self._evaluate(candidate) for candidate in found.candidates])
        if not choices:
            where = " outside hidden text" if found.hidden else ""
            return _refuse("no_answer", Fault("no_json", "", f"the reply contains no JSON object{where}"))
        return self._decide(choices)

    def _evaluate(self, candidate: ReplyCandidate) -> Choice:
        choice = self.chooser.evaluate(candidate)
        if candidate.scan is not None and candidate.scan.tail == "open":
            choice = restore_lost_brackets(self.text, self.chooser, choice, self.limits)
        if candidates.lacks_colon(self.text, candidate):
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
            choice.faults = [TRUNCATED]
        if choice.is_valid and tail == "broken":
            choice.faults = [_UNREADABLE]

    def _with_lost_opening(self, found: SearchResult, choices: list[Choice]) -> list[Choice]:
        """Try an opening without its first colon or its brace, if no object in the text is the answer."""
        if any(one.is_valid for one in choices):
            return choices
        resembles = any(one.score >= 0.5 for one in choices)
        colonless = candidates.find_colonless(self.text, self.limits)
        members = None if resembles else candidates.find_members(found, frozenset(self.chooser.names), self.limits)
        for candidate in (colonless, members):
            lost = candidate and self._evaluate(candidate)
            if lost and (lost.is_valid if resembles else lost.score >= 0.5):
                return [lost]
        return choices

    def _with_lost_colons(self, choice: Choice) -> Choice:
        """Accept keys without a colon; if the text also has a meaning without such keys, it is ambiguous."""
        trial = self.chooser.evaluate(candidates.rescan_colonless(self.text, choice.candidate, self.limits))
        is_whole = trial.candidate.scan is not None and trial.candidate.scan.tail in ("closed", "open")
        if not choice.is_valid:
            return trial if is_whole and len(trial.faults) < len(choice.faults) else choice
        if not trial.is_valid or not is_whole or is_same(choice.value, trial.value):
            return choice
        fault = Fault("ambiguous", "", "a colon may be missing, or a string may contain unescaped quotes")
        return Choice(choice.candidate, None, choice.score, [], [fault], [choice.value, trial.value])

    def _decide(self, choices: list[Choice]) -> Reading:
        found = distinct_choices(choices)
        own = [one for one in found if not self._is_echo(one)]
        if found and not own:
            return self._accept_echo(found[0], choices)
        if len(own) > 1:
            return _refuse("ambiguous", SEVERAL_ANSWERS, [one.value for one in own[:5]])
        if own and own[0].is_valid:
            return self._accept(own[0], choices, [one for one in found if one is not own[0]])
        attempts = own or choices
        best = max(attempts, key=lambda one: (not one.is_others, one.score))
        is_only = all(one.score < 0.5 or is_same(one.value, best.value) for one in attempts if one is not best)
        return self._refuse(best, is_only=is_only)

    def _accept_echo(self, choice: Choice, choices: Sequence[Choice]) -> Reading:
        """Accept an example of the prompt as the answer if nothing else of the prompt and no cut is around it."""
        candidate = choice.candidate
        if self.is_cut or reports_cut(candidate.value) or self._repeats_prompt(candidate):
            return _refuse("no_answer", _ECHO)
        return self._accept(choice, choices)._replace(is_echo=True)

    def _accept(self, choice: Choice, choices: Sequence[Choice], echoes: Sequence[Choice] = ()) -> Reading:
        if any(one.candidate.start >= choice.candidate.end and one.is_cut for one in choices):
            return _refuse("truncated", _CUT_AFTER)
        if echoes and choice.is_cut:
            return _refuse("truncated", TRUNCATED)
        repairs = write_repair_log(self.raw, self.decoded, choice, echoes)
        if choice.candidate.scan is not None and _is_unproven(self.raw, repairs, choice.value):
            return _refuse("invalid", _UNREADABLE)
        refused = self.policy.find_refused(repairs)
        if refused:
            return Reading("invalid", violations=tuple(refused[: self.policy.max_violations]))
        return Reading("recovered" if repairs else "valid", choice.value, self._name_lost_keys(choice, repairs))

    def _name_lost_keys(self, choice: Choice, repairs: tuple[Repair, ...]) -> tuple[Repair, ...]:
        """Add the optional keys that the end of the reply may have cut off to the repair that closes the object."""
        ends = [index for index, one in enumerate(repairs) if one.kind == "missing-end"]
        if not ends:
            return repairs
        lost = tuple(find_lost_keys(choice.value, self.chooser.shape, levels=len(ends)))
        return (*repairs[: ends[-1]], replace(repairs[ends[-1]], missing=lost), *repairs[ends[-1] + 1 :])

    def _repeats_prompt(self, candidate: ReplyCandidate) -> bool:
        """Return whether lines of the prompt are around an object."""
        around = f"{self.text[: candidate.start]}\n{self.text[candidate.end :]}"
        return self.echo.has_line(around)

    def _is_echo(self, choice: Choice) -> bool:
        if not choice.is_valid:
            return False
        candidate = choice.candidate
        return self.echo.has_example(choice.value) or self.echo.has_text(self.text[candidate.start : candidate.end])

    def _refuse(self, choice: Choice, *, is_only: bool = False) -> Reading:
        shown = choice.faults[: self.policy.max_violations]
        paths = PathMap(choice.value_repairs)
        violations = tuple(replace(one, offset=self._offset(choice, paths.original(one.path))) for one in shown)
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

    def _outcome(self, choice: Choice) -> ReadingOutcome:
        rules = {one.rule for one in choice.faults}
        if "ambiguous" in rules:
            return "ambiguous"
        tail = choice.candidate.scan.tail if choice.candidate.scan else "closed"
        return "truncated" if "truncated" in rules or tail in ("cut", "open") else "invalid"

    def _offset(self, choice: Choice, path: str) -> int | None:
        span = choice.candidate.spans.get(path)
        while path and span is None:
            path = path.rpartition("/")[0]
            span = choice.candidate.spans.get(path)
        return self.decoded.raw_offset(span[0] if span else choice.candidate.start)
