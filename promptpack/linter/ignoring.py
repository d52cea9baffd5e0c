"""Which of the ignores in some texts silenced a finding, and which are left over."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from promptpack.document import Document
from promptpack.linter.catalogue import find_rules, instead_of
from promptpack.linter.ignores import Ignore, find_ignores
from promptpack.problem import Location

Written = tuple[str, str, Document | None]
"""A text, its path, and the document where it is one."""


class Ignores:
    """The ignores of some texts, each of which is used once it has silenced something."""

    def __init__(self, texts: Iterable[Written]) -> None:
        self.all = tuple(ignore for text in texts for ignore in find_ignores(*text))
        self.used: set[Ignore] = set()

    def silence(self, place: Location | None, *names: str) -> bool:
        """Say whether a finding with one of these names is not wanted at its place."""
        silent = [ignore for ignore in self.all if ignore.covers(place, *names)]
        self.used.update(silent)
        return bool(silent)

    def idle(self, asked: Collection[str], others: Collection[str] = ()) -> Iterator[Ignore]:
        """Give the ignores that silenced nothing although their rule was asked, and those without a rule.

        Codes of `others`, which are no rules, can be ignored as well, and have always been asked.
        """
        return _idle(self.all, self.used, asked, others)


class SharedIgnores:
    """The ignores of files that several packs share: idle is what none of the packs has a use for."""

    def __init__(self, found: Iterable[Ignore] = (), used: Iterable[Ignore] = (), *, is_open: bool = False) -> None:
        self.all = tuple(dict.fromkeys(found))
        self.used = frozenset(used)
        self.is_open = is_open
        """Whether a pack could not be looked at, so that nobody knows what it would have had a use for."""

    @classmethod
    def join(cls, several: Iterable["SharedIgnores"]) -> "SharedIgnores":
        """Put together what several packs made of them."""
        listed = list(several)
        return cls(
            (ignore for one in listed for ignore in one.all),
            (ignore for one in listed for ignore in one.used),
            is_open=any(one.is_open for one in listed),
        )

    def idle(self, asked: Collection[str]) -> Iterator[Ignore]:
        """Give those that silenced nothing in any pack."""
        return iter(()) if self.is_open else _idle(self.all, self.used, asked, ())


def _idle(
    ignores: Iterable[Ignore], used: Collection[Ignore], asked: Collection[str], others: Collection[str]
) -> Iterator[Ignore]:
    for ignore in ignores:
        meant = [rule.CODE for rule in find_rules(ignore.code) if ignore.code in (rule.CODE, rule.NAME)]
        if not meant and ignore.code not in others:
            yield replace(ignore, hint=_instead(ignore.code))
        elif ignore not in used and (not meant or meant[0] in asked) and meant != [_UNUSED]:
            yield ignore


_UNUSED = "PL020"


def _instead(code: str) -> str:
    if code.startswith("PP"):
        return "what is wrong with the pack itself cannot be ignored; mend it"
    return instead_of(code)
