"""The options of a check: which repairs are allowed, why the model stopped, and which correction the reply answers."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from promptpack import reply as replies
from promptpack.problem import Problem, UsageError, did_you_mean
from promptpack.prompt.value_encoders import is_a
from promptpack.verdict.model import Verdict

_RISKS_HINT: Final = f"the risks are {', '.join(replies.RISKS)}"


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """How to read a reply; `Prompt.check` describes each option."""

    strict: bool = False
    refuse: frozenset[str] = frozenset()
    finish_reason: str | None = None
    after: Verdict | None = None

    def __post_init__(self) -> None:
        known = (*replies.RISKS, *sorted(replies.KINDS))
        problems = [
            Problem("PP531", f"unknown repair or risk {name!r}", None, did_you_mean(name, known) or _RISKS_HINT)
            for name in sorted(self.refuse.difference(known))
        ]
        if self.after is not None and not is_a(self.after, Verdict):
            message = f"'after' is a value of type {type(self.after).__name__!r}, not a verdict"
            problems.append(Problem("PP534", message, None, "pass the last verdict, or Verdict.from_dict(row)"))
        if problems:
            raise UsageError(problems)


DEFAULT_OPTIONS: Final = JudgeOptions()


def choose(strict: bool, refuse: Collection[str], finish_reason: str | None, after: Verdict | None) -> JudgeOptions:
    """Return the options of a call; the same object for a call without options."""
    if strict or refuse or finish_reason is not None or after is not None:
        return JudgeOptions(strict, _read_names(refuse or ()), finish_reason, after)
    return DEFAULT_OPTIONS


def _read_names(refuse: object) -> frozenset[str]:
    """Return the names in a collection; a text alone would be a collection of letters."""
    if isinstance(refuse, str) or not isinstance(refuse, Iterable):
        raise UsageError(Problem("PP531", f"'refuse' is {refuse!r}, not a collection of names", None, _RISKS_HINT))
    return frozenset(map(str, refuse))
