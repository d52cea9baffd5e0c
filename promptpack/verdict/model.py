"""The `Verdict`: a typed output, or what is wrong with the reply and what to send back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from promptpack.late import LateField
from promptpack.problem import Problem, ReplyError
from promptpack.reply import Attempt, Repair

if TYPE_CHECKING:
    from promptpack.verdict.output import AgentOutput

_OTHER_KEYWORD: Final = "PP519"
CODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "no_json": "PP501",
        "empty": "PP501",
        "ambiguous": "PP502",
        "multiple": "PP502",
        "truncated": "PP503",
        "duplicate": "PP504",
        "non_finite": "PP505",
        "number": "PP505",
        "elided": "PP506",
        "limit": "PP507",
        "size": "PP507",
        "depth": "PP507",
        "nodes": "PP507",
        "candidates": "PP507",
        "wrapped": "PP508",
        "repair": "PP508",
        "syntax": "PP509",
        "encoding": "PP509",
        "surrogate": "PP509",
        "required": "PP510",
        "type": "PP511",
        "enum": "PP512",
        "const": "PP512",
        "minimum": "PP513",
        "maximum": "PP513",
        "exclusiveMinimum": "PP513",
        "exclusiveMaximum": "PP513",
        "multipleOf": "PP513",
        "pattern": "PP514",
        "minLength": "PP515",
        "maxLength": "PP515",
        "minItems": "PP515",
        "maxItems": "PP515",
        "uniqueItems": "PP515",
        "minProperties": "PP515",
        "maxProperties": "PP515",
        "additionalProperties": "PP516",
        "unevaluatedProperties": "PP516",
        "rule": "PP520",
        "rule_error": "PP521",
    }
)


def code_of(rule: str) -> str:
    """Give the stable code of a schema keyword or of a trouble with reading."""
    return CODES.get(rule, _OTHER_KEYWORD)


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that is wrong with a reply; `rule` is the keyword or the name of the pack's rule."""

    code: str
    path: str
    message: str
    rule: str
    offset: int | None = None

    def __str__(self) -> str:
        return f"{self.code} {self.path or '(reply)'}: {self.message}"


@dataclass(frozen=True)
class Verdict:
    """What a reply is worth; a refused one keeps the `attempt` that an answer to its correction may mend in parts.

    `extras` are the pointers of keys that the contract does not know: they are kept in the data, and nothing more.
    """

    outcome: str
    output: Any = LateField()  # noqa: RUF009 -- the descriptor of the field
    data: Mapping[str, Any] | None = None
    violations: tuple[Violation, ...] = ()
    repairs: tuple[Repair, ...] = ()
    readings: tuple[Any, ...] = ()
    unchecked: tuple[str, ...] = ()
    correction: str = ""
    error_output: "AgentOutput | None" = None
    attempt: Attempt | None = field(default=None, repr=False)
    extras: tuple[str, ...] = LateField(())  # type: ignore[assignment]

    @classmethod
    def accept(cls, data: Any, output: Any, extras: Any) -> "Verdict":
        """Make the verdict on a reply that is valid as it stands."""
        # A frozen dataclass would take longer over its fields than the check of a clean reply takes; what is not set
        # here is found on the class.
        verdict = object.__new__(cls)
        fields = verdict.__dict__
        fields["outcome"], fields["data"], fields["output"], fields["extras"] = "valid", data, output, extras
        return verdict

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"output": self.output, "extras": self.extras}

    @property
    def ok(self) -> bool:
        """Whether the reply can be used."""
        return not self.violations

    def raise_for_failure(self) -> None:
        """Raise a `ReplyError` with the violations, if there are any."""
        if self.violations:
            problems = [Problem(found.code, f"{found.path or 'reply'}: {found.message}") for found in self.violations]
            raise ReplyError(problems)
