"""Packs that were built before: recalled for a first prompt where nothing they were made of has changed."""

from __future__ import annotations

import hashlib
import json

from promptpack import files
from promptpack.files import RecordingFolder
from promptpack.library.outcome import Outcome
from promptpack.problem import PackError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from promptpack.cache import Cache
    from promptpack.library.entry import Entry
    from promptpack.pack import Pack
    from promptpack.template import Source

    Lineage = list[list[str]]
    """For each pack that is extended: what `extends` says, the locale that is asked for, the digest of its file."""


def remember(cache: Cache, outcome: Outcome, lineage: Lineage, alike: Mapping[str, str]) -> None:
    """Keep the outline of a pack, and all that it was made of."""
    from promptpack.pack.kept import outline

    assert outcome.pack is not None  # noqa: S101 -- only what could be built is kept
    made_of = {
        "lineage": lineage,
        "partials": digest_of_partials(outcome.partials),
        "reads": {file: _digest(content) for file, content in outcome.reads.items()},
        "alike": alike,
    }
    cache.put({"outline": outline(outcome.pack), **made_of}, *_name(outcome.entry))


def recall(
    cache: Cache,
    entry: Entry,
    partials: Mapping[str, Source],
    is_lineage: Callable[[Lineage], bool],
    build: Callable[[], Pack],
) -> Outcome | None:
    """Give the pack of a file as it was kept, if all that it was made of is as it was."""
    kept = cache.get(*_name(entry)) if cache.is_on else None
    if kept is None or kept["partials"] != digest_of_partials(partials) or not is_lineage(kept["lineage"]):
        return None
    folder = RecordingFolder(entry.folder.root)
    shipped = files.shipped("schemas")
    try:
        is_same = all(_digest(folder.read(file)) == digest for file, digest in kept["reads"].items())
    except PackError:
        return None
    if not is_same or not all(folder.same_or_absent(file, shipped, name) for file, name in kept["alike"].items()):
        return None
    from promptpack.pack.kept import KeptPack

    return Outcome(entry, entry, KeptPack.of(kept["outline"], entry.shown, build), (), folder.reads, partials)


def _name(entry: Entry) -> tuple[str, ...]:
    return "pack", files.real_path(entry.folder.root), entry.file, entry.digest


def digest_of_partials(partials: Mapping[str, Source]) -> str:
    """Give a digest of partials by their names and texts."""
    if not partials:
        return ""
    return _digest(json.dumps([[name, source.text] for name, source in sorted(partials.items())]).encode())


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
