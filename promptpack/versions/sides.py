"""The two packs of a comparison, with the parts that are compared and where they are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from promptpack.document import Document
from promptpack.pack.building import CompiledSections, resolve_content
from promptpack.pack.digest import write_canonical
from promptpack.pack.model import Pack
from promptpack.pack.placed import Placed
from promptpack.pack.sections import Sections
from promptpack.problem import Location, Problem, UsageError
from promptpack.schema.inclusion import MAX_SHARED_STEPS, StepMeter
from promptpack.versions.matching import DiffMeter
from promptpack.versions.word_diff import MAX_SHARED_STEPS as MAX_SHARED_WORD_STEPS


class ComparisonMeter:
    """The steps that one comparison may still take: for its decisions about schemas, and for its word diffs."""

    def __init__(self) -> None:
        self.schemas: StepMeter = StepMeter(MAX_SHARED_STEPS)
        self.words: DiffMeter = DiffMeter(MAX_SHARED_WORD_STEPS)


class Side(NamedTuple):
    """One of the two packs."""

    pack: Pack
    compiled: CompiledSections
    content: Mapping[str, Any]
    """Everything that the digest covers."""
    meter: ComparisonMeter
    """Shared by both sides."""

    @property
    def sections(self) -> Sections:
        """The sections, with inherited ones."""
        return self.compiled.sections

    @property
    def document(self) -> Document:
        """The pack's own file."""
        return self.compiled.sections.document

    def locate(self, *path: str | int) -> Location:
        """Return the location of a key of the pack's own file, or of its nearest parent; of `extends` if inherited."""
        data = self.document.data
        return self.document.locate_key(path if path[0] in data or "extends" not in data else ("extends",))


def read_side(pack: Pack, meter: ComparisonMeter) -> Side:
    """Return a pack as a side of a comparison."""
    if pack._compiled is None:
        message = f"{pack.label} cannot be compared, because it does not come from a library"
        raise UsageError(Problem("PP760", message, None, "get the pack from a Library"))
    return Side(pack, pack._compiled, resolve_content(pack._compiled), meter)


def write_value(value: Any) -> str:
    """Return a value as text that can be compared by words; a text stays as it is."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, default=str)


def short(value: Any, limit: int = 60) -> str:
    """Return a value as JSON on one line, shortened."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= limit else text[: limit - 3] + "..."


def same_order(old: Iterable[str], new: Iterable[str]) -> bool:
    """Return whether the names that both have are in the same order."""
    before, after = dict.fromkeys(old), dict.fromkeys(new)
    return [name for name in before if name in after] == [name for name in after if name in before]


def from_to(old: Any, new: Any) -> str:
    """Return the old and new value; nothing for one that was absent."""
    return (f" from {short(old)}" if old is not None else "") + (f" to {short(new)}" if new is not None else "")


def find_changed_keys(old: Placed, new: Placed) -> set[str]:
    """Return the keys of a mapping whose values differ, as the digest sees them."""
    keys = old.value.keys() | new.value.keys()
    return {key for key in keys if _write(old.value, key) != _write(new.value, key)}


def locate_changed(old: Placed, new: Placed, key: str) -> Location:
    """Return the location of a changed key: in the new file, or in the old one if it was removed."""
    return new.locate_key(key) if key in new.value else old.locate_key(key)


def _write(mapping: Mapping[str, Any], key: str) -> str | None:
    return write_canonical(mapping[key], key) if key in mapping else None
