"""Reply + pack + context -> `Verdict`: read the reply, check it against the schema, then against the rules."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from promptpack import reply as replies
from promptpack.characters import escape_surrogates
from promptpack.pack.contract import Contract
from promptpack.pack.model import Pack
from promptpack.problem import Problem, UsageError
from promptpack.prompt.prompt import Prompt
from promptpack.prompt.reply_format import find_tool_set
from promptpack.prompt.secrets import Secrets
from promptpack.reply import Attempt, PromptEcho, Reading, ReadingPolicy, SchemaCheck, Shape, read_clean
from promptpack.reply.alarm import warm_alarms
from promptpack.reply.charset import decode_reply
from promptpack.schema.validation import Schema
from promptpack.verdict.claims import Claims, Refusal
from promptpack.verdict.correction import write_correction
from promptpack.verdict.echo import find_echo
from promptpack.verdict.judge_options import DEFAULT_OPTIONS, JudgeOptions
from promptpack.verdict.model import Verdict, Violation, accept, code_of, same
from promptpack.verdict.output import error_output, read_agent_output, to_agent_output
from promptpack.verdict.rule_checker import RuleChecker

_SHAPES: WeakKeyDictionary[Schema, Shape] = WeakKeyDictionary()


_DEFAULT_POLICY = ReadingPolicy()
# A reply with at most this many characters cannot contain too many values.
_MAX_SHORT_REPLY = _DEFAULT_POLICY.max_values


class Judge:
    """Judges the replies to one pack."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._contract = _contract_of(pack)
        self._rules = RuleChecker(self._contract, pack.limits)
        self._echo = find_echo(pack, self._contract, None)
        self._may_have_examples = bool(pack.slots) or any(one.role == "assistant" for one in pack.messages)

    def judge(
        self,
        raw: str | bytes,
        values: Mapping[str, Any] | None,
        prompt: Prompt | None = None,
        options: JudgeOptions = DEFAULT_OPTIONS,
    ) -> Verdict:
        """Judge a reply with the values of a checked context; a reply that repeats an example of the prompt is an echo.

        Without a context, rules that read inputs are skipped and listed as `unchecked`.
        """
        contract = self._contract
        schema = schema_of(self._pack, values, prompt)
        if options is DEFAULT_OPTIONS and type(raw) is str and len(raw) <= _MAX_SHORT_REPLY:
            value = read_clean(raw, _DEFAULT_POLICY.max_depth)
            if value is not None and schema.accepts(value):
                has_own_echo = self._may_have_examples and prompt is not None and prompt.few_shot
                echo = find_echo(self._pack, contract, prompt) if has_own_echo else self._echo
                reading = Reading("valid", value, is_echo=echo.has_example(value))
                return self._check_rules(reading, schema, values, partial(read_agent_output, raw))
        check = SchemaCheck(schema)
        echo = self._echo if prompt is None else find_echo(self._pack, contract, prompt)
        reading = _read(raw, check, contract, options, echo)
        if reading.ok:
            return self._check_rules(reading, schema, values, partial(to_agent_output, reading.value))
        if options.after is not None and not reading.violations:
            return options.after
        violations = [_violation(found) for found in reading.violations]
        secrets = Secrets(self._pack, values)
        text = "" if violations[0].rule in ("encoding", "size") else decode_reply(raw)
        claims = Refusal(text, reading, check.expected, secrets.hide).find_claims(violations)
        return self._refuse(reading, secrets, violations, claims)

    def warm(self) -> None:
        """Compile the schemas and rules now, and check and store one invalid reply."""
        contract = self._contract
        for schema in contract._schemas():
            schema.warm()
            shape_of(schema).warm()
            warm_alarms(schema)
        self._rules.warm()
        self.judge("{}", None).to_dict()

    def _check_rules(
        self,
        reading: Reading,
        schema: Schema,
        values: Mapping[str, Any] | None,
        make_output: Callable[[], Any] | None,
    ) -> Verdict:
        """Judge a reply that meets the schema; `make_output` makes the output of a contract with actions."""
        value, contract = reading.value, self._contract
        scope = {"reply": value, "pack": self._pack._about}
        # Only the inputs that rules read: the values of a prompt are restored on first use.
        scope |= {name: values[name] for name in self._rules.inputs if name in values} if values else {}
        violations, unchecked = self._rules.check(scope)
        if not contract.has_actions:
            make_output = None
        if not violations and contract.output is not None:
            output, violations = self._read_slot_output(value, values)
            make_output = partial(same, output)
        extras = partial(_extras, value, schema)
        if violations:
            refused = self._refuse(reading, Secrets(self._pack, values), violations, (violations, {}))
            return replace(refused, unchecked=unchecked, is_echo=reading.is_echo, find_extras=extras)
        return accept(reading, unchecked, make_output, extras)

    def _read_slot_output(self, value: Any, values: Mapping[str, Any] | None) -> tuple[Any, list[Violation]]:
        """Return the typed output of a slot prompt; its model may reject values that meet the schema."""
        from promptpack.verdict.slot_output import read_output

        violations: list[Violation] = []
        scope = None if values is None else {**values, "pack": self._pack._about}
        return read_output(self._contract.output, value, scope, violations), violations

    def _refuse(self, reading: Reading, secrets: Secrets, violations: Sequence[Violation], claims: Claims) -> Verdict:
        # A reply may repeat a secret, and violations are logged.
        shown = tuple(_hide(found, secrets) for found in violations)
        claimed, expected = [_hide(found, secrets) for found in claims[0]], claims[1]
        correction = secrets.hide(write_correction(self._pack, self._contract, claimed, expected))
        summary = "; ".join(str(violation) for violation in shown[:5])
        return Verdict(
            "invalid" if reading.ok else reading.outcome,
            data=reading.value,
            violations=shown,
            repairs=reading.repairs,
            readings=reading.readings,
            correction=correction,
            error_output=error_output("parse_error", summary, correction),
            attempt=_attempt(reading, violations),
        )


def schema_of(pack: Pack, values: Mapping[str, Any] | None, prompt: Prompt | None = None) -> Schema:
    """Return the schema that replies must meet, with the tools in the context, which a prompt has read already."""
    contract = _contract_of(pack)
    if prompt is not None and prompt.pack is pack and prompt.tools is not None:
        return prompt.tools.schema
    if values is None or not contract.tools_input:
        return contract.schema
    return find_tool_set(pack, contract, values).schema


def shape_of(schema: Schema) -> Shape:
    """Return the shape of a schema; cached as long as the schema, because the shape caches its own results too."""
    shape = _SHAPES.get(schema)
    if shape is None:
        shape = _SHAPES[schema] = Shape.of(schema.source)
    return shape


def _contract_of(pack: Pack) -> Contract:
    if pack.contract is None:
        raise UsageError(Problem("PP530", f"{pack.label} declares no reply contract", None, "add 'reply:' to the pack"))
    return pack.contract


def _extras(value: Any, schema: Schema) -> tuple[str, ...]:
    return replies.find_extras(value, shape_of(schema))


def _read(raw: str | bytes, check: SchemaCheck, contract: Contract, options: JudgeOptions, echo: PromptEcho) -> Reading:
    policy = _DEFAULT_POLICY
    if options.strict or options.refuse or contract.refuse:
        policy = ReadingPolicy(strict=options.strict, refuse=contract.refuse | frozenset(options.refuse))
    shape = shape_of(check.schema)
    reading = replies.read(raw, shape, check, policy=policy, finish_reason=options.finish_reason, echo=echo)
    attempt = options.after.attempt if options.after is not None else None
    if attempt is None or (reading.ok and not replies.is_partial_answer(attempt, reading.value)):
        return reading
    merged = None
    if reading.outcome != "no_answer":
        merged = replies.merge(attempt, raw, shape, check, policy=policy, finish_reason=options.finish_reason)
    # If the answer is unreadable, the next answer may still complete the attempt.
    return merged or (reading if reading.ok else reading._replace(attempt=reading.attempt or attempt))


def _attempt(reading: Reading, violations: Sequence[Violation]) -> Attempt | None:
    """Return the object that an answer may complete: the one that could be read, or the one that violates a rule."""
    if not reading.ok or not isinstance(reading.value, dict):
        return reading.attempt
    broken = tuple(replies.Fault(found.rule, found.path, found.message, found.offset) for found in violations)
    return Attempt(reading.value, broken, reading.repairs)


def _hide(found: Violation, secrets: Secrets) -> Violation:
    message, path = (escape_surrogates(secrets.hide(text)) for text in (found.message, found.path))
    return replace(found, message=message, path=path)


def _violation(found: replies.Fault) -> Violation:
    return Violation(code_of(found.rule), found.path, found.message, found.rule, found.offset)
