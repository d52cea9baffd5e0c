"""References to packs, such as `planner@^1`, and the entries that they match."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from promptpack.library.entry import Entry
from promptpack.pack.version import Version
from promptpack.problem import Problem, UsageError

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")
_LABEL = re.compile(r"[a-z][a-z0-9-]*\Z")
_NUMBER = r"(\d{1,9})"
_PART = re.compile(
    rf"(\^|~|>=|<=|>|<|=|)\s*{_NUMBER}(?:\.{_NUMBER})?(?:\.{_NUMBER}(?:-([0-9A-Za-z.-]+))?)?\Z", re.ASCII
)

DEFAULT_LOCALE = "default"
"""As a fallback: the variant whose file name has no locale."""

VersionTest = Callable[[Version], bool]


class PackReference(NamedTuple):
    """The name of a pack and the tests of a version range; or a label, which matches nothing until it is resolved."""

    text: str
    name: str
    tests: tuple[VersionTest, ...] = ()
    label: str = ""

    def accepts(self, version: Version) -> bool:
        """Return whether a version is in the range."""
        return all(test(version) for test in self.tests)

    def matches(self, name: str, version: Version | None) -> bool:
        """Return whether a pack has this name and a version in the range, or an unreadable version."""
        return name == self.name and (version is None or self.accepts(version))


def parse_reference(text: str) -> PackReference:
    """Parse `name`, `name@1.2.0`, `name@^1`, `name@~1.2`, `name@>=1,<2` or `name@label`."""
    name, _, versions = text.strip().partition("@")
    if not _NAME.match(name):
        raise UsageError(Problem("PP703", f"invalid pack reference {text!r}", None, "write name or name@range"))
    if _LABEL.match(versions):
        return PackReference(text, name, (lambda _: False,), versions)
    return PackReference(
        text, name, tuple(_parse_test(part, text) for part in versions.split(",") if versions.strip() not in ("", "*"))
    )


def _parse_test(part: str, text: str) -> VersionTest:
    found = _PART.match(part.strip())
    if found is None:
        hint = "write 1.2.0, ^1, ~1.2 or >=1,<2"
        raise UsageError(Problem("PP703", f"invalid version range in {text!r}", None, hint))
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
            return lambda version: version < low and not _is_draft_of(version, low)
        case "^":
            return _between(low, _next_breaking(low, minor, patch))
        case "~":
            return _between(low, Version(low.major, low.minor + 1, 0) if minor else Version(low.major + 1, 0, 0))
    if patch is not None:
        return lambda version: version == low
    return _between(low, Version(low.major, low.minor + 1, 0) if minor else Version(low.major + 1, 0, 0))


def _between(low: Version, high: Version) -> VersionTest:
    # The drafts of the first version are in the range: `^1` finds 1.0.0-dev if there is nothing else.
    return lambda version: (
        (version >= low or _is_draft_of(version, low)) and version < high and not _is_draft_of(version, high)
    )


def _next_breaking(low: Version, minor: str | None, patch: str | None) -> Version:
    if low.major or minor is None:
        return Version(low.major + 1, 0, 0)
    if low.minor or patch is None:
        return Version(0, low.minor + 1, 0)
    return Version(0, 0, low.patch + 1)


def _is_draft_of(version: Version, release: Version) -> bool:
    same = (version.major, version.minor, version.patch) == (release.major, release.minor, release.patch)
    return same and version.is_draft and not release.is_draft


def add_conflicts(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Yield the entries, with a problem for each that has the same name, version and locale as another."""
    groups: dict[tuple[str, Version | None, str], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((entry.name, entry.version, entry.locale), []).append(entry)
    for entry in entries:
        group = groups[entry.name, entry.version, entry.locale]
        others = [other.path for other in group if other is not entry]
        misnamed = [other for other in group if other.locale_in_path not in ("", other.locale)]
        if not others or entry.document is None or (misnamed and entry not in misnamed):
            yield entry
            continue
        label = f"{entry.name}@{entry.version}" + (f" ({entry.locale})" if entry.locale else "")
        location = entry.document.locate_key(("name",))
        message = f"{label} is also in {', '.join(others)}"
        hint = "change the name, version or locale of one"
        if misnamed:
            location, hint = entry.document.locate(("locale",)), f"the file name says {entry.locale_in_path!r}"
        problem = Problem("PP705", message, location, hint)
        yield replace(entry, problems=(*entry.problems, problem))


def choose_locale(variants: Sequence[Entry], locale: str | None, fallback: str | None = None) -> Entry:
    """Return the variant for a locale, for its language, or for the fallback; without a locale, the default one.

    A file that declares no locale suits every locale. The fallback `DEFAULT_LOCALE` is the default variant.
    """
    default = next((entry for entry in variants if entry.is_default), variants[0])
    found = _find_locale((default, *variants), locale) if locale else default
    if found is None and fallback:
        found = default if fallback == DEFAULT_LOCALE else _find_locale((default, *variants), fallback)
    if found is None:
        message = f"{default.name}@{default.version} has no variant for the locale {fallback or locale!r}"
        locales = ", ".join(sorted(entry.locale for entry in variants))
        raise UsageError(Problem("PP707", message, None, f"its locales are {locales}"))
    return found


def _find_locale(variants: Sequence[Entry], locale: str) -> Entry | None:
    """Return the variant for a locale, a shorter or another form of it in the same language, or for no locale."""
    by_locale = {entry.locale.lower(): entry for entry in reversed(variants)}
    wanted = locale.replace("_", "-").lower()
    language = wanted.partition("-")[0]
    while wanted and wanted not in by_locale:
        wanted = wanted.rpartition("-")[0]
    if wanted:
        return by_locale[wanted]
    others = (entry for entry in variants if entry.locale.lower().partition("-")[0] == language)
    return next(others, None) or by_locale.get("")


def preference(entry: Entry) -> tuple[bool, Version]:
    """Return a sort key: drafts before releases, then by version; the last entry is preferred."""
    version = entry.version or Version(0, 0, 0, ("broken",))
    return not version.is_draft, version


def sort_key(entry: Entry) -> tuple[str, Version, str]:
    """Return a sort key: by name, version and locale."""
    return entry.name, entry.version or Version(0, 0, 0, ("broken",)), entry.locale
