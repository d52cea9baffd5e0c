"""What is left of a document that the pack schema refuses, so that its other problems can be told at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from promptpack.document import Document
from promptpack.pack.checking import pack_schema
from promptpack.pack.respelling import Respelt

if TYPE_CHECKING:
    from promptpack import schema
    from promptpack.document.model import Path
    from promptpack.document.yaml_nodes import YamlNode


# What is found wrong only after something else was taken out; no honest file needs more rounds.
_MOST_ROUNDS: Final = 8
# Without these, names in templates would mean something else, and be told as unknown.
_NEEDED: Final = ("extends", "inputs", "partials", "syntax")
_STAND_INS: Final[Mapping[str, Any]] = {"promptpack": 1, "name": "unnamed", "version": "0.0.0"}

_Way = tuple[str | int, ...]


@dataclass(frozen=True)
class Salvaged(Respelt):
    """A document without what was refused in it; everything else keeps its place."""

    kept: Mapping[_Way, tuple[int, ...]] = field(default_factory=dict)
    """By the way to a list, the numbers that its items had before."""

    def _walk(self, path: Path) -> YamlNode:
        way: list[str | int] = []
        for index, step in enumerate(path):
            numbers = self.kept.get(tuple(path[:index]), ())
            way.append(numbers[step] if isinstance(step, int) and step < len(numbers) else step)
        return super()._walk(way)


def salvage(document: Document) -> Salvaged | None:
    """Take out what the schema refuses; None when too little is left to say anything about."""
    if not isinstance(document.data, Mapping):
        return None
    data: Any = {**{key: value for key, value in _STAND_INS.items() if key not in document.data}, **document.data}
    left = Salvaged(document.path, document.text, data, document.warnings)
    left = left.respell(pack_schema().check(data))
    for _ in range(_MOST_ROUNDS):
        findings = pack_schema().check(left.data)
        if not findings:
            return left
        taken = {_to_take(finding) for finding in findings}
        if () in taken or any(way[0] in _NEEDED for way in taken if len(way) == 1):
            return None
        left = _without(left, taken)
    return None


def _to_take(finding: schema.Mismatch) -> _Way:
    return finding.path[:-1] if finding.rule == "required" else finding.path


def _without(document: Salvaged, taken: Iterable[_Way]) -> Salvaged:
    kept: dict[_Way, tuple[int, ...]] = {}
    unwanted = frozenset(taken)

    def copy(value: Any, way: _Way, now: _Way) -> Any:
        """Copy a value without what is unwanted; `way` leads to it before, `now` afterwards."""
        if isinstance(value, Mapping):
            return {
                key: _stand_in((*way, key)) if (*way, key) in unwanted else copy(item, (*way, key), (*now, key))
                for key, item in value.items()
                if (*way, key) not in unwanted or _stand_in((*way, key)) is not None
            }
        if isinstance(value, list):
            numbers = [number for number in range(len(value)) if (*way, number) not in unwanted]
            before = document.kept.get(way, range(len(value)))
            kept[now] = tuple(before[number] for number in numbers)
            return [copy(value[number], (*way, number), (*now, place)) for place, number in enumerate(numbers)]
        return value

    return replace(document, data=copy(document.data, (), ()), kept=kept)


def _stand_in(way: _Way) -> Any:
    """Give what takes the place of something that others may name; None where nothing has to."""
    match way:
        case (str() as name,):
            return _STAND_INS.get(name)
        case ("inputs", _) | ("reply", "actions", _):
            return {}
        case ("partials", _):
            return ""
    return None
