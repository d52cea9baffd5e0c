"""A test that can only fail: its context lacks an input or does not fit one, or its verdict names an unknown rule.

`promptpack test` fails too, but only after rendering, and a verdict that names an unknown rule can never be met. A
misspelled action, a valid reply without a required key, a path that the contract does not have, a code that no render
raises and an expectation next to `error`, which is never checked, are reported as well. A test that expects an `error`
may have any context.

Bad: `context: {CHANNEL: fax}` for an input with `enum: [email, chat]`, or `verdict: {violations: [{rule: known-taem}]}`
Good: `context: {CHANNEL: chat}`, and `{rule: known-team}`
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from promptpack import schema
from promptpack.flow.possible_values import field_at, suggest_pointer
from promptpack.linter.rule import LintProblem
from promptpack.linter.schema_lookup import is_contradictory, place_mismatch
from promptpack.linter.subject import Subject
from promptpack.pack.cases.checking import codes_of
from promptpack.pack.contract import Contract
from promptpack.pack.placed import Placed
from promptpack.problem import Location, did_you_mean
from promptpack.prompt.context_warnings import WARNING_CODES
from promptpack.schema.pointers import find_target

CODE: Final = "PL026"
NAME: Final = "broken-test"
SEVERITY: Final = "error"

_UNREPAIRED: Final = ("required", "additionalProperties")
_OF_RENDERING: Final = ("PP3", "PP4")


def check(subject: Subject) -> Iterator[LintProblem]:
    """Check the context, the expectations and the verdict of each test; report a value that tests share once."""
    seen: set[Location] = set()
    inputs = subject.inputs.items() if subject.sections.tests else ()
    schemas = {name: schema.compile(one.schema) for name, one in inputs if not is_contradictory(one.schema)}
    contexts: set[int] = set()
    for test in subject.sections.tests:
        context = id(test.value.get("context", test))
        found = () if context in contexts else _check_context(test, subject, schemas)
        contexts.add(context)
        for problem in (*found, *_check_codes(test), *_check_verdict(test, subject)):
            if problem.location not in seen:
                seen.add(problem.location)
                yield problem


def _check_context(test: Placed, subject: Subject, schemas: Mapping[str, schema.Schema]) -> Iterator[LintProblem]:
    # A broken pack is fixed first: its contexts may be right.
    is_broken = subject.is_pruned or bool(subject.compiled.problems)
    if is_broken or subject.sections.abstract or codes_of(test.value.get("expect", {})):
        return
    context = test.value.get("context", {})
    for name, declared in subject.inputs.items():
        if "context" in test.value and declared.required and name not in context:
            message = f"the context lacks the required input {name!r}"
            hint = did_you_mean(name, [one for one in context if one not in subject.inputs]) or "add it to 'context'"
            yield LintProblem(message, test.locate_key("context"), hint)
    for name in [one for one in context if one in schemas]:
        given = test.child("context", name)
        for mismatch in schema.keep_misspelled(schemas[name].check(given.value)):
            at, hint = place_mismatch(given, mismatch)
            where = schema.pointer((name, *mismatch.path))
            yield LintProblem(f"the context is invalid: {mismatch.message} (in {where})", at, hint)


def _check_codes(test: Placed) -> Iterator[LintProblem]:
    expect = test.value.get("expect", {})
    codes = codes_of(expect)
    for index, code in enumerate(codes):
        if not code.startswith(_OF_RENDERING):
            hint = "expect a code that starts with PP3 or PP4; see the reference of codes"
            place = ("error",) if isinstance(expect["error"], str) else ("error", index)
            yield LintProblem(f"rendering never raises {code!r}", test.locate("expect", *place), hint)
    for index, code in enumerate(expect.get("warnings", ())):
        if code not in WARNING_CODES:
            hint = f"the warnings are {', '.join(WARNING_CODES)}"
            yield LintProblem(f"no context has the warning {code!r}", test.locate("expect", "warnings", index), hint)
    for key in expect if codes else ():
        if key != "error":
            hint = "remove it, or 'error'"
            yield LintProblem(
                f"{key!r} is never checked: the prompt is not rendered", test.locate_key("expect", key), hint
            )


def _check_verdict(test: Placed, subject: Subject) -> Iterator[LintProblem]:
    verdict = test.value.get("verdict")
    # A rule that was removed as invalid is not missing.
    if subject.is_pruned:
        return
    if subject.contract is not None and not subject.compiled.problems:
        yield from _check_reply(test, subject.contract, verdict)
    rules = [rule.name for rule in subject.contract.rules] if subject.contract else []
    for pointer in verdict.get("output", ()) if isinstance(verdict, dict) else ():
        yield from _check_path(test, ("verdict", "output", pointer), pointer, subject.contract)
    for index, one in enumerate(verdict.get("violations", ()) if isinstance(verdict, dict) else ()):
        if "rule" in one and one["rule"] not in rules:
            hint = did_you_mean(one["rule"], rules) or f"its rules are {', '.join(rules) or 'none'}"
            at = test.locate("verdict", "violations", index, "rule")
            yield LintProblem(f"the pack has no rule {one['rule']!r}", at, hint)
        yield from _check_path(test, ("verdict", "violations", index, "path"), one.get("path"), subject.contract)


def _check_reply(test: Placed, contract: Contract, verdict: Any) -> Iterator[LintProblem]:
    """Report a reply whose action is misspelled, and one that cannot be valid since a key is missing or unknown."""
    if not isinstance(test.value.get("reply"), dict):
        return
    reply = test.child("reply")
    violations = verdict.get("violations", ()) if isinstance(verdict, dict) else ()
    action, names = reply.value.get("action"), contract.action_names() or ()
    hint = did_you_mean(action, names) if isinstance(action, str) and action not in names else ""
    if hint and all("rule" in one for one in violations):
        yield LintProblem(f"the pack has no action {action!r}", reply.locate("action"), hint)
        return
    if (verdict.get("outcome") if isinstance(verdict, dict) else verdict) != "valid":
        return
    for mismatch in schema.keep_misspelled(contract.schema.check(reply.value)):
        if mismatch.keyword in _UNREPAIRED:
            at, hint = place_mismatch(reply, mismatch)
            yield LintProblem(f"the reply is not valid: {mismatch.message} (in {mismatch.pointer})", at, hint)


def _check_path(
    test: Placed, place: tuple[str | int, ...], pointer: str | None, contract: Contract | None
) -> Iterator[LintProblem]:
    """Report the path of a violation that misspells a field of the contract; replies may have other fields."""
    reply = test.value.get("reply")
    if pointer is None or contract is None or not isinstance(reply, dict):
        return
    action = str(reply.get("action", ""))
    if field_at(contract, action, pointer) is None and find_target(reply, f"#{pointer}") is None:
        hint = suggest_pointer(contract, action, pointer)
        if hint:
            yield LintProblem(f"the reply has no {pointer!r}", test.locate(*place), hint)
