"""Track which ignores silenced a problem, and which are unused."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from promptpack.document import Document
from promptpack.linter.ignore_comments import Ignore, find_ignores
from promptpack.problem import Location

IgnoreScope = tuple[str, str, range]
"""A code, the path of a file, and the lines where problems with the code are ignored."""
IgnoreSource = tuple[str, str, Document | None]
"""A text, its path, and its `Document` if it is YAML."""


class IgnoreTracker:
    """The ignores of some texts, and those that have silenced a problem."""

    def __init__(self, texts: Iterable[IgnoreSource]) -> None:
        self.all = tuple(ignore for text in texts for ignore in find_ignores(*text))
        self.used: set[IgnoreScope] = set()
        self._scopes: dict[str, dict[tuple[str, int], list[IgnoreScope]]] = {}

    def silence(self, location: Location | None, *names: str) -> bool:
        """Return whether a problem is ignored at its location; `names` are its code and the name of its rule."""
        if location is None or not self.all:
            return False
        found = [scope for name in names for scope in self._find(name).get((location.path, location.line), ())]
        self.used.update(found)
        return bool(found)

    def _find(self, name: str) -> dict[tuple[str, int], list[IgnoreScope]]:
        """Return what the ignores of a code silence, by file and line."""
        if name not in self._scopes:
            by_line = self._scopes[name] = {}
            for scope in dict.fromkeys(ignore.scope for ignore in self.all if ignore.code == name):
                for line in scope[2]:
                    by_line.setdefault((scope[1], line), []).append(scope)
        return self._scopes[name]

    def unused(self, checked: Collection[str], others: Collection[str] = ()) -> Iterator[Ignore]:
        """Iterate over ignores without a matching rule, and ignores of a checked rule that silenced nothing.

        `others` are codes that are not rules: they can be ignored too, and are always checked.
        """
        return _find_unused(self.all, self.used, checked, others)


class SharedIgnores:
    """The ignores of files that packs share; an ignore is unused when it silences nothing in any pack."""

    def __init__(
        self, found: Iterable[Ignore] = (), used: Iterable[IgnoreScope] = (), *, has_gaps: bool = False
    ) -> None:
        self.all = tuple(dict.fromkeys(found))
        self.used = frozenset(used)
        self.has_gaps = has_gaps
        """Whether a pack could not be checked, so that its use of the ignores is unknown."""

    @classmethod
    def join(cls, several: Iterable["SharedIgnores"]) -> "SharedIgnores":
        """Merge the ignores of several packs."""
        listed = list(several)
        return cls(
            (ignore for one in listed for ignore in one.all),
            (scope for one in listed for scope in one.used),
            has_gaps=any(one.has_gaps for one in listed),
        )

    def unused(self, checked: Collection[str]) -> Iterator[Ignore]:
        """Iterate over the ignores that silenced nothing in any pack."""
        return iter(()) if self.has_gaps else _find_unused(self.all, self.used, checked, ())


def _find_unused(
    ignores: Iterable[Ignore], used: Collection[IgnoreScope], checked: Collection[str], others: Collection[str]
) -> Iterator[Ignore]:
    from promptpack.linter.catalogue import find_rules

    for ignore in ignores:
        codes = [rule.CODE for rule in find_rules(ignore.code) if ignore.code in (rule.CODE, rule.NAME)]
        if not codes and ignore.code not in others:
            yield replace(ignore, hint=_hint(ignore.code))
        elif ignore.scope not in used and (not codes or codes[0] in checked) and codes != [_UNUSED_IGNORE]:
            yield ignore


_UNUSED_IGNORE = "PL020"


def _hint(code: str) -> str:
    if code.startswith("PP"):
        return "errors of the pack itself cannot be ignored; fix the pack"
    from promptpack.linter.catalogue import suggest_rule

    return suggest_rule(code)
