"""Which rules are checked, and with which severity: from the caller, `promptpack.toml` or `pyproject.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from promptpack import files
from promptpack.problem import SEVERITIES, Location, Problem, Severity, UsageError, did_you_mean

if TYPE_CHECKING:
    from promptpack.linter.rule import LintRule

_FILES = ("promptpack.toml", "pyproject.toml")
_KEYS = ("select", "ignore", "severity", "per-file-ignores")


@dataclass(frozen=True, slots=True)
class LintSettings:
    """Which rules are checked, and how severe each is. Selectors are codes, prefixes of codes, or names of rules.

    An empty `select` means all rules. `ignore` has the rules to leave out, and `severity` sets the severity of rules.
    `per_file_ignores` has the rules to leave out for patterns of paths, which are relative to the file `path`.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity] = field(default_factory=dict)
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    path: str = ""

    def __post_init__(self) -> None:
        selectors = (
            *self.select,
            *self.ignore,
            *self.severity,
            *(selector for ignored in self.per_file_ignores.values() for selector in ignored),
        )
        if selectors:
            _refuse_unknown(selectors)

    @property
    def _rules(self) -> tuple[LintRule, ...]:
        """The rules to check, in the order of the catalogue."""
        from promptpack.linter.catalogue import RULES

        chosen = _matching(self.select or ("PL",)) - _matching(self.ignore)
        return tuple(rule for rule in RULES if rule.CODE in chosen)

    def _severity_of(self, rule: LintRule, own: Severity | None = None) -> Severity:
        """Return the severity of a `rule`: from the most specific selector, else `own`, else the rule's default."""
        from promptpack.linter.catalogue import find_rules

        matching = [selector for selector in self.severity if rule in find_rules(selector)]
        best = max(matching, key=lambda selector: (selector == rule.NAME, len(selector)), default=None)
        return own or rule.SEVERITY if best is None else self.severity[best]

    def ignored_in(self, path: str) -> set[str]:
        """Return the codes that are ignored in the file `path`."""
        if not self.per_file_ignores:
            return set()
        relative = files.relative_to_file(path, self.path) if self.path else path
        return {
            code
            for pattern, selectors in self.per_file_ignores.items()
            if fnmatchcase(relative, pattern)
            for code in _matching(selectors)
        }

    def narrowed(self, select: Iterable[str], ignore: Iterable[str]) -> LintSettings:
        """Return these settings with the selection `select`, if it has any, and with `ignore` left out too."""
        return replace(self, select=tuple(select) or self.select, ignore=(*self.ignore, *ignore))


def find_settings(start: str) -> LintSettings:
    """Return the settings from the nearest file above a folder that has any, or the defaults."""
    for path in files.find_upwards(start, *_FILES):
        text = files.read(path).decode("utf-8", "surrogateescape")
        table = _table(path, text)
        if table is not None:
            return _read(table, path, text)
    return LintSettings()


def _table(path: str, text: str) -> Any:
    try:
        data: Any = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(Problem("PP911", f"cannot be parsed as TOML: {error}", Location(path))) from error
    own_file = path.endswith(_FILES[0])
    for key in () if own_file else ("tool", "promptpack"):
        data = data.get(key) if isinstance(data, dict) else None
    return data if data is None or isinstance(data, dict) else {"": data}


def _read(table: Mapping[str, Any], path: str, text: str) -> LintSettings:
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
        return LintSettings(
            tuple(own.get("select", ())),
            tuple(own.get("ignore", ())),
            own.get("severity", {}),
            {pattern: tuple(selectors) for pattern, selectors in own.get("per-file-ignores", {}).items()},
            path,
        )
    except UsageError as error:
        raise UsageError(
            replace(problem, location=_locate(problem.message.split("'")[1], path, lines)) for problem in error.problems
        ) from error


def _wrong_keys(table: Mapping[str, Any], known: Iterable[str], path: str, lines: list[str]) -> Iterator[Problem]:
    for key in table:
        if key not in known:
            hint = did_you_mean(key, known) or f"the settings are {', '.join(known)}"
            yield Problem("PP912", f"unknown lint setting {key!r}", _locate(key, path, lines), hint)


def _wrong_values(own: Mapping[str, Any], path: str, lines: list[str]) -> Iterator[Problem]:
    for key in ("select", "ignore"):
        if key in own and not _is_list_of_strings(own[key]):
            yield _wrong_value(key, "a list of rule codes or names", path, lines)
    severity = own.get("severity", {})
    if not isinstance(severity, dict) or not all(
        isinstance(one, str) and one in SEVERITIES for one in severity.values()
    ):
        yield _wrong_value("severity", f"a table that maps rules to {', '.join(SEVERITIES)}", path, lines)
    ignores = own.get("per-file-ignores", {})
    if not isinstance(ignores, dict) or not all(map(_is_list_of_strings, ignores.values())):
        yield _wrong_value("per-file-ignores", "a table that maps file patterns to lists of rules", path, lines)


def _is_list_of_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _wrong_value(key: str, expected: str, path: str, lines: list[str]) -> Problem:
    return Problem("PP913", f"lint setting {key!r} must be {expected}", _locate(key, path, lines))


def _locate(word: str, path: str, lines: list[str]) -> Location:
    """Find a word in the file, since the TOML parser reports no locations."""
    for index, line in enumerate(lines):
        column = line.find(word)
        if column >= 0 and not line.lstrip().startswith("#"):
            return Location(path, index + 1, column + 1)
    return Location(path)


def unknown_rule(selector: str) -> Problem:
    """Return the problem of a selector that matches no rule."""
    from promptpack.linter.catalogue import suggest_rule

    return Problem("PP914", f"unknown rule {selector!r}", None, suggest_rule(selector))


def _refuse_unknown(selectors: Iterable[str]) -> None:
    from promptpack.linter.catalogue import find_rules

    problems = [unknown_rule(selector) for selector in dict.fromkeys(selectors) if not find_rules(selector)]
    if problems:
        raise UsageError(problems)


def _matching(selectors: Iterable[str]) -> set[str]:
    from promptpack.linter.catalogue import find_rules

    return {rule.CODE for selector in selectors for rule in find_rules(selector)}
