"""Remove the invalid values of a document, so that the linter can check the rest of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from promptpack.document import Document
from promptpack.document.model import Path
from promptpack.pack.pack_schema import pack_schema
from promptpack.pack.rekeyed_document import RekeyedDocument
from promptpack.schema.pointers import ValuePath

# Removing one value may reveal another mismatch; no ordinary file needs more rounds.
_MAX_ROUNDS: Final = 8
# Of one mapping, at most this many unknown keys are reported: the author fixes them first.
_MAX_INVALID: Final = 50
# Without these, names in templates would be wrongly reported as unknown.
_NEEDED: Final = ("extends", "inputs", "partials", "syntax")
_PLACEHOLDERS: Final[Mapping[str, Any]] = {"promptpack": 1, "name": "unnamed", "version": "0.0.0"}


@dataclass(frozen=True)
class PrunedDocument(RekeyedDocument):
    """A document without its invalid values; every other value keeps its location."""

    list_indexes: Mapping[ValuePath, tuple[int, ...]] = field(default_factory=dict)
    """The original indexes of the items of each list, by the path of the list."""

    def origin(self, path: Path) -> tuple[Document, Path]:
        """Return the document as it is written, and the path there."""
        original: list[str | int] = []
        for depth, step in enumerate(path):
            indexes = self.list_indexes.get(tuple(path[:depth]), ())
            original.append(indexes[step] if isinstance(step, int) and step < len(indexes) else step)
        return super().origin(original)


def prune(document: Document) -> PrunedDocument | None:
    """Return a document without its invalid values, or None if too little is left to check."""
    if not isinstance(document.data, Mapping):
        return None
    data: Any = {**{key: value for key, value in _PLACEHOLDERS.items() if key not in document.data}, **document.data}
    pruned = PrunedDocument(document.path, document.text, data, document.warnings, written=document)
    pruned = pruned.rekey(pack_schema().check(data))
    for _ in range(_MAX_ROUNDS):
        mismatches = pack_schema().check(pruned.data)
        if not mismatches:
            return pruned
        invalid = {found.path[:-1] if found.keyword == "required" else found.path for found in mismatches}
        if (
            () in invalid
            or len(invalid) >= _MAX_INVALID
            or any(path[0] in _NEEDED for path in invalid if len(path) == 1)
        ):
            return None
        pruned = _remove(pruned, invalid)
    return None


def _remove(document: PrunedDocument, invalid: Collection[ValuePath]) -> PrunedDocument:
    list_indexes: dict[ValuePath, tuple[int, ...]] = {}

    def copy(value: Any, old: ValuePath, new: ValuePath) -> Any:
        """Return a value without its invalid parts; `old` and `new` are its paths before and after."""
        if isinstance(value, Mapping):
            return {
                key: _placeholder((*old, key)) if (*old, key) in invalid else copy(item, (*old, key), (*new, key))
                for key, item in value.items()
                if (*old, key) not in invalid or _placeholder((*old, key)) is not None
            }
        if isinstance(value, list):
            valid = [index for index in range(len(value)) if (*old, index) not in invalid]
            original = document.list_indexes.get(old, range(len(value)))
            list_indexes[new] = tuple(original[index] for index in valid)
            return [copy(value[index], (*old, index), (*new, place)) for place, index in enumerate(valid)]
        return value

    return replace(document, data=copy(document.data, (), ()), list_indexes=list_indexes)


def _placeholder(path: ValuePath) -> Any:
    """Return a replacement for an invalid value that other values may refer to by name; None if none is needed."""
    match path:
        case (str() as name,):
            return _PLACEHOLDERS.get(name)
        case ("inputs", _) | ("reply", "actions", _):
            return {}
        case ("partials", _):
            return ""
    return None
