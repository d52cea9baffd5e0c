"""References to packs, such as `planner@^1`, and the file that each chooses by name, version or label, and locale."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from promptpack import files
from promptpack.library.entry import Entry
from promptpack.pack.version import Version, parse_version
from promptpack.problem import Problem, UsageError, did_you_mean

if TYPE_CHECKING:
    from promptpack.library.library import Library

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


def choose(
    library: Library, reference: PackReference, locale: str | None, fallback: str | None = None, key: str | None = None
) -> Entry:
    """Return the newest file that matches a reference, in a locale; `key` chooses the version of a trial."""
    named = library._by_name.get(reference.name)
    if not named:
        hint = _suggest_name(library, reference.name)
        raise UsageError(Problem("PP701", f"no pack named {reference.name!r}", None, hint))
    if reference.label:
        version = library._labels.choose(reference.name, reference.label, key)
        reference = _exactly(reference, (version,))
    matching = [entry for entry in named if reference.matches(entry.name, entry.version)]
    if not matching:
        versions = ", ".join(sorted({str(entry.version) for entry in named}))
        message = f"no version of {reference.name!r} matches {reference.text!r}"
        raise UsageError(Problem("PP702", message, None, f"the library has {versions}"))
    newest = max(matching, key=preference)
    return choose_locale([entry for entry in matching if entry.version == newest.version], locale, fallback)


def _suggest_name(library: Library, name: str) -> str:
    """Return a hint at the shipped pack of this name, or at a pack with a similar name."""
    shipped = files.shipped("packs").root
    if all(folder.root != shipped for folder in library.folders) and name in shipped_library()._by_name:
        return f"it is a shipped pack; use '--packs {shipped}' or Library.open()"
    return did_you_mean(name, library._by_name) or "'promptpack list' shows all packs"


def home_of(library: Library, reference: str) -> Library:
    """Return the library that contains a pack: the given one, or else the shipped one."""
    name = parse_reference(reference).name
    if name in library._by_name:
        return library
    shipped = shipped_library()
    return shipped if name in shipped._by_name else library


@cache
def shipped_library() -> Library:
    """Return the library of the shipped packs, opened once."""
    from promptpack.library.library import Library

    return Library.open()


def select(library: Library, request: str) -> PackReference:
    """Return the reference of a request; a label becomes the versions that it names, all of them for a trial."""
    reference = parse_reference(request)
    if reference.label and reference.name in library._by_name:
        found = _versions(library, reference)
        reference = _exactly(reference, tuple(filter(None, map(parse_version, found))))
    choose(library, reference, None)
    return reference


def alternatives(library: Library, request: str) -> tuple[str, ...]:
    """Return the requests that a request may stand for: one for each version of a trial, else itself."""
    reference = parse_reference(request)
    versions = _versions(library, reference) if reference.label else ()
    return tuple(f"{reference.name}@{version}" for version in versions) if len(versions) > 1 else (request,)


def _versions(library: Library, reference: PackReference) -> tuple[str, ...]:
    return library._labels.follow(reference.name, reference.label).versions


def _exactly(reference: PackReference, versions: tuple[Version, ...]) -> PackReference:
    text = f"{reference.name}@{','.join(map(str, versions))}"
    return PackReference(text, reference.name, (lambda version: version in versions,))


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
