"""The tests that failed in the last run, stored in the user's cache."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from promptpack.cache import Cache
from promptpack.files import Folder
from promptpack.trial import Trial

_ENTRY: Final = "last-failed"


def identify(label: str, locale: str, test: str) -> str:
    """Return the name of a test among all packs, by which `-k` finds it too."""
    return f"{label} {locale} {test}"


@dataclass(frozen=True)
class LastFailed:
    """The names of the tests that failed; empty without a cache."""

    cache: Cache
    key: str
    names: frozenset[str]

    @classmethod
    def open(cls, roots: Iterable[str]) -> "LastFailed":
        """Read the failed tests of some folders of packs."""
        cache, key = Cache.open(), "\n".join(sorted(Folder(root).real_root for root in roots))
        found = cache.get(_ENTRY, key)
        return cls(cache, key, frozenset(found) if isinstance(found, list) else frozenset())

    @property
    def reason(self) -> str:
        """Why all tests run."""
        if not self.cache.is_on:
            return "the cache is off, so no failures are known: running all tests"
        return "no test failed in the last run: running all tests"

    def remember(self, trials: Iterable[Trial]) -> None:
        """Store the tests that failed in this run, and those that failed before and were not run."""
        results = {identify(one.pack, one.locale, one.name): one.passed for one in trials}
        failed = {name for name in self.names if name not in results}
        failed.update(name for name, passed in results.items() if not passed)
        if failed != self.names:
            self.cache.put(sorted(failed), _ENTRY, self.key)
