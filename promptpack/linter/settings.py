"""Which rules are asked, and how seriously they are taken: from the caller, `promptpack.toml` or `pyproject.toml`."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

from promptpack import files
from promptpack.linter.catalogue import RULES, find_rules, instead_of
from promptpack.linter.rule import Rule
from promptpack.problem import SEVERITIES, Location, Problem, Severity, UsageError, did_you_mean

_FILES = ("promptpack.toml", "pyproject.toml")
_KEYS = ("select", "ignore", "severity", "per-file-ignores")


@dataclass(frozen=True, slots=True)
class Settings:
    """Selectors are codes, the beginnings of codes, or names of rules; nothing selected means all rules."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity] = field(default_factory=dict)
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    path: str = ""

    def __post_init__(self) -> None:
        named = (
            *self.select,
            *self.ignore,
            *self.severity,
            *(word for one in self.per_file_ignores.values() for word in one),
        )
        problems = [unknown_rule(word) for word in dict.fromkeys(named) if not find_rules(word)]
        if problems:
            raise UsageError(problems)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that are asked, in the order of the catalogue."""
        chosen = _matching(self.select) if self.select else set(_codes(RULES))
        return tuple(rule for rule in RULES if rule.CODE in chosen - _matching(self.ignore))

    def severity_of(self, rule: Rule, own: Severity | None = None) -> Severity:
        """How seriously a rule is taken: the longest selector that names it decides, or else its own word."""
        fitting = [selector for selector in self.severity if rule in find_rules(selector)]
        exact = max(fitting, key=lambda selector: (selector == rule.NAME, len(selector)), default=None)
        return own or rule.SEVERITY if exact is None else self.severity[exact]

    def ignored_in(self, path: str) -> set[str]:
        """The codes that are not wanted for one file."""
        if not self.per_file_ignores:
            return set()
        seen = files.relative_to_file(path, self.path) if self.path else path
        return {
            code
            for pattern, words in self.per_file_ignores.items()
            if fnmatchcase(seen, pattern)
            for code in _matching(words)
        }

    def narrowed(self, select: Iterable[str], ignore: Iterable[str]) -> "Settings":
        """Lay what a caller asks for over these settings: another selection, and more to ignore."""
        return replace(self, select=tuple(select) or self.select, ignore=(*self.ignore, *ignore))


def find_settings(start: str) -> Settings:
    """Find the settings for a folder: the nearest file above it that has any."""
    for path in files.find_upwards(start, *_FILES):
        text = files.read(path).decode("utf-8", "surrogateescape")
        table = _table(path, text)
        if table is not None:
            return _read(table, path, text)
    return Settings()


def _table(path: str, text: str) -> Any:
    try:
        data: Any = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(Problem("PP911", f"cannot be read as TOML: {error}", Location(path))) from error
    own_file = path.endswith(_FILES[0])
    for key in () if own_file else ("tool", "promptpack"):
        data = data.get(key) if isinstance(data, dict) else None
    return data if data is None or isinstance(data, dict) else {"": data}


def _read(table: Mapping[str, Any], path: str, text: str) -> Settings:
    lines = text.split("\n")
    problems = list(_wrong_keys(table, ("lint",), path, lines))
    own = table.get("lint", {})
    if not isinstance(own, dict):
        raise UsageError([*problems, _wrong_value("lint", "a table", path, lines)])
    problems += _wrong_keys(own, _KEYS, path, lines)
    problems += _wrong_values(own, path, lines)
    if problems:
        raise UsageError(problems)
    try:
        return Settings(
            tuple(own.get("select", ())),
            tuple(own.get("ignore", ())),
            own.get("severity", {}),
            {pattern: tuple(words) for pattern, words in own.get("per-file-ignores", {}).items()},
            path,
        )
    except UsageError as error:
        raise UsageError(
            replace(problem, location=_place(problem.message.split("'")[1], path, lines)) for problem in error.problems
        ) from error


def _wrong_keys(table: Mapping[str, Any], known: Iterable[str], path: str, lines: list[str]) -> Iterator[Problem]:
    for key in table:
        if key not in known:
            hint = did_you_mean(key, known) or f"there are {', '.join(known)}"
            yield Problem("PP912", f"no lint setting {key!r}", _place(key, path, lines), hint)


def _wrong_values(own: Mapping[str, Any], path: str, lines: list[str]) -> Iterator[Problem]:
    for key in ("select", "ignore"):
        if key in own and not _is_words(own[key]):
            yield _wrong_value(key, "a list of codes or names of rules", path, lines)
    severity = own.get("severity", {})
    if (
        not isinstance(severity, dict)
        or any(value not in SEVERITIES for value in severity.values() if isinstance(value, str))
        or any(not isinstance(value, str) for value in severity.values())
    ):
        yield _wrong_value("severity", f"a table of rules with one of {', '.join(SEVERITIES)}", path, lines)
    ignores = own.get("per-file-ignores", {})
    if not isinstance(ignores, dict) or not all(_is_words(words) for words in ignores.values()):
        yield _wrong_value("per-file-ignores", "a table of file patterns with lists of codes", path, lines)


def _is_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


def _wrong_value(key: str, wanted: str, path: str, lines: list[str]) -> Problem:
    return Problem("PP913", f"lint setting {key!r} is not {wanted}", _place(key, path, lines))


def _place(word: str, path: str, lines: list[str]) -> Location:
    """Find a word in the file: TOML's reader gives no places."""
    for index, line in enumerate(lines):
        column = line.find(word)
        if column >= 0 and not line.lstrip().startswith("#"):
            return Location(path, index + 1, column + 1)
    return Location(path)


def unknown_rule(word: str) -> Problem:
    """Say that a selector names no rule."""
    return Problem("PP914", f"no rule {word!r}", None, instead_of(word))


def _matching(selectors: Iterable[str]) -> set[str]:
    return {code for selector in selectors for code in _codes(find_rules(selector))}


def _codes(rules: Iterable[Rule]) -> Iterator[str]:
    return (rule.CODE for rule in rules)
