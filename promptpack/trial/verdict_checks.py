"""Check the verdict on a reply against the expectations of a test."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from promptpack.schema.pointers import MISSING, find_at
from promptpack.trial.json_search import is_equal, show
from promptpack.trial.model import Miss
from promptpack.verdict import Verdict, Violation
from promptpack.verdict.model import RULE_CODES, VIOLATION_CODES

# A rule of the pack that cannot be evaluated.
_CRASHED: Final = "PP521"


def write_reply(reply: Any) -> str:
    """Return a reply as the text that a model sends."""
    return reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)


def check_verdict(verdict: Verdict, expected: Any) -> Iterator[Miss]:
    """Yield the expectations that a verdict does not meet: one word, or a mapping of expectations."""
    if isinstance(expected, str):
        yield from _check_outcome(verdict, expected)
    if not isinstance(expected, Mapping):
        return
    if "outcome" in expected:
        yield from (miss.below("outcome") for miss in _check_outcome(verdict, expected["outcome"]))
    yield from (miss.below("violations") for miss in _check_violations(verdict, expected.get("violations", ())))
    if "repairs" in expected:
        yield from (miss.below("repairs") for miss in _check_repairs(verdict, expected["repairs"]))
    yield from (miss.below("output") for miss in _check_output(verdict, expected.get("output", {})))


def _check_outcome(verdict: Verdict, expected: str) -> Iterator[Miss]:
    violations = _list(verdict)
    if expected == "invalid":
        if verdict.ok:
            yield Miss(f"the reply is {verdict.outcome}, not invalid")
        elif all(violation.code == _CRASHED for violation in verdict.violations):
            yield Miss(f"the reply is invalid only because a rule failed: {violations}")
    elif expected in ("valid", "recovered") and not verdict.ok:
        yield Miss(f"the reply is not {expected}: {violations}")
    elif verdict.outcome != expected:
        yield Miss(f"the reply is {verdict.outcome}, not {expected}")


def _check_violations(verdict: Verdict, wanted: Any) -> Iterator[Miss]:
    for index, one in enumerate(wanted):
        if not any(_matches(violation, one) for violation in verdict.violations):
            fields = " ".join(f"{key}={value}" for key, value in one.items())
            message = f"expected violation {fields}, found {_list(verdict) or 'none'}"
            yield Miss(f"{message}{_explain_rules(verdict, one)}", (index,))


def _explain_rules(verdict: Verdict, wanted: Mapping[str, str]) -> str:
    """Return why a wanted rule was not checked; empty if it was, or if no rule is wanted."""
    is_of_schema = wanted.get("rule", "required") in VIOLATION_CODES
    if is_of_schema or not verdict.violations or any(one.code in RULE_CODES for one in verdict.violations):
        return ""
    return "; rules are only checked if the reply has no other violation"


def _check_repairs(verdict: Verdict, wanted: list[str]) -> Iterator[Miss]:
    found = list(dict.fromkeys(repair.kind for repair in verdict.repairs))
    for index, kind in enumerate(wanted):
        if kind not in found:
            yield Miss(f"expected repair {kind}, found {', '.join(found) or 'none'}", (index,))
    others = [kind for kind in found if kind not in wanted]
    if others:
        yield Miss(f"unexpected repair {', '.join(others)}")


def _check_output(verdict: Verdict, wanted: Mapping[str, Any]) -> Iterator[Miss]:
    data = verdict.data if wanted else None
    for pointer, expected in wanted.items():
        found = find_at(data, pointer)
        if found is MISSING:
            reason = f": {_list(verdict)}" if data is None and not verdict.ok else ""
            yield Miss(f"the reply has no value at {pointer!r}, expected {show(expected)}{reason}", (pointer,))
        elif not is_equal(found, expected):
            yield Miss(f"the reply has {show(found)} at {pointer!r}, not {show(expected)}", (pointer,))


def _list(verdict: Verdict) -> str:
    return "; ".join(str(violation) for violation in verdict.violations)


def _matches(violation: Violation, wanted: Mapping[str, str]) -> bool:
    """Return whether a violation is the wanted one; a rule that crashed only counts if its code is wanted."""
    if violation.code == _CRASHED != wanted.get("code"):
        return False
    return all(getattr(violation, key) == value for key, value in wanted.items())
