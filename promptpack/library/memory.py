"""Packs that were built before: recalled for a first prompt where nothing they were made of has changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from promptpack.files import RecordingFolder
from promptpack.library.outcome import Outcome

if TYPE_CHECKING:
    from promptpack.cache import Cache
    from promptpack.library.entry import Entry
    from promptpack.pack import Pack
    from promptpack.template import Source

    Lineage = list[list[str]]
    """For each pack that is extended: what `extends` says, the locale that is asked for, the digest of its file."""


def remember(cache: Cache, outcome: Outcome, lineage: Lineage, folder: RecordingFolder) -> None:
    """Keep what a pack is called, all that it was made of, and its outline apart, as only a prompt takes that.

    `folder` is what it was built from.
    """
    from promptpack.pack.kept import about, outline

    assert outcome.pack is not None  # noqa: S101 -- only what could be built is kept
    made_of = {
        "lineage": lineage,
        "partials": digest_of_partials(outcome.partials),
        "reads": folder.digests,
        "alike": folder.identical,
    }
    name = _name(outcome.entry)
    cache.put(outline(outcome.pack), *_name_of_outline(name, made_of))
    cache.put({"about": about(outcome.pack), "made_of": made_of}, *name)


def recall(
    cache: Cache,
    entry: Entry,
    partials: Mapping[str, Source],
    is_lineage: Callable[[Lineage], bool],
    build: Callable[[], Pack],
) -> Outcome | None:
    """Give the pack of a file as it was kept, if all that it was made of is as it was."""
    if not cache.is_on:
        return None
    key = _name(entry)
    kept = cache.get(*key)
    if kept is None:
        return None
    made_of = kept["made_of"]
    if made_of["partials"] != digest_of_partials(partials) or not is_lineage(made_of["lineage"]):
        return None
    folder = RecordingFolder(entry.folder.root)
    if not folder.is_unchanged(made_of["reads"], made_of["alike"]):
        return None
    from promptpack.pack.kept import KeptPack

    pack = KeptPack.of(kept["about"], entry.shown, lambda: cache.get(*_name_of_outline(key, made_of)), build)
    return Outcome(entry, entry, pack, (), folder.reads, partials)


def _name(entry: Entry) -> tuple[str, ...]:
    return "pack", entry.folder.real_root, entry.file, entry.digest


def _name_of_outline(name: tuple[str, ...], made_of: Mapping[str, Any]) -> tuple[str, ...]:
    return *name, _digest(json.dumps(made_of).encode())


def digest_of_partials(partials: Mapping[str, Source]) -> str:
    """Give a digest of partials by their names and texts."""
    if not partials:
        return ""
    return _digest(json.dumps([[name, source.text] for name, source in sorted(partials.items())]).encode())


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
