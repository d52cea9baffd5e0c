"""A cache of the pack files that build without problems, and of everything else that the build depends on."""

import hashlib
import json
from collections.abc import Callable, Mapping

from promptpack.cache import Cache
from promptpack.files import RecordingFolder
from promptpack.library.entry import Entry
from promptpack.template.model import Source

Lineage = list[list[str]]
"""A row for each parent: the text of `extends`, the requested locale, the digest of the parent's file."""


def store_clean(cache: Cache, entry: Entry, lineage: Lineage, partials: str, folder: RecordingFolder) -> None:
    """Store that a file builds without problems; `folder` recorded the files that the build read."""
    row = {"lineage": lineage, "partials": partials, "reads": folder.digests, "absent": sorted(folder.absent)}
    cache.put(row, *_name(entry))


def find_clean(
    cache: Cache, entry: Entry, partials: str, is_current: Callable[[Lineage], bool]
) -> tuple[RecordingFolder, Lineage] | None:
    """Return the files that the build reads and its lineage if the cache says that it has no problems, else None."""
    row = cache.get(*_name(entry))
    if row is None or row["partials"] != partials or not is_current(row["lineage"]):
        return None
    folder = entry.folder.record()
    return (folder, row["lineage"]) if folder.is_unchanged(row["reads"], row["absent"]) else None


def digest_of_partials(partials: Mapping[str, Source], lock: bytes | None = None) -> str:
    """Return a digest of the names and texts of partials, and of the lock file, which pins parents."""
    if not partials and lock is None:
        return ""
    texts: list[object] = [[name, source.text] for name, source in sorted(partials.items())]
    if lock is not None:
        texts.append(hashlib.sha256(lock).hexdigest())
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()


def _name(entry: Entry) -> tuple[str, ...]:
    return "clean", entry.folder.real_root, entry.file, entry.digest
