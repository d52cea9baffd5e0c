"""The records of reading a reply: faults, repairs, the policy, the attempt and the result."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

Outcome = Literal["valid", "recovered", "ambiguous", "truncated", "no_answer", "invalid"]
Risk = Literal["none", "low", "medium"]
EditKind = Literal["text", "set", "rename", "remove", "unwrap"]


@dataclass(frozen=True, slots=True)
class Fault:
    """One reason to refuse a reply, and its offset in the raw text; the path of a missing field names that field."""

    rule: str
    path: str
    message: str
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class Repair:
    """One change: `edit` says whether it applies to a span of the raw text or to a path of the parsed value."""

    path: str
    kind: str
    span: tuple[int, int]
    before: Any
    after: Any
    risk: Risk
    edit: EditKind = "text"


@dataclass(frozen=True, slots=True)
class Policy:
    """The repairs that are allowed, and the limits on the size of a reply."""

    strict: bool = False
    refuse: frozenset[str] = field(default_factory=frozenset)
    max_chars: int = 4_000_000
    max_depth: int = 100
    max_nodes: int = 20_000
    max_values: int = 50_000
    max_candidates: int = 200
    max_violations: int = 100

    def find_refused(self, repairs: Sequence[Repair]) -> list[Repair]:
        """Return the repairs whose kind or risk is not allowed."""
        return [one for one in repairs if one.kind in self.refuse or one.risk in self.refuse]


@dataclass(frozen=True, slots=True)
class Attempt:
    """The only object of a refused reply; the answer to a correction may be merged into it.

    The values at the `uncertain` paths have no certain reading: only an answer can replace them.
    """

    value: dict[str, Any]
    violations: tuple[Fault, ...]
    repairs: tuple[Repair, ...] = ()
    uncertain: frozenset[str] = frozenset()


class Reading(NamedTuple):
    """The result of reading one reply: the object it means, or the faults that make it unusable."""

    outcome: Outcome
    value: Any = None
    repairs: tuple[Repair, ...] = ()
    violations: tuple[Fault, ...] = ()
    readings: tuple[Any, ...] = ()
    attempt: Attempt | None = None

    @property
    def ok(self) -> bool:
        """Whether the reply has exactly one meaning that meets the contract."""
        return self.outcome in ("valid", "recovered")
