"""Problems, with a message, a location and a hint, and the exceptions that carry them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final, Literal

Severity = Literal["error", "warning", "note"]
SEVERITIES = ("error", "warning", "note")
# Comparing words is slow: of more words, and of longer ones, only the start is compared.
MAX_KNOWN: Final = 500
_MAX_WORD: Final = 64
_MIN_ABBREVIATION: Final = 4
# A tag, a name in single braces, a quoted text, or a word.
_WORD: Final = re.compile(r"""\$?\{\w+\}|\{[{%\#](?:.*?[}%\#]\})?|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|\w+|\S""")
_SUGGESTION: Final = re.compile(r"did you mean '([^']+)'\?")


@dataclass(frozen=True, order=True)
class Location:
    """A position in a file; lines and columns count from 1, and line 0 means the whole file.

    The end is after the last character of the word or value; 0 means that it is unknown. Comparisons ignore it.

    `path` is the file, `line` and `column` are the start, and `end_line` and `end_column` the end.
    """

    path: str
    line: int = 0
    column: int = 0
    end_line: int = field(default=0, compare=False)
    end_column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        if not self.line:
            return self.path
        return f"{self.path}:{self.line}:{self.column}"

    @property
    def end(self) -> tuple[int, int]:
        """The line and column of the end; those of the start if it is unknown."""
        return self.end_line or self.line, self.end_column or self.column

    def _with_word(self, text: str, offset: int) -> "Location":
        """Return the location with the end of the word, quoted text or tag at an offset of a text."""
        word = _WORD.match(text, offset)
        return replace(self, end_line=self.line, end_column=self.column + (len(word[0]) if word else 0))


@dataclass(frozen=True)
class Problem:
    """One problem, from any stage.

    `code` is stable, such as PP301; `message` says what is wrong, `location` where, and `hint` what to try next.
    `severity` says how bad it is.
    """

    code: str
    message: str
    location: Location | None = None
    hint: str = ""
    severity: Severity = "error"

    def __str__(self) -> str:
        place = f"{self.location}: " if self.location else ""
        hint = f"\n  hint: {self.hint}" if self.hint else ""
        return f"{place}{self.code} {self.message}{hint}"


def as_data(problem: Problem) -> dict[str, Any]:
    """Return a problem as plain data."""
    place = problem.location or Location("")
    return {
        "code": problem.code,
        "severity": problem.severity,
        "message": problem.message,
        "hint": problem.hint,
        "path": place.path,
        "line": place.line,
        "column": place.column,
        "end_line": place.end[0],
        "end_column": place.end[1],
    }


class PromptpackError(Exception):
    """Carries one or more problems; the subclass says who must act.

    `problems` is one problem or several; the attribute is always a tuple.
    """

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[type, tuple[tuple[Problem, ...]]]:
        return type(self), (self.problems,)


class PackError(PromptpackError):
    """The author of the pack must act."""


class ContextError(PromptpackError):
    """The caller must act: the context is wrong."""


class ReplyError(PromptpackError):
    """The model must act: its reply does not meet the contract."""


class UsageError(PromptpackError):
    """The caller must act: the request is unknown or unsupported."""


class MissingExtraError(PromptpackError):
    """The installer must act: an optional package is missing."""


def did_you_mean(word: str, known: Iterable[str], *, quote: bool = True) -> str:
    """Return a hint with the nearest known word, or an empty text if no word is near."""
    near = nearest(word, known)
    if near is None:
        return ""
    return f"did you mean {near!r}?" if quote else f"did you mean {near}?"


def suggested_word(hint: str) -> str:
    """Return the word that a hint suggests, or an empty text."""
    found = _SUGGESTION.match(hint)
    return found[1] if found else ""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that `word` most likely misspells, or None."""
    from difflib import get_close_matches

    folded: dict[str, str] = {}
    for name in islice(known, MAX_KNOWN):
        folded.setdefault(name[:_MAX_WORD].casefold(), name)
    wanted = word[:_MAX_WORD].casefold()
    # Swapped letters are the most likely typo: "fro" means "for", not "from".
    swapped = (name for name in folded if len(name) == len(wanted) and sorted(name) == sorted(wanted))
    # Then an abbreviation: "desc" means "description", not "$defs".
    longer = (name for name in folded if len(wanted) >= _MIN_ABBREVIATION and name.startswith(wanted))
    close = next(swapped, None) or next(longer, None)
    parts = [name for name in folded if len(wanted) >= _MIN_ABBREVIATION and wanted in name.split("_")]
    close = close or (parts[0] if len(parts) == 1 else None)
    close = close or next(iter(get_close_matches(wanted, folded, n=1, cutoff=0.6)), None)
    return None if close is None else folded[close]
