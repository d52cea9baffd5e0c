"""The records of reading a reply: faults, repairs, the policy, the attempt and the result."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from promptpack.reply.syntax_tree import is_same

ReadingOutcome = Literal["valid", "recovered", "ambiguous", "truncated", "no_answer", "invalid"]
RepairRisk = Literal["none", "low", "medium", "high"]
# A shorter line may be in any reply.
_MIN_LINE = 12
# The rules of faults for repairs that are not allowed; "repair" for all others.
_REFUSED = {"missing-end": "unclosed"}
EditKind = Literal["text", "set", "rename", "remove", "unwrap"]


@dataclass(frozen=True, slots=True)
class Fault:
    """One reason to refuse a reply, and its offset in the raw text; the path of a missing field names that field."""

    rule: str
    path: str = field(repr=False)  # like the message, it may quote the reply
    message: str = field(repr=False)
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class Repair:
    """One change: `edit` says whether it applies to a span of the raw text or to a path of the parsed value.

    `missing` has the pointers of optional keys that the end of the reply may have cut off.
    """

    path: str = field(repr=False)  # like `before` and `after` a part of the reply, which may repeat a secret
    kind: str
    span: tuple[int, int]
    before: Any = field(repr=False)
    after: Any = field(repr=False)
    risk: RepairRisk
    edit: EditKind = "text"
    missing: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class PromptEcho:
    """The parts of a prompt that a model may repeat: the examples of answers, and the text."""

    examples: tuple[Any, ...] = ()
    read_text: Callable[[], str] = str

    def has_example(self, value: Any) -> bool:
        """Return whether a value is one of the examples."""
        return value in self.examples and any(is_same(value, example) for example in self.examples)

    def has_text(self, text: str) -> bool:
        """Return whether a text is part of the prompt."""
        return text in self.read_text()

    def has_line(self, text: str) -> bool:
        """Return whether a text and the prompt have a long line in common."""
        lines = {line.strip() for line in text.splitlines() if len(line) >= _MIN_LINE}
        return any(line.strip() in lines for line in self.read_text().splitlines() if len(line) >= _MIN_LINE)


@dataclass(frozen=True, slots=True)
class ReadingPolicy:
    """The repairs that are allowed, and the limits on the size of a reply."""

    strict: bool = False
    refuse: frozenset[str] = field(default_factory=frozenset)
    max_chars: int = 4_000_000
    max_depth: int = 100
    max_nodes: int = 20_000
    max_values: int = 50_000
    max_candidates: int = 200
    max_violations: int = 100

    def find_refused(self, repairs: Sequence[Repair]) -> list[Fault]:
        """Return a fault for each repair whose kind or risk is not allowed."""
        return [
            Fault(_REFUSED.get(one.kind, "repair"), one.path, f"the repair {one.kind!r} is not allowed", one.span[0])
            for one in repairs
            if one.kind in self.refuse or one.risk in self.refuse
        ]


@dataclass(frozen=True, slots=True)
class Attempt:
    """The only object of a refused reply; the answer to a correction may be merged into it.

    The values at the `uncertain` paths have no certain reading: only an answer can replace them.
    """

    value: dict[str, Any] = field(repr=False)
    violations: tuple[Fault, ...]
    repairs: tuple[Repair, ...] = ()
    uncertain: frozenset[str] = field(default=frozenset(), repr=False)


class Reading(NamedTuple):
    """The result of reading one reply: the object it means, or the faults that make it unusable."""

    outcome: ReadingOutcome
    value: Any = None
    repairs: tuple[Repair, ...] = ()
    violations: tuple[Fault, ...] = ()
    readings: tuple[Any, ...] = ()
    attempt: Attempt | None = None
    is_echo: bool = False

    @property
    def ok(self) -> bool:
        """Whether the reply has exactly one meaning that meets the contract."""
        return self.outcome in ("valid", "recovered")
