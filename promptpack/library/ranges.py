"""`name@range`: what a caller asks for, and which versions that means."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from promptpack.library.entry import Entry
from promptpack.pack.version import Version
from promptpack.problem import Problem, UsageError

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")
_NUMBER = r"(\d{1,9})"
_PART = re.compile(
    rf"(\^|~|>=|<=|>|<|=|)\s*{_NUMBER}(?:\.{_NUMBER})?(?:\.{_NUMBER}(?:-([0-9A-Za-z.-]+))?)?\Z", re.ASCII
)

Test = Callable[[Version], bool]


@dataclass(frozen=True)
class PackReference:
    """A pack's name and a test of versions."""

    text: str
    name: str
    tests: tuple[Test, ...] = ()

    def accepts(self, version: Version) -> bool:
        """Say whether a version is within the range."""
        return all(test(version) for test in self.tests)

    def means(self, name: str, version: Version | None) -> bool:
        """Say whether a pack is meant; one whose version cannot be read may be."""
        return name == self.name and (version is None or self.accepts(version))


def parse_reference(text: str) -> PackReference:
    """Read `name`, `name@1.2.0`, `name@^1`, `name@~1.2`, `name@>=1,<2`."""
    name, _, wanted = text.strip().partition("@")
    if not _NAME.match(name):
        raise UsageError(Problem("PP703", f"{text!r} does not name a pack", None, "write name or name@range"))
    return PackReference(
        text, name, tuple(_test(part, text) for part in wanted.split(",") if wanted.strip() not in ("", "*"))
    )


def _test(part: str, text: str) -> Test:
    found = _PART.match(part.strip())
    if found is None:
        hint = "write 1.2.0, ^1, ~1.2 or >=1,<2"
        raise UsageError(Problem("PP703", f"cannot read the version range in {text!r}", None, hint))
    operator, major, minor, patch, pre = found.groups()
    low = Version(int(major), int(minor or 0), int(patch or 0), tuple(pre.split(".")) if pre else ())
    match operator:
        case ">=":
            return lambda version: version >= low
        case ">":
            return lambda version: version > low
        case "<=":
            return lambda version: version <= low
        case "<":
            return lambda version: version < low and not _draft_of(version, low)
        case "^":
            return _between(low, _next_breaking(low, minor, patch))
        case "~":
            return _between(low, Version(low.major, low.minor + 1, 0) if minor else Version(low.major + 1, 0, 0))
    if patch is not None:
        return lambda version: version == low
    return _between(low, Version(low.major, low.minor + 1, 0) if minor else Version(low.major + 1, 0, 0))


def _between(low: Version, high: Version) -> Test:
    # The drafts of the first version of a range belong to it: `^1` finds 1.0.0-dev while nothing else is there.
    return lambda version: (
        (version >= low or _draft_of(version, low)) and version < high and not _draft_of(version, high)
    )


def _next_breaking(low: Version, minor: str | None, patch: str | None) -> Version:
    if low.major or minor is None:
        return Version(low.major + 1, 0, 0)
    if low.minor or patch is None:
        return Version(0, low.minor + 1, 0)
    return Version(0, 0, low.patch + 1)


def _draft_of(version: Version, release: Version) -> bool:
    same = (version.major, version.minor, version.patch) == (release.major, release.minor, release.patch)
    return same and version.is_draft and not release.is_draft


def refuse_twins(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Give every pack that shares name, version and locale with another a problem: a request could mean either."""
    groups: dict[tuple[str, Version | None, str], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((entry.name, entry.version, entry.locale), []).append(entry)
    for entry in entries:
        twins = [twin.shown for twin in groups[entry.name, entry.version, entry.locale] if twin is not entry]
        if not twins or entry.document is None:
            yield entry
            continue
        label = f"{entry.name}@{entry.version}" + (f" ({entry.locale})" if entry.locale else "")
        place = entry.document.locate_key(("name",))
        problem = Problem("PP705", f"{label} is also in {', '.join(twins)}", place, "change name, version or locale")
        yield replace(entry, problems=(*entry.problems, problem))


def choose_locale(variants: list[Entry], locale: str | None) -> Entry:
    """Return the variant for a locale or for its language, else the default one."""
    by_locale = {entry.locale.lower(): entry for entry in reversed(variants)}
    wanted = (locale or "").replace("_", "-").lower()
    while wanted:
        if wanted in by_locale:
            return by_locale[wanted]
        wanted = wanted.rpartition("-")[0]
    return next((entry for entry in variants if entry.is_default), variants[0])


def preference(entry: Entry) -> tuple[bool, Version]:
    """Order entries by what a request prefers: releases over drafts, then the newest."""
    version = entry.version or Version(0, 0, 0, ("broken",))
    return not version.is_draft, version


def sort_key(entry: Entry) -> tuple[str, Version, str]:
    """Order entries by name, version and locale."""
    return entry.name, entry.version or Version(0, 0, 0, ("broken",)), entry.locale
