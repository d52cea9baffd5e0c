"""A model's reply + a pack + its context -> `Verdict`: read, checked by the schema, held to the rules."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from promptpack import reply as replies
from promptpack.characters import whole
from promptpack.lazy import Later
from promptpack.pack import Contract, Pack, Rule
from promptpack.problem import ContextError, Problem, UsageError, did_you_mean
from promptpack.prompt.context import check_context
from promptpack.prompt.secrets import Secrets
from promptpack.prompt.tools import read_tools
from promptpack.reply import Attempt, Policy, Reading, SchemaCheck, Shape
from promptpack.schema import Schema
from promptpack.template import metered
from promptpack.verdict.correction import write_correction
from promptpack.verdict.model import Verdict, Violation, code_of
from promptpack.verdict.output import AgentOutput, error_output

_RISKS_HINT = f"the risks are {', '.join(replies.RISKS)}"


@dataclass(frozen=True, slots=True)
class Options:
    """How a reply is read: `strict` takes only the exact contract, `refuse` names repairs not to make.

    `after` is the verdict whose correction the reply answers.
    """

    strict: bool = False
    refuse: frozenset[str] = frozenset()
    finish_reason: str | None = None
    after: Verdict | None = None

    def __post_init__(self) -> None:
        known = (*replies.RISKS, *sorted(replies.KINDS))
        problems = [
            Problem("PP531", f"no repair or risk named {name!r}", None, did_you_mean(name, known) or _RISKS_HINT)
            for name in sorted(frozenset(self.refuse).difference(known))
        ]
        if problems:
            raise UsageError(problems)


_USUAL = Options()
_USUAL_POLICY = Policy()


def judge(pack: Pack, raw: str | bytes, context: Any = None, **options: Any) -> Verdict:
    """Judge a reply; without a context, rules that look at inputs are left unchecked and named in the verdict."""
    values = None if context is None else check_context(pack, context, {}).values
    return judge_checked(pack, raw, values, **options)


def judge_checked(pack: Pack, raw: str | bytes, values: Mapping[str, Any] | None, **options: Any) -> Verdict:
    """Judge a reply with a context that has been checked before."""
    contract = _contract_of(pack)
    asked = Options(**options) if options else _USUAL
    check = SchemaCheck(_schema(contract, values))
    reading = _read(raw, check, contract, asked)
    if not reading.ok:
        if asked.after is not None and not reading.violations:
            return asked.after
        violations = [_violation(found) for found in reading.violations]
        return _refuse(pack, values, reading, violations, check.expected)
    unchecked: list[str] = []
    violations = _broken_rules(pack, contract.rules, reading.value, values, unchecked) if contract.rules else []
    output = None if violations else _output(pack, contract, reading.value, values, violations)
    if violations:
        refused = _refuse(pack, values, reading, violations, check.expected)
        extras = replies.find_extras(reading.value, shape_of(check.schema))
        return replace(refused, unchecked=tuple(unchecked), extras=extras)
    return Verdict.accept(reading, output, tuple(unchecked), shape_of(check.schema))


def schema_of(pack: Pack, values: Mapping[str, Any] | None) -> Schema:
    """Give the schema that replies must meet, with the tools that the context names."""
    return _schema(_contract_of(pack), values)


@lru_cache(maxsize=64)
def shape_of(schema: Schema) -> Shape:
    """View a schema as the reader does; what the view has worked out serves the next reply too."""
    return Shape.of(schema.source)


def _contract_of(pack: Pack) -> Contract:
    if pack.contract is None:
        raise UsageError(Problem("PP530", f"{pack.label} declares no reply contract", None, "add 'reply:' to the pack"))
    return pack.contract


def _output(
    pack: Pack, contract: Contract, value: Any, values: Mapping[str, Any] | None, violations: list[Violation]
) -> Any:
    """Give the typed output; what the output model of a slot prompt refuses is added to the violations."""
    if contract.has_actions:
        return Later(AgentOutput.model_validate, value)
    if contract.output is None:
        return value
    from promptpack.verdict.slot_output import read_output

    scope = None if values is None else {**values, "pack": pack.about}
    return read_output(contract.output, value, scope, violations)


def _schema(contract: Contract, values: Mapping[str, Any] | None) -> Schema:
    if not contract.tools_input or values is None:
        return contract.schema
    given = values[contract.tools_input]
    # Plain data is written out in one way only, which is far sooner done than to read and compile the tools again.
    return contract.schema_kept(repr(given), lambda: read_tools(given, contract.tools_input))


def _read(raw: str | bytes, check: SchemaCheck, contract: Contract, options: Options) -> Reading:
    policy = _USUAL_POLICY
    if options.strict or options.refuse or contract.refuse:
        policy = Policy(strict=options.strict, refuse=contract.refuse | frozenset(options.refuse))
    shape = shape_of(check.schema)
    reading = replies.read(raw, shape, check, policy=policy, finish_reason=options.finish_reason)
    attempt = options.after.attempt if options.after is not None else None
    if attempt is None or (reading.ok and not replies.gives_only_parts(attempt, reading.value)):
        return reading
    mended = None
    if reading.outcome != "no_answer":
        mended = replies.mend(attempt, raw, shape, check, policy=policy, finish_reason=options.finish_reason)
    # An answer that cannot be read at all leaves the attempt to the next one.
    return mended or (reading if reading.ok else reading._replace(attempt=reading.attempt or attempt))


def _attempt(reading: Reading, violations: Sequence[Violation]) -> Attempt | None:
    """Keep what an answer may mend: what could be read, or what broke a rule."""
    if not reading.ok or not isinstance(reading.value, dict):
        return reading.attempt
    broken = tuple(replies.Violation(found.rule, found.path, found.message, found.offset) for found in violations)
    return Attempt(reading.value, broken, reading.repairs)


def _violation(found: replies.Violation) -> Violation:
    return Violation(code_of(found.rule), found.path, found.message, found.rule, found.offset)


def _broken_rules(
    pack: Pack, rules: Iterable[Rule], value: Any, values: Mapping[str, Any] | None, unchecked: list[str]
) -> list[Violation]:
    scope = {**(values or {}), "reply": value, "pack": pack.about}
    with metered(pack.limits):
        return list(_broken(rules, scope, unchecked))


def _broken(rules: Iterable[Rule], scope: Mapping[str, Any], unchecked: list[str]) -> Iterator[Violation]:
    for rule in rules:
        if not rule.names <= scope.keys():
            unchecked.append(rule.name)
            continue
        try:
            if (rule.when is None or rule.when.evaluate(scope)) and not rule.require.evaluate(scope):
                yield Violation(code_of("rule"), rule.path, rule.message.render(scope), rule.name)
        except ContextError as error:
            message = f"rule {rule.name!r} cannot be worked out: {error.problems[0].message}"
            yield Violation(code_of("rule_error"), rule.path, message, rule.name)


def _refuse(
    pack: Pack,
    values: Mapping[str, Any] | None,
    reading: Reading,
    violations: Sequence[Violation],
    expected: Mapping[tuple[str, str], Any],
) -> Verdict:
    # A reply may repeat a secret, and what is told of it goes into logs.
    secrets = Secrets(pack, values)
    told = tuple(
        replace(found, message=whole(secrets.hide(found.message)), path=whole(secrets.hide(found.path)))
        for found in violations
    )
    correction = secrets.hide(write_correction(pack, _contract_of(pack), told, expected))
    summary = "; ".join(str(violation) for violation in told[:5])
    return Verdict(
        "invalid" if reading.ok else reading.outcome,
        data=reading.value,
        violations=told,
        repairs=reading.repairs,
        readings=reading.readings,
        correction=correction,
        error_output=error_output("parse_error", summary, correction),
        attempt=_attempt(reading, violations),
    )
