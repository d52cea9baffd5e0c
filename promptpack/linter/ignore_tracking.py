"""Track which ignores silenced a problem, and which are unused."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from promptpack.document import Document
from promptpack.linter.ignore_comments import Ignore, find_ignores
from promptpack.problem import Location

IgnoreSource = tuple[str, str, Document | None]
"""A text, its path, and its `Document` if it is YAML."""


class IgnoreTracker:
    """The ignores of some texts, and those that have silenced a problem."""

    def __init__(self, texts: Iterable[IgnoreSource]) -> None:
        self.all = tuple(ignore for text in texts for ignore in find_ignores(*text))
        self.used: set[Ignore] = set()

    def silence(self, location: Location | None, *names: str) -> bool:
        """Return whether a problem is ignored at its location; `names` are its code and the name of its rule."""
        matching = [ignore for ignore in self.all if ignore.covers(location, *names)]
        self.used.update(matching)
        return bool(matching)

    def unused(self, checked: Collection[str], others: Collection[str] = ()) -> Iterator[Ignore]:
        """Iterate over ignores without a matching rule, and ignores of a checked rule that silenced nothing.

        `others` are codes that are not rules: they can be ignored too, and are always checked.
        """
        return _find_unused(self.all, self.used, checked, others)


class SharedIgnores:
    """The ignores of files that packs share; an ignore is unused when it silences nothing in any pack."""

    def __init__(self, found: Iterable[Ignore] = (), used: Iterable[Ignore] = (), *, has_gaps: bool = False) -> None:
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
            (ignore for one in listed for ignore in one.used),
            has_gaps=any(one.has_gaps for one in listed),
        )

    def unused(self, checked: Collection[str]) -> Iterator[Ignore]:
        """Iterate over the ignores that silenced nothing in any pack."""
        return iter(()) if self.has_gaps else _find_unused(self.all, self.used, checked, ())


def _find_unused(
    ignores: Iterable[Ignore], used: Collection[Ignore], checked: Collection[str], others: Collection[str]
) -> Iterator[Ignore]:
    from promptpack.linter.catalogue import find_rules

    for ignore in ignores:
        codes = [rule.CODE for rule in find_rules(ignore.code) if ignore.code in (rule.CODE, rule.NAME)]
        if not codes and ignore.code not in others:
            yield replace(ignore, hint=_hint(ignore.code))
        elif ignore not in used and (not codes or codes[0] in checked) and codes != [_UNUSED_IGNORE]:
            yield ignore


_UNUSED_IGNORE = "PL020"


def _hint(code: str) -> str:
    if code.startswith("PP"):
        return "errors of the pack itself cannot be ignored; fix the pack"
    from promptpack.linter.catalogue import suggest_rule

    return suggest_rule(code)
