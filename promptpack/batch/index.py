"""Rows by their id, on disk: contexts and corrections to join with replies, and the ids that are already used.

Both are files of SQLite next to the output, deleted at the end, so that memory does not grow with the rows.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple
from uuid import uuid4

from promptpack.batch.lines import Line

# The cache is in KB. The writer needs little, because most rows come in order; the readers find rows anywhere.
_SETTINGS: Final = (
    "PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -2000;"
)
_READ_CACHE: Final = "PRAGMA cache_size = -8000"
_ROWS: Final = "CREATE TABLE rows (place INTEGER, id TEXT, line INTEGER, data BLOB)"
_FIND: Final = "SELECT place, id, data FROM rows WHERE id IN ({})"
_MISSING: Final = "SELECT id, line FROM rows WHERE place = 0 AND id NOT IN (SELECT id FROM ids.ids) ORDER BY line"
CONTEXTS: Final = 0


class IndexReader(NamedTuple):
    """Finds rows in a finished index; picklable, each process opens the file for itself."""

    path: str
    version: str
    """Distinguishes the file from others with the same name."""
    has_contexts: bool = True
    corrections: int = 0
    """How many rounds of corrections there are; their places follow that of the contexts."""

    def find(self, ids: Sequence[str]) -> "FoundRows":
        """Return the rows with some ids; one question about all of them costs much less than one about each."""
        question = _FIND.format(",".join("?" * len(ids)))
        return {(place, name): data for place, name, data in _open(self.path, self.version).execute(question, ids)}


FoundRows = Mapping[tuple[int, str], bytes]
"""Lines of JSON by their place and id; all of them have been read before."""


_opened: Final[dict[str, sqlite3.Connection]] = {}
"""The index that this process reads, by its version."""


def _open(path: str, version: str) -> sqlite3.Connection:
    if version not in _opened:
        from urllib.parse import quote

        _close_opened()
        uri = f"file:{quote(os.path.abspath(path))}?mode=ro&immutable=1"
        connection = _opened[version] = sqlite3.connect(uri, uri=True, check_same_thread=False)
        connection.execute(_READ_CACHE)
    return _opened[version]


def _close_opened() -> None:
    while _opened:
        _opened.popitem()[1].close()


class RowIndex:
    """Collects rows; `finish` makes them findable."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._rows = _create(path, _ROWS)

    def add(self, place: int, ids: Iterable[tuple[str, int]], lines: Iterable[Line]) -> None:
        """Add the lines that have ids."""
        data = {line.number: line.data for line in lines}
        rows = ((place, name, number, data[number]) for name, number in ids)
        self._rows.executemany("INSERT INTO rows VALUES (?, ?, ?, ?)", rows)

    def finish(self, *, has_contexts: bool, corrections: int) -> IndexReader:
        """Build the index, and return its reader; from now on the file does not change."""
        self._rows.execute("CREATE INDEX by_id ON rows (id, place, line)")
        self._rows.commit()
        return IndexReader(self.path, uuid4().hex, has_contexts, corrections)

    def missing(self, ids: "UsedIds") -> Iterator[tuple[str, int]]:
        """Yield the ids of contexts, in their order, that no reply has."""
        ids.save()
        self._rows.execute("ATTACH ? AS ids", (ids.path,))
        yield from self._rows.execute(_MISSING)

    def close(self) -> None:
        """Delete the file."""
        _close_opened()
        self._rows.close()
        _remove(self.path)


class UsedIds:
    """The ids of all rows so far, and where each is."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._ids = _create(path, "CREATE TABLE ids (id TEXT PRIMARY KEY, place TEXT) WITHOUT ROWID")

    def claim(self, source: str, ids: Iterable[tuple[str, int]]) -> dict[int, str]:
        """Add the ids of lines of a file; return the lines whose id is already used, and where."""
        given = [(name, f"{source}:{line}", line) for name, line in ids]
        places = ((name, place) for name, place, _ in given)
        if self._ids.executemany("INSERT OR IGNORE INTO ids VALUES (?, ?)", places).rowcount == len(given):
            return {}
        find = "SELECT place FROM ids WHERE id = ?"
        found = ((line, place, self._ids.execute(find, (name,)).fetchone()[0]) for name, place, line in given)
        return {line: first for line, place, first in found if first != place}

    def has(self, identifier: str) -> bool:
        """Return whether a row has the id."""
        return self._ids.execute("SELECT 1 FROM ids WHERE id = ?", (identifier,)).fetchone() is not None

    def save(self) -> None:
        """Make the ids readable for other connections."""
        self._ids.commit()

    def close(self) -> None:
        """Delete the file."""
        self._ids.close()
        _remove(self.path)


def _create(path: str, table: str) -> sqlite3.Connection:
    _remove(path)
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    connection = sqlite3.connect(path)
    connection.executescript(_SETTINGS)
    connection.execute(table)
    connection.commit()
    return connection


def _remove(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)
