"""The `Verdict`: a typed output, or the violations of a reply and a correction to send back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from promptpack.lazy import cached_property
from promptpack.problem import Problem, ReplyError
from promptpack.reply import Attempt, Repair
from promptpack.verdict.output import AgentOutput

_OTHER_CODE: Final = "PP519"
VIOLATION_CODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "no_json": "PP501",
        "empty": "PP501",
        "echo": "PP517",
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
    """Return the stable code of a schema keyword, or of a fault in reading a reply."""
    return VIOLATION_CODES.get(rule, _OTHER_CODE)


@dataclass(frozen=True, slots=True)
class Violation:
    """One violation of the contract; `rule` is the schema keyword, or the name of a rule of the pack."""

    code: str
    path: str
    message: str
    rule: str
    offset: int | None = None

    def __str__(self) -> str:
        return f"{self.code} {self.path or '(reply)'}: {self.message}"


@dataclass(frozen=True)
class Verdict:
    """The result of checking a reply: a typed output, or violations and a correction to send back.

    A refused reply has an `attempt`, so that the answer to the correction may send only the corrected fields.
    """

    outcome: str
    data: Any = None
    violations: tuple[Violation, ...] = ()
    repairs: tuple[Repair, ...] = ()
    readings: tuple[Any, ...] = ()
    unchecked: tuple[str, ...] = ()
    is_echo: bool = False
    """Whether the output repeats an example of the prompt."""
    correction: str = ""
    error_output: "AgentOutput | None" = None
    attempt: Attempt | None = field(default=None, repr=False)
    make_output: Callable[[], Any] | None = field(default=None, repr=False, compare=False)
    """Creates `output`; None if the output is the data itself."""
    find_extras: Callable[[], tuple[str, ...]] = field(default=tuple, repr=False, compare=False)

    @cached_property
    def output(self) -> Any:
        """The reply as typed data; None if it is refused."""
        if self.violations:
            return None
        return self.data if self.make_output is None else self.make_output()

    @cached_property
    def extras(self) -> tuple[str, ...]:
        """The pointers of unknown keys; they stay in the data."""
        return self.find_extras()

    def __getstate__(self) -> dict[str, Any]:
        # The functions refer to the pack; a copy has functions that return their results.
        output = None if self.make_output is None else partial(_same, self.output)
        return self.__dict__ | {"make_output": output, "find_extras": partial(_same, self.extras)}

    @property
    def ok(self) -> bool:
        """Whether the reply meets the contract."""
        return not self.violations

    def raise_for_failure(self) -> None:
        """Raise a `ReplyError` with the violations, if there are any."""
        if self.violations:
            problems = [Problem(found.code, f"{found.path or 'reply'}: {found.message}") for found in self.violations]
            raise ReplyError(problems)


def _same(value: Any) -> Any:
    return value
