"""The `Verdict`: a typed output, or the violations of a reply and a correction to send back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from types import MappingProxyType
from typing import Any, Final, Literal

from promptpack.frozen import create
from promptpack.lazy import cached_property
from promptpack.problem import Problem, ReplyError
from promptpack.prompt.message import ToolCall
from promptpack.reply import RISKS, Attempt, Reading, Repair
from promptpack.verdict.output import AgentOutput, copy_plain

Outcome = Literal["valid", "recovered", "ambiguous", "truncated", "no_answer", "invalid", "tool_call"]
_OTHER_CODE: Final = "PP519"
_RULES: Final = {
    "PP501": ("no_json", "empty"),
    "PP502": ("ambiguous", "multiple"),
    "PP503": ("truncated",),
    "PP504": ("duplicate",),
    "PP505": ("non_finite", "number"),
    "PP506": ("elided",),
    "PP507": ("limit", "size", "depth", "nodes", "candidates"),
    "PP508": ("wrapped", "repair", "unclosed"),
    "PP509": ("syntax", "encoding", "surrogate"),
    "PP510": ("required",),
    "PP511": ("type",),
    "PP512": ("enum", "const"),
    "PP513": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    "PP514": ("pattern",),
    "PP515": ("minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"),
    "PP516": ("additionalProperties", "unevaluatedProperties"),
    "PP517": ("echo",),
    "PP518": ("refused",),
    "PP520": ("rule",),
    "PP521": ("rule_error",),
}
VIOLATION_CODES: Final[Mapping[str, str]] = MappingProxyType(
    {rule: code for code, rules in _RULES.items() for rule in rules}
)


def code_of(rule: str) -> str:
    """Return the stable code of a schema keyword, or of a fault in reading a reply."""
    return VIOLATION_CODES.get(rule, _OTHER_CODE)


RULE_CODES: Final = (code_of("rule"), code_of("rule_error"))
"""The codes of violations whose `rule` is the name of a rule of the pack."""


def name_code(code: str) -> str:
    """Return a code with the first words of its meaning, for people."""
    words = [rule for rule, known in VIOLATION_CODES.items() if known == code]
    return f"{code} {', '.join(words[:2])}{', ...' if len(words) > 2 else ''}".rstrip()


@dataclass(frozen=True, slots=True)
class Violation:
    """One violation of the contract; `rule` is the schema keyword, or the name of a rule of the pack.

    `code` is stable, such as PP510, `path` is the JSON pointer of the wrong value, `message` says what is wrong, and
    `offset` is the position in the text of the reply, if it is known.
    """

    code: str
    path: str
    message: str
    rule: str
    offset: int | None = None

    def __str__(self) -> str:
        return f"{self.code} {self.path or '(reply)'}: {self.message}"


@dataclass(frozen=True, slots=True)
class RepairSummary:
    """All repairs of one kind: how many, and their highest risk."""

    kind: str
    count: int
    risk: str

    def __str__(self) -> str:
        return f"{self.kind} ({f'{self.count} times, ' if self.count > 1 else ''}risk {self.risk})"


class _Copied:
    """A field that returns a copy of its value, which is plain data, so that nobody can change the original."""

    def __init__(self, default: Any) -> None:
        self._default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, verdict: "Verdict | None", owner: type) -> Any:
        if verdict is None:
            return self._default
        return copy_plain(verdict.__dict__.get(self._name, self._default))

    def __set__(self, verdict: "Verdict", value: Any) -> None:
        verdict.__dict__[self._name] = value


@dataclass(frozen=True)
class Verdict:
    """The result of checking a reply: a typed output, or violations and a correction to send back.

    A verdict is true if the reply meets the contract. A refused reply has an `attempt`, so that the answer to the
    correction may send only the corrected fields.

    `make_output` and `find_extras` compute `output` and `extras` when they are first read.
    """

    outcome: Outcome
    """How the reply was read: `valid`, or `recovered` after repairs, or `tool_call`, or why it is unusable."""
    data: Any = _Copied(None)
    """A copy of the reply as plain data; None if it could not be read."""
    violations: tuple[Violation, ...] = ()
    """The violations of the contract; empty if the reply is accepted."""
    repairs: tuple[Repair, ...] = ()
    """The changes that were necessary to read the reply."""
    readings: tuple[Any, ...] = _Copied(())  # type: ignore[assignment]  # a descriptor
    """The possible meanings of an ambiguous reply."""
    unchecked: tuple[str, ...] = ()
    """The names of the rules that were skipped because an input is missing."""
    is_echo: bool = False
    """Whether the output repeats an example of the prompt."""
    correction: str = ""
    """The message to send back to the model, in the language of the pack; empty if the reply is accepted."""
    error_output: AgentOutput | None = None
    """A standard `ERROR` output for an orchestrator to route; None if the reply is accepted."""
    tool_calls: tuple[ToolCall, ...] = ()
    """The native tool calls of a response, with the outcome `tool_call`."""
    attempt: Attempt | None = field(default=None, repr=False)
    make_output: Callable[[], Any] | None = field(default=None, repr=False, compare=False)
    """Creates `output`; None if the output is the data itself."""
    find_extras: Callable[[], tuple[str, ...]] = field(default=tuple, repr=False, compare=False)

    @cached_property
    def output(self) -> AgentOutput:
        """The accepted reply as typed data; None if it is refused, or if it calls tools.

        Contracts other than `agent-output` have other types: plain data, or the model of a slot prompt.
        """
        if self.violations or self.tool_calls:
            return None  # type: ignore[return-value]  # after `if verdict:` users need not ask for None again
        return self.data if self.make_output is None else self.make_output()  # type: ignore[no-any-return]

    @cached_property
    def extras(self) -> tuple[str, ...]:
        """The pointers of unknown keys; they stay in the data."""
        return self.find_extras()

    def __hash__(self) -> int:
        return hash((self.outcome, self.violations, self.correction))

    def __deepcopy__(self, memo: object) -> "Verdict":
        return self

    def __getstate__(self) -> dict[str, Any]:
        # The functions refer to the pack; a copy has functions that return their results. The class of a slot prompt's
        # output exists only here, so its output becomes plain data.
        state = {one.name: getattr(self, one.name) for one in fields(self)}
        output = partial(same, self.output) if isinstance(self.output, AgentOutput) else None
        return state | {"make_output": output, "find_extras": partial(same, self.extras)}

    def __repr__(self) -> str:
        # Without the data: a reply may repeat secrets of its prompt, and a repr may be logged.
        codes = "".join(f", {code}" for code in dict.fromkeys(found.code for found in self.violations))
        return f"Verdict({self.outcome}{codes})"

    def __bool__(self) -> bool:
        return self.ok

    @property
    def ok(self) -> bool:
        """Whether the reply meets the contract."""
        return not self.violations

    @property
    def summary(self) -> tuple[RepairSummary, ...]:
        """The repairs by kind, in the order in which the kinds first occur."""
        risks: dict[str, list[int]] = {}
        for repair in self.repairs:
            risks.setdefault(repair.kind, []).append(RISKS.index(repair.risk))
        return tuple(RepairSummary(kind, len(found), RISKS[max(found)]) for kind, found in risks.items())

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain data, which JSON can store; `schemas/verdict.schema.json` describes it."""
        from promptpack.verdict.stored_verdict import write_verdict

        return write_verdict(self)

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> "Verdict":
        """Return the verdict that `to_dict` wrote as `data`; the output of a slot prompt comes back as plain data."""
        from promptpack.verdict.stored_verdict import read_verdict

        return read_verdict(data)

    def raise_for_failure(self) -> None:
        """Raise a `ReplyError` with the violations, if there are any."""
        if self.violations:
            problems = [Problem(found.code, f"{found.path or 'reply'}: {found.message}") for found in self.violations]
            raise ReplyError(problems)


def accept(
    reading: Reading, unchecked: tuple[str, ...], make_output: Callable[[], Any] | None, find_extras: Callable[[], Any]
) -> Verdict:
    """Return the verdict on a reply that meets the contract."""
    return create(
        Verdict,
        outcome=reading.outcome,
        data=reading.value,
        repairs=reading.repairs,
        unchecked=unchecked,
        is_echo=reading.is_echo,
        make_output=make_output,
        find_extras=find_extras,
    )


def same(value: Any) -> Any:
    """Return a value that is known already, where a function is expected."""
    return value
