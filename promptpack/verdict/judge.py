"""A model's reply + a pack + its context -> `Verdict`: read, checked by the schema, held to the rules."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from promptpack import reply as replies
from promptpack.characters import escape_surrogates
from promptpack.pack import Contract, Pack
from promptpack.problem import Problem, UsageError, did_you_mean
from promptpack.prompt.secrets import Secrets
from promptpack.prompt.tool_actions import read_tool_actions
from promptpack.reply import Attempt, Policy, Reading, SchemaCheck, Shape, read_clean
from promptpack.schema import Schema
from promptpack.verdict.correction import Expected, write_correction
from promptpack.verdict.model import Verdict, Violation, code_of
from promptpack.verdict.output import AgentOutput, error_output
from promptpack.verdict.rules import RuleChecker

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
# `AgentOutput.model_validate` without its own options, over which it takes a third of its time.
_validate: Callable[..., AgentOutput] = AgentOutput.__pydantic_validator__.validate_python
_USUAL_POLICY = Policy()
# A text of so many characters cannot hold too many values.
_SHORT = _USUAL_POLICY.max_values


def judge_checked(pack: Pack, raw: str | bytes, values: Mapping[str, Any] | None, **options: Any) -> Verdict:
    """Judge a reply with a context that has been checked before."""
    return pack.judge(raw, values, **options)


class Judge:
    """Judges the replies to one pack."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._contract = _contract_of(pack)
        self._rules = RuleChecker(self._contract, pack.limits)

    def judge(self, raw: str | bytes, values: Mapping[str, Any] | None, **options: Any) -> Verdict:
        """Judge a reply with a context that has been checked before.

        Without a context, rules that look at inputs are left unchecked and named in the verdict.
        """
        contract = self._contract
        schema = contract.schema if values is None else _schema(contract, values)
        if not options and type(raw) is str and len(raw) <= _SHORT:
            value = read_clean(raw, _USUAL_POLICY.max_depth)
            if value is not None and schema.accepts(value):
                return self._hold_to_rules(Reading("valid", value), schema, values)
        asked = Options(**options) if options else _USUAL
        check = SchemaCheck(schema)
        reading = _read(raw, check, contract, asked)
        if reading.ok:
            return self._hold_to_rules(reading, schema, values)
        if asked.after is not None and not reading.violations:
            return asked.after
        return self._refuse(reading, values, [_violation(found) for found in reading.violations], check.expected)

    def _hold_to_rules(self, reading: Reading, schema: Schema, values: Mapping[str, Any] | None) -> Verdict:
        """Judge what was read of a reply and meets the schema."""
        value = reading.value
        violations, unchecked = self._rules.check({**(values or {}), "reply": value, "pack": self._pack.about})
        if not violations and self._contract.output is not None:
            output, violations = self._slots(value, values)
        if violations:
            refused = self._refuse(reading, values, violations, {})
            return replace(refused, unchecked=unchecked, find_extras=partial(_extras, value, schema))
        accepted = self._accept(reading, schema, unchecked)
        return accepted if self._contract.output is None else replace(accepted, make_output=lambda: output)

    def _accept(self, reading: Reading, schema: Schema, unchecked: tuple[str, ...] = ()) -> Verdict:
        value = reading.value
        return Verdict(
            reading.outcome,
            value,
            repairs=reading.repairs,
            unchecked=unchecked,
            make_output=partial(_to_agent_output, value) if self._contract.has_actions else None,
            find_extras=partial(_extras, value, schema),
        )

    def _slots(self, value: Any, values: Mapping[str, Any] | None) -> tuple[Any, list[Violation]]:
        """Read the typed output of a slot prompt; its model may refuse values that meet the schema."""
        from promptpack.verdict.slot_output import read_output

        violations: list[Violation] = []
        scope = None if values is None else {**values, "pack": self._pack.about}
        return read_output(self._contract.output, value, scope, violations), violations

    def _refuse(
        self,
        reading: Reading,
        values: Mapping[str, Any] | None,
        violations: Sequence[Violation],
        expected: Expected,
    ) -> Verdict:
        # A reply may repeat a secret, and what is told of it goes into logs.
        secrets = Secrets(self._pack, values)
        told = tuple(
            replace(
                found,
                message=escape_surrogates(secrets.hide(found.message)),
                path=escape_surrogates(secrets.hide(found.path)),
            )
            for found in violations
        )
        correction = secrets.hide(write_correction(self._pack, self._contract, told, expected))
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


def _schema(contract: Contract, values: Mapping[str, Any] | None) -> Schema:
    if not contract.tools_input or values is None:
        return contract.schema
    given = values[contract.tools_input]
    # Plain data is written out in one way only, which is far sooner done than to read and compile the tools again.
    return contract.cached_schema_with(repr(given), lambda: read_tool_actions(given, contract.tools_input))


def _to_agent_output(value: Any) -> AgentOutput:
    # A key is a field under its name on the wire only: any other is beyond the contract.
    return _validate(value, by_alias=True, by_name=False)


def _extras(value: Any, schema: Schema) -> tuple[str, ...]:
    return replies.find_extras(value, shape_of(schema))


def _read(raw: str | bytes, check: SchemaCheck, contract: Contract, options: Options) -> Reading:
    policy = _USUAL_POLICY
    if options.strict or options.refuse or contract.refuse:
        policy = Policy(strict=options.strict, refuse=contract.refuse | frozenset(options.refuse))
    shape = shape_of(check.schema)
    reading = replies.read(raw, shape, check, policy=policy, finish_reason=options.finish_reason)
    attempt = options.after.attempt if options.after is not None else None
    if attempt is None or (reading.ok and not replies.is_partial_answer(attempt, reading.value)):
        return reading
    mended = None
    if reading.outcome != "no_answer":
        mended = replies.merge(attempt, raw, shape, check, policy=policy, finish_reason=options.finish_reason)
    # An answer that cannot be read at all leaves the attempt to the next one.
    return mended or (reading if reading.ok else reading._replace(attempt=reading.attempt or attempt))


def _attempt(reading: Reading, violations: Sequence[Violation]) -> Attempt | None:
    """Keep what an answer may mend: what could be read, or what broke a rule."""
    if not reading.ok or not isinstance(reading.value, dict):
        return reading.attempt
    broken = tuple(replies.Fault(found.rule, found.path, found.message, found.offset) for found in violations)
    return Attempt(reading.value, broken, reading.repairs)


def _violation(found: replies.Fault) -> Violation:
    return Violation(code_of(found.rule), found.path, found.message, found.rule, found.offset)
