"""A test that can only fail: its context lacks an input or does not fit one, or its verdict names an unknown rule.

`promptpack test` fails too, but only after rendering, and a verdict that names an unknown rule can never be met. A test
that expects `problems` may have any context.

Bad: `context: {CHANNEL: fax}` for an input with `enum: [email, chat]`, or `verdict: {violations: [{rule: known-taem}]}`
Good: `context: {CHANNEL: chat}`, and `{rule: known-team}`
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from promptpack import schema
from promptpack.linter.rule import LintProblem
from promptpack.linter.schema_lookup import misspelled_required
from promptpack.linter.subject import Subject
from promptpack.pack.placed import Placed
from promptpack.problem import Location, did_you_mean
from promptpack.schema.safety import iterate_schemas

CODE: Final = "PL026"
NAME: Final = "broken-test"
SEVERITY: Final = "error"


def check(subject: Subject) -> Iterator[LintProblem]:
    """Check the context and the verdict of each test; what tests share through an alias is reported once."""
    seen: set[Location] = set()
    inputs = subject.inputs.items() if subject.sections.tests else ()
    schemas = {name: schema.compile(one.schema) for name, one in inputs if not _is_misspelled(one.schema)}
    for test in subject.sections.tests:
        for problem in (*_check_context(test, subject, schemas), *_check_verdict(test, subject)):
            if problem.location not in seen:
                seen.add(problem.location)
                yield problem


def _is_misspelled(shape: Mapping[str, Any]) -> bool:
    return any(misspelled_required(node) for _, node in iterate_schemas(shape))


def _check_context(test: Placed, subject: Subject, schemas: Mapping[str, schema.Schema]) -> Iterator[LintProblem]:
    # A broken pack is fixed first: its contexts may be right.
    is_broken = subject.is_pruned or bool(subject.compiled.problems)
    if is_broken or subject.sections.abstract or test.value.get("expect", {}).get("problems"):
        return
    context = test.value.get("context", {})
    for name, declared in subject.inputs.items():
        if "context" in test.value and declared.required and name not in context:
            message = f"the context lacks the required input {name!r}"
            hint = did_you_mean(name, [one for one in context if one not in subject.inputs]) or "add it to 'context'"
            yield LintProblem(message, test.locate_key("context"), hint)
    for name in [one for one in context if one in schemas]:
        given = test.child("context", name)
        for mismatch in schemas[name].check(given.value):
            at = given.locate_key(*mismatch.path) if mismatch.at_key else given.locate(*mismatch.path)
            where = schema.pointer((name, *mismatch.path))
            yield LintProblem(f"the context does not fit: {mismatch.message} (in {where})", at, mismatch.hint)


def _check_verdict(test: Placed, subject: Subject) -> Iterator[LintProblem]:
    verdict = test.value.get("verdict")
    rules = [rule.name for rule in subject.contract.rules] if subject.contract else []
    for index, one in enumerate(verdict["violations"] if isinstance(verdict, dict) else ()):
        if "rule" in one and one["rule"] not in rules:
            hint = did_you_mean(one["rule"], rules) or f"its rules are {', '.join(rules) or 'none'}"
            at = test.locate("verdict", "violations", index, "rule")
            yield LintProblem(f"the pack has no rule {one['rule']!r}", at, hint)
