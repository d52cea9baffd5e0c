"""Which of several pack files a request means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from promptpack.library.entry import Entry
from promptpack.pack.version import Version
from promptpack.problem import Problem


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
