"""`CompiledSections` -> the merged pack as YAML: each part with the file and line that it comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from promptpack.document.dumping import dump
from promptpack.pack.placed import Placed
from promptpack.problem import Location

if TYPE_CHECKING:
    from promptpack.document import Document
    from promptpack.pack.building import CompiledSections

_HEAD: Final = ("promptpack", "name", "version", "locale", "description")
# How an own message says where it belongs among the inherited ones.
_PLACES: Final = ("before", "after")


class ResolvedPart(NamedTuple):
    """A value of the merged pack: its keys, and its location; None for a mapping or list that several files fill."""

    path: tuple[str | int, ...]
    value: Any
    location: Location | None
    is_named: bool = False
    """Whether it is a separate part, such as an input or a message: its location is always shown."""


def resolve_parts(compiled: CompiledSections, ancestors: Iterable[Document] = ()) -> list[ResolvedPart]:
    """Return the parts of a pack after `extends`, variants and shared partials are merged, in order.

    `ancestors` are the documents that the pack extends, the nearest first.
    """
    sections = compiled.sections
    root = Placed(sections.document.data, sections.document, ())
    lineage = [root, *(Placed(document.data, document, ()) for document in ancestors)]
    reply: dict[str, Any] = {**sections.reply, "actions": sections.actions, "rules": list(sections.rules.values())}
    merged: dict[str, Any] = {
        **{key: root.child(key) for key in _HEAD if key in root.value},
        **{key: root.child(key) for key in ("syntax", "abstract") if key in root.value},
        **{key: one.child(key) for key in ("agent", "json") for one in reversed(lineage) if key in one.value},
        "inputs": sections.inputs,
        "partials": {**{name: placed for name, (placed, _) in sections.partials.items()}, **_shared(compiled)},
        "messages": list(sections.messages),
        "slots": sections.slots,
        **({"budget": sections.budget} if sections.budget else {}),
        "models": sections.models,
        "reply": {key: value for key, value in reply.items() if value},
        "contexts": sections.contexts,
        "tests": list(sections.tests),
    }
    return [part for key, value in merged.items() if value for part in _walk(value, (key,), is_named=True)]


def to_data(parts: Iterable[ResolvedPart]) -> dict[str, Any]:
    """Return the merged pack as plain data."""
    data: dict[str, Any] = {}
    for path, value, _, _ in parts:
        owner: Any = data
        for step in path[:-1]:
            owner = owner[step]
        copy = {} if isinstance(value, Mapping) else [] if isinstance(value, list) else value
        if isinstance(owner, list):
            owner.append(copy)
        else:
            owner[path[-1]] = copy
    return data


def write_yaml(parts: Iterable[ResolvedPart]) -> str:
    """Write the merged pack; a comment shows the file and line of a part, and of a value from another file."""
    writer = _YamlWriter()
    for part in parts:
        writer.add(part)
    return "\n".join(writer.lines) + "\n"


class _YamlWriter:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self._files: dict[tuple[str | int, ...], str] = {(): ""}
        # The dashes and notes of items whose first key follows on the same line.
        self._start = ""
        self._notes: list[str] = []

    def add(self, part: ResolvedPart) -> None:
        """Write one part; its children follow."""
        path, value = part.path, part.value
        self._notes += self._note(part)
        start = self._start or "  " * (len(path) - 1)
        has_children = isinstance(value, Mapping | list) and bool(value)
        if isinstance(path[-1], int) and has_children:
            self._start = f"{start}- "
            return
        note = f"  # {', '.join(self._notes)}" if self._notes else ""
        head = "-" if isinstance(path[-1], int) else f"{_write_scalar(path[-1])}:"
        self._start, self._notes = "", []
        if has_children:
            self.lines.append(f"{start}{head}{note}")
            return
        first, *rest = _write_scalar(value, "  " * len(path)).split("\n")
        self.lines += [f"{start}{head} {first}{note}", *rest]

    def _note(self, part: ResolvedPart) -> list[str]:
        around = self._files[part.path[:-1]]
        place = part.location
        self._files[part.path] = place.path if place else around
        is_shown = place is not None and (part.is_named or place.path != around)
        return [f"{' '.join(place.path.split())}:{place.line}"] if place and is_shown else []


def _shared(compiled: CompiledSections) -> dict[str, tuple[str, Location]]:
    """Return the partials that the pack uses from shared files."""
    own, sources = compiled.sections.partials, compiled.compiler.partials
    used = sorted(compiled.compiler.used_partials - own.keys())
    return {name: (sources[name].text, sources[name].locate(1, 1)) for name in used if name in sources}


def _walk(value: Any, path: tuple[str | int, ...], *, is_named: bool = False) -> Iterator[ResolvedPart]:
    match value:
        case Placed():
            yield from _walk_placed(value, path, is_named=is_named)
        case dict():
            yield ResolvedPart(path, value, None)
            for key, item in value.items():
                yield from _walk(item, (*path, key), is_named=True)
        case list():
            yield ResolvedPart(path, value, None)
            for index, item in enumerate(value):
                yield from _walk(item, (*path, index), is_named=True)
        case (str() as text, Location() as location):
            yield ResolvedPart(path, text, location, is_named)
        case _:
            yield ResolvedPart(path, value, None)


def _walk_placed(placed: Placed, path: tuple[str | int, ...], *, is_named: bool = False) -> Iterator[ResolvedPart]:
    value = placed.value
    is_message = path[0] == "messages" and len(path) == 2
    if isinstance(value, Mapping):
        value = {key: item for key, item in value.items() if not (is_message and key in _PLACES)}
    yield ResolvedPart(path, value, placed.locate_key(), is_named)
    for step in value if isinstance(value, Mapping) else range(len(value)) if isinstance(value, list) else ():
        yield from _walk_placed(placed.child(step), (*path, step))


def _write_scalar(value: Any, indent: str = "") -> str:
    """Write a value without children on one line, or as a block with an indentation."""
    first, *rest = dump(value).removesuffix("\n").removesuffix("\n...").split("\n")
    return "\n".join((first, *(f"{indent}{line[2:]}" if line.strip() else "" for line in rest)))
