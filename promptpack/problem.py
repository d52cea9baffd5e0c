"""What went wrong, where, and what to do about it: one value, and one family of exceptions that carries it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "note"]
SEVERITIES = ("error", "warning", "note")


@dataclass(frozen=True, order=True)
class Location:
    """A place in a file; lines and columns count from 1, and 0 means the whole file."""

    path: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        if not self.line:
            return self.path
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Problem:
    """One finding, from any stage."""

    code: str
    message: str
    location: Location | None = None
    hint: str = ""
    severity: Severity = "error"

    def __str__(self) -> str:
        place = f"{self.location}: " if self.location else ""
        hint = f"\n  hint: {self.hint}" if self.hint else ""
        return f"{place}{self.code} {self.message}{hint}"


class PromptpackError(Exception):
    """Carries one or more problems; the subclass says who must act."""

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[type, tuple[tuple[Problem, ...]]]:
        return type(self), (self.problems,)


class PackError(PromptpackError):
    """The author of a pack must act."""


class ContextError(PromptpackError):
    """The caller who gave the context must act."""


class ReplyError(PromptpackError):
    """The model must act: its reply does not meet the contract."""


class UsageError(PromptpackError):
    """The caller asked for something that is not there, or in a way that is not supported."""


class MissingExtraError(PromptpackError):
    """Whoever installs must act: an optional package is not there."""


def did_you_mean(word: str, known: Iterable[str], *, quote: bool = True) -> str:
    """Hint at the nearest of the known words, or say nothing when none is near."""
    near = nearest(word, known)
    if near is None:
        return ""
    return f"did you mean {near!r}?" if quote else f"did you mean {near}?"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Find the known word that `word` is most likely a misspelling of."""
    from difflib import get_close_matches

    folded: dict[str, str] = {}
    for name in known:
        folded.setdefault(name.casefold(), name)
    wanted = word.casefold()[:64]
    # Letters in another order are the likeliest slip: "fro" is "for" rather than "from".
    swapped = (name for name in folded if len(name) == len(wanted) and sorted(name) == sorted(wanted))
    close = next(swapped, None) or next(iter(get_close_matches(wanted, folded, n=1, cutoff=0.6)), None)
    return None if close is None else folded[close]
