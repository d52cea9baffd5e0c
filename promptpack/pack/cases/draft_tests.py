"""A test while it is put together from several places; each part keeps its location."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from promptpack.document import Document
from promptpack.document.model import MappedDocument, Path
from promptpack.pack.placed import Placed
from promptpack.schema.pointers import ValuePath

Origins = Mapping[ValuePath, tuple[Document, ValuePath]]

_MAX_STEPS: Final = 32
_MAX_COPIED: Final = 1_000_000


class ChangeError(ValueError):
    """A change that cannot be made; the message says why."""


class SizeError(ValueError):
    """The tests of the pack are too large together."""


class CopyMeter:
    """Counts the entries that all tests of one pack copy."""

    def __init__(self) -> None:
        self._remaining = _MAX_COPIED

    def copy(self, value: Any) -> Any:
        """Return a shallow copy of a mapping or list."""
        self._remaining -= len(value)
        if self._remaining < 0:
            raise SizeError(f"the tests of this pack copy more than {_MAX_COPIED:,} values")
        return value.copy()


@dataclass(frozen=True)
class TestDocument(MappedDocument):
    """The data of one test; its parts are located where they are written."""

    origins: Origins = field(default_factory=dict, kw_only=True)

    def origin(self, path: Path) -> tuple[Document, Path]:
        """Return the document that contains the value at a path, and its path there."""
        step = tuple(path)
        size = next(size for size in range(len(step), -1, -1) if step[:size] in self.origins)
        document, place = self.origins[step[:size]]
        return document, (*place, *step[size:])


class DraftTest(NamedTuple):
    """The value of a test, and where its parts are written; changes return a new draft."""

    value: dict[str, Any]
    origins: Origins
    meter: CopyMeter

    def finish(self) -> Placed:
        """Return the test."""
        document, _ = self.origins[()]
        return Placed(self.value, TestDocument(document.path, document.text, self.value, origins=self.origins), ())

    def move(self, name: str, placed: Placed) -> DraftTest:
        """Return the test with another name and place."""
        return DraftTest({**self.value, "name": name}, {**self._fixed_origins(), (): _place(placed)}, self.meter)

    def _fixed_origins(self) -> Origins:
        """The origins, with one for each section, so that the place of the test can change."""
        document, place = self.origins[()]
        return {**{(key,): (document, (*place, key)) for key in self.value}, **self.origins}

    def take(self, other: DraftTest, key: str) -> DraftTest:
        """Return the draft with a section of another one."""
        origins = {path: origin for path, origin in other._fixed_origins().items() if path[:1] == (key,)}
        return DraftTest({**self.value, key: other.value[key]}, {**self.origins, **origins}, self.meter)

    def merge(self, path: ValuePath, placed: Placed) -> DraftTest:
        """Return the draft with a value merged at a path: mappings by key, everything else is replaced."""
        found = self.find(path)
        if not (isinstance(found, dict) and isinstance(placed.value, dict)):
            return self.put(path, placed)
        draft = self
        for key in placed.value:
            draft = draft.merge((*path, key), placed.child(key))
        return draft

    def put(self, path: Sequence[str | int], placed: Placed) -> DraftTest:
        """Return the draft with a value at a path; missing mappings are added, `-` is the end of a list."""
        if len(path) > _MAX_STEPS:
            raise ChangeError(f"the path has more than {_MAX_STEPS} steps")
        value, step = _put(self.value, list(path), placed.value, self.meter)
        return DraftTest(value, {**self._origins_outside(step), step: _place(placed)}, self.meter)

    def remove(self, path: Sequence[str | int]) -> DraftTest:
        """Return the draft without the value at a path."""
        *parents, last = path
        parent: Any = self.value
        step = list[str | int]()
        for key in parents:
            step.append(_key_in(parent, key))
            parent = parent[step[-1]]
        key = _key_in(parent, last)
        shorter = self.meter.copy(parent)
        del shorter[key]
        # The numbers of later items change, so that only the list is located.
        outside = (*step, key) if isinstance(parent, dict) else tuple(step)
        value, _ = _put(self.value, list(step), shorter, self.meter)
        kept = {**self._origins_outside(outside)}
        if isinstance(parent, list) and outside in self.origins:
            kept[outside] = self.origins[outside]
        return DraftTest(value, kept, self.meter)

    def find(self, path: Sequence[str | int]) -> Any:
        """Return the value at a path, or None."""
        value: Any = self.value
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        return value

    def _origins_outside(self, step: ValuePath) -> Origins:
        return {path: origin for path, origin in self.origins.items() if path[: len(step)] != step}


def _place(placed: Placed) -> tuple[Document, ValuePath]:
    return placed.document, placed.path


def _put(value: Any, keys: list[str | int], new: Any, meter: CopyMeter) -> tuple[Any, ValuePath]:
    if not keys:
        return new, ()
    key, rest = keys[0], keys[1:]
    if isinstance(value, list) and key == "-":
        longer = meter.copy(value)
        inner, step = _put({}, rest, new, meter)
        return [*longer, inner], (len(value), *step)
    if isinstance(value, dict) and key not in value:
        inner, step = _put({}, rest, new, meter)
        return {**meter.copy(value), key: inner}, (key, *step)
    found = _key_in(value, key)
    changed = meter.copy(value)
    changed[found], step = _put(value[found], rest, new, meter)
    return changed, (found, *step)


def _key_in(value: Any, key: str | int) -> str | int:
    """Return the key of a mapping or the index of a list that a step of a pointer means."""
    if isinstance(value, dict) and key in value:
        return key
    if isinstance(value, dict):
        raise ChangeError(f"there is no {key!r}")
    if not isinstance(value, list):
        raise ChangeError(f"{key!r} leads into a value that is not a mapping or list")
    index = int(key) if str(key).isascii() and str(key).isdecimal() and len(str(key)) < 9 else len(value)
    if index >= len(value):
        raise ChangeError(f"the list has {len(value)} item(s), so it has no {key!r}")
    return index
