"""What a reading of a reply is made of: findings, repairs, violations, the policy and the verdict."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

Outcome = Literal["valid", "recovered", "ambiguous", "truncated", "no_answer", "invalid"]
Risk = Literal["none", "low", "medium"]
EditKind = Literal["text", "set", "rename", "remove", "unwrap"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One breach of the contract, as the check sees it; a missing field's path is the field's own."""

    rule: str
    path: str
    message: str


@dataclass(frozen=True, slots=True)
class Violation:
    """Why a reply is refused, and where in the raw text."""

    rule: str
    path: str
    message: str
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class Repair:
    """One change: a text edit on a span of the raw reply, or an edit by path on the parsed value."""

    path: str
    kind: str
    span: tuple[int, int]
    before: Any
    after: Any
    risk: Risk
    edit: EditKind = "text"


@dataclass(frozen=True, slots=True)
class Policy:
    """How much may be repaired, and how large a reply may be."""

    strict: bool = False
    refuse: frozenset[str] = field(default_factory=frozenset)
    max_chars: int = 4_000_000
    max_depth: int = 100
    max_nodes: int = 20_000
    max_values: int = 50_000
    max_candidates: int = 200
    max_violations: int = 100

    def refused(self, repairs: Sequence[Repair]) -> list[Repair]:
        """Give the repairs that are not allowed, by their kind or by their risk."""
        return [one for one in repairs if one.kind in self.refuse or one.risk in self.refuse]


@dataclass(frozen=True, slots=True)
class Attempt:
    """The one object that a refused reply holds, which the answer to a correction may mend in parts.

    What stands at the `marked` paths could not be read for certain: only an answer settles it.
    """

    value: dict[str, Any]
    violations: tuple[Violation, ...]
    repairs: tuple[Repair, ...] = ()
    marked: frozenset[str] = frozenset()


class Reading(NamedTuple):
    """The verdict on one reply: the object it means, or why it means none."""

    outcome: Outcome
    value: Any = None
    repairs: tuple[Repair, ...] = ()
    violations: tuple[Violation, ...] = ()
    readings: tuple[Any, ...] = ()
    attempt: Attempt | None = None

    @property
    def ok(self) -> bool:
        """Say whether the reply has exactly one meaning that meets the contract."""
        return self.outcome in ("valid", "recovered")
