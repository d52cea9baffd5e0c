"""`Budget`, `Fit` and `MessageChange`: what may be spent, what is left of the messages, and what gave way."""

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
    """How much the messages may take, and what gives way first."""

    limit: int
    unit: Unit = "tokens"
    order: tuple[Way, ...] = WAYS
    step: int | None = None
    """History goes in blocks of at least this size, in the budget's unit; an eighth of the limit unless given."""
    keep_newest: int = 1
    """So many of the newest history messages never go."""
    shortest: int = 200
    """No observation is cut to fewer characters."""
    ellipsis: str = "..."
    """What ends a cut observation."""
    per_message: int = 0
    """What a message costs beside its text."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "order", tuple(self.order))
        problems = list(_problems(self))
        if problems:
            raise ContextError(problems)

    @property
    def block(self) -> int:
        """The least size of a block of history that goes."""
        return self.step or max(self.limit // 8, 1)


@dataclass(frozen=True, slots=True)
class MessageChange:
    """One message that was dropped or cut; `position` counts from 0 in the messages that were given."""

    position: int
    role: str
    action: Literal["dropped", "cut"]
    way: Way
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Fit(Generic[M]):
    """The messages that fit, and what it took."""

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
    """Read the `budget` of a pack: `tokens` or `characters`, and what is to `give_way`."""
    given = [unit for unit in UNITS if unit in settings]
    if len(given) != 1:
        raise ContextError(Problem("PP436", "a budget has either 'tokens' or 'characters'", hint="give one of the two"))
    unit = given[0]
    return Budget(settings[unit], unit, tuple(settings.get("give_way", WAYS)))


def _problems(budget: Budget) -> Iterator[Problem]:
    if budget.limit < 1:
        yield Problem("PP436", f"a budget of {budget.limit} holds nothing", hint="give a limit of at least 1")
    if budget.unit not in UNITS:
        hint = did_you_mean(budget.unit, UNITS) or f"one of {', '.join(UNITS)}"
        yield Problem("PP436", f"{budget.unit!r} is no unit of a budget", hint=hint)
    for way in budget.order:
        if way not in WAYS:
            hint = did_you_mean(way, WAYS) or f"one of {', '.join(WAYS)}"
            yield Problem("PP436", f"{way!r} is nothing that can give way", hint=hint)
    if min(budget.step or 1, budget.shortest, budget.keep_newest + 1, budget.per_message + 1) < 1:
        message = "step and shortest of a budget are at least 1, keep_newest and per_message at least 0"
        yield Problem("PP436", message)


def _line(change: MessageChange) -> str:
    what = f"{change.action} message {change.position} ({change.role})"
    return f"{what}, {change.way}: {change.before:,} -> {change.after:,}"
