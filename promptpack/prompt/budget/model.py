"""`Budget`, `Fit` and `MessageChange`: the limit, the messages that fit, and the changes that made them fit."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, TypeVar, get_args

from promptpack.problem import ContextError, Problem, did_you_mean

Way = Literal["oldest-history", "longest-observation", "lowest-priority"]
Unit = Literal["tokens", "characters"]

WAYS: Final[tuple[Way, ...]] = get_args(Way)
UNITS: Final[tuple[Unit, ...]] = get_args(Unit)

M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Budget:
    """The maximum size of the messages, and what gives way first.

    `limit` is the maximum size, `unit` is `tokens` or `characters`, and `order` says what gives way first.
    """

    limit: int
    unit: Unit = "tokens"
    order: tuple[Way, ...] = WAYS
    step: int | None = None
    """The minimum size of a dropped block of history, in the budget's unit; by default an eighth of the limit."""
    keep_newest: int = 1
    """The number of newest history messages that are never dropped."""
    shortest: int = 200
    """The minimum length of a cut observation, in characters."""
    ellipsis: str = "..."
    """The text that ends a cut observation."""
    per_message: int = 0
    """The size of a message beyond its text."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "order", tuple(self.order))
        problems = list(_problems(self))
        if problems:
            raise ContextError(problems)

    @property
    def block(self) -> int:
        """The minimum size of a dropped block of history."""
        return self.step or max(self.limit // 8, 1)


@dataclass(frozen=True, slots=True)
class MessageChange:
    """One message that was dropped or cut; `position` is its index in the original messages.

    `role` is the role of the message, `action` what was done, `way` the entry of the budget's order that did it, and
    `before` and `after` are its sizes.
    """

    position: int
    role: str
    action: Literal["dropped", "cut"]
    way: Way
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Fit(Generic[M]):
    """The messages that fit, and the changes that made them fit.

    `messages` are those that fit, and `changes` what was dropped or cut. `before` and `after` are the sizes, `limit` is
    that of the budget, and `measure` says in which unit.
    """

    messages: tuple[M, ...]
    changes: tuple[MessageChange, ...]
    limit: int
    before: int
    after: int
    measure: str

    def __str__(self) -> str:
        total = f"{self.before:,} -> {self.after:,} of {self.limit:,} {self.measure}"
        return "\n".join([total, *(_line(change) for change in self.changes)])


def read_budget(settings: Mapping[str, Any]) -> Budget:
    """Read the `budget` section of a pack: `tokens` or `characters`, and `give_way`."""
    given = [unit for unit in UNITS if unit in settings]
    if len(given) != 1:
        raise ContextError(Problem("PP436", "a budget needs either 'tokens' or 'characters'", hint="set one of them"))
    unit = given[0]
    return Budget(settings[unit], unit, tuple(settings.get("give_way", WAYS)))


def _problems(budget: Budget) -> Iterator[Problem]:
    if budget.limit < 1:
        yield Problem("PP436", f"a budget of {budget.limit} is too small", hint="set a limit of at least 1")
    if budget.unit not in UNITS:
        hint = did_you_mean(budget.unit, UNITS) or f"use one of {', '.join(UNITS)}"
        yield Problem("PP436", f"unknown unit {budget.unit!r} in a budget", hint=hint)
    for way in budget.order:
        if way not in WAYS:
            hint = did_you_mean(way, WAYS) or f"use one of {', '.join(WAYS)}"
            yield Problem("PP436", f"unknown entry {way!r} in the order of a budget", hint=hint)
    if min(budget.step or 1, budget.shortest, budget.keep_newest + 1, budget.per_message + 1) < 1:
        message = "in a budget, 'step' and 'shortest' must be at least 1, 'keep_newest' and 'per_message' at least 0"
        yield Problem("PP436", message)


def _line(change: MessageChange) -> str:
    what = f"{change.action} message {change.position} ({change.role})"
    return f"{what}, {change.way}: {change.before:,} -> {change.after:,}"
