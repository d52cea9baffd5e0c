"""What was found in each pack, kept for the next time: a pack is linted again where something it relies on has changed.

A pack relies on its own file and those of its other languages, on what they extend and refer to, on the partials and
the flow of its folder, and on where else its paragraphs stand. Only packs that could be built are kept.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from promptpack import files
from promptpack.cache import Cache
from promptpack.files import RecordingFolder
from promptpack.library.entry import Entry
from promptpack.linter.ignoring import SharedIgnores
from promptpack.linter.plain import plain_ignores, plain_report, restore_ignores, restore_report
from promptpack.linter.report import Report
from promptpack.linter.settings import Settings
from promptpack.linter.subject import Neighbours
from promptpack.linter.tools import pool_of_flow


@dataclass(frozen=True, slots=True)
class Outcome:
    """What linting one file gave: its report, and what it made of the ignores in files that it shares."""

    report: Report
    ignores: SharedIgnores


class Ledger:
    """The outcomes of a folder's packs, by file; without a cache they are kept as long as this."""

    def __init__(self, cache: Cache | None = None, *name: str) -> None:
        self._cache, self._name = cache or Cache(), name
        kept = self._cache.get(*name) or {"rows": {}, "paragraphs": {}}
        self._rows: dict[str, Any] = kept["rows"]
        self.paragraphs: dict[str, list[str]] = kept["paragraphs"]
        """The digests of the long paragraphs of a file, by the digest of the file."""
        self._is_changed = False

    @classmethod
    def open(cls, cache: Cache, root: str, settings: Settings) -> "Ledger":
        """Open the ledger of a folder; what other settings give is in another one."""
        # Places are told as paths seen from where the user stands, so the way to the folder counts as well.
        about = json.dumps([root, asdict(settings)], sort_keys=True)
        return cls(cache, "packs", files.Folder(root).real_root, hashlib.sha256(about.encode()).hexdigest())

    def recall(self, entry: Entry, neighbours: Neighbours) -> Outcome | None:
        """Give what was found in a file, if all that it relies on is as it was."""
        row = self._rows.get(entry.file)
        if row is None or row["around"] != _around(entry, neighbours):
            return None
        if not all(_is_footing(footing, entry, neighbours) for footing in row["footings"]):
            return None
        return Outcome(restore_report(row["report"]), restore_ignores(row["ignores"]))

    def remember(self, entry: Entry, neighbours: Neighbours, outcome: Outcome) -> None:
        """Keep what was found in a file, with all that it relies on; not of one that is broken, or beside one."""
        self._is_changed = True
        self._rows.pop(entry.file, None)
        group = neighbours.group(entry)
        if all(map(neighbours.is_sound, group)):
            self._rows[entry.file] = {
                "around": _around(entry, neighbours),
                "footings": [_footing(one, neighbours) for one in group],
                "report": plain_report(outcome.report),
                "ignores": plain_ignores(outcome.ignores),
            }

    def close(self, entries: Iterable[Entry]) -> None:
        """Keep what was worked out about the files that are there now."""
        if not self._is_changed:
            return
        there = {entry.file: entry.digest for entry in entries}
        digests = set(there.values())
        self._rows = {file: row for file, row in self._rows.items() if file in there}
        self.paragraphs = {digest: found for digest, found in self.paragraphs.items() if digest in digests}
        self._cache.put({"rows": self._rows, "paragraphs": self.paragraphs}, *self._name)
        self._is_changed = False


def _around(entry: Entry, neighbours: Neighbours) -> str:
    """Give a digest of what surrounds a file: the partials, the flow, its other languages, and repeated paragraphs."""
    about = [
        neighbours.digest_of_partials(entry.folder),
        str(pool_of_flow(entry.name, neighbours)),
        [[one.file, one.digest, bool(one.problems)] for one in neighbours.group(entry)],
        [neighbours.repeats.besides(entry.name, digest) for digest in neighbours.paragraphs_of(entry)],
    ]
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()


def _footing(entry: Entry, neighbours: Neighbours) -> dict[str, Any]:
    """Give what the pack of a file is made of, besides the file."""
    folder = neighbours.folder_of(entry)
    return {
        "extends": [
            [request, locale, parent.shown, parent.digest] for request, locale, parent in neighbours.ancestors(entry)
        ],
        "reads": folder.digests,
        "alike": folder.identical,
    }


def _is_footing(footing: dict[str, Any], entry: Entry, neighbours: Neighbours) -> bool:
    rows = footing["extends"]
    parents = neighbours.follow((request, locale) for request, locale, _, _ in rows)
    if parents is None or [[parent.shown, parent.digest] for parent in parents] != [row[2:] for row in rows]:
        return False
    return RecordingFolder(entry.folder.root).is_unchanged(footing["reads"], footing["alike"])
